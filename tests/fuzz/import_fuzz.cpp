// Import formats: the first line names one, the rest is its file (dcgm: the list of runs, then a line of %% before each of the logs power.csv and speed.csv).
#include "fuzz/fuzz.hpp"
#include "wattfill/scenario/import/import.hpp"
#include "wattfill/scenario/library_writer.hpp"

using namespace wattfill;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const parts = fuzz::parts_of(data, size, 3);
  auto const& first = parts[0];
  auto const line = std::min(first.find('\n'), first.size());
  auto const name = first.substr(0, line);
  if (name.empty()) return 0;
  ImportRequest request;
  request.input = fuzz::folder().write("in_a100.csv", first.substr(std::min(line + 1, first.size()))).string();
  fuzz::folder().write("power.csv", parts[1]);
  fuzz::folder().write("speed.csv", parts[2]);
  request.library_name = "made";
  request.gpu = "A100";
  request.citation = "c";
  request.tdp_w = 400;
  request.power_unit = "w";
  request.time_unit = "s";
  request.every_run = (size & 1) != 0;
  if (name == "reconstruct") request.input = parts[1];
  fuzz::accepted([&] {
    auto const imported = import_format(name).read(request);
    fuzz::require(imported.library.name == "made", "the library has the name that was asked for");
  });
  return 0;
}
