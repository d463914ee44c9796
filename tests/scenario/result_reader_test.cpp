#include "wattfill/scenario/result_reader.hpp"

#include <cmath>

#include "scenario/mistakes.hpp"
#include "wattfill/scenario/baseline_file.hpp"

using namespace wattfill;

namespace {

std::string const manifest =
    R"({"program": "wattfill", "version": "0.1.0", "scenario": "s", "kind": "snapshot", "seed": 7, "resolved": "name: s\nsweep: {mixes.m.jobs: [1, 2]}\n",
       "outputs": [{"file": "replications.csv", "sha256": "00"}]})";

std::vector<std::vector<std::string>> rows_of(std::filesystem::path const& file) {
  std::vector<std::vector<std::string>> rows;
  auto const keep = [&](std::span<std::string_view const> cells) { rows.emplace_back(cells.begin(), cells.end()); };
  for_each_row(file, keep, keep);
  return rows;
}

template <class Call>
std::string refusal(TemporaryFolder const& folder, Call const& call) {
  try {
    call();
  } catch (InputError const& error) {
    return folder.relative(error.what());
  }
  return "accepted";
}

}  // namespace

TEST_CASE("A result folder says its name, kind, seed, sweep columns and files") {
  TemporaryFolder const folder;
  folder.write("manifest.json", manifest);
  auto const info = read_result_info(folder.path());
  CHECK(info.name == "s");
  CHECK(info.kind == "snapshot");
  CHECK(info.seed == "7");
  CHECK(info.sweep_columns == std::vector<std::string>{"mixes.m.jobs"});
  CHECK(info.has("replications.csv"));
  CHECK_FALSE(info.has("jobs.csv"));
}

TEST_CASE("Folders that hold no whole results are refused") {
  TemporaryFolder const folder;
  CHECK_THAT(
      refusal(folder, [&] { read_result_info(folder / "none"); }),
      Catch::Contains("none: there is no manifest.json in this folder (it holds no results, or a run that did not end); name a folder that wattfill run"));
  folder.write("other/manifest.json", "{\"program\": \"another\"}");
  CHECK(refusal(folder, [&] { read_result_info(folder / "other"); }) ==
        "other/manifest.json: this is not a manifest of wattfill; name a folder that wattfill run wrote");
  folder.write("broken/manifest.json", "{\"program\": ");
  CHECK_THAT(refusal(folder, [&] { read_result_info(folder / "broken"); }), Catch::StartsWith("broken/manifest.json:"));
}

TEST_CASE("Rows are read one by one, quoted cells with commas, quotes and line breaks too") {
  TemporaryFolder const folder;
  CHECK(rows_of(folder.write("a.csv", "a,b\r\n1,\"x, \"\"y\"\"\nz\"\n,2\n")) ==
        std::vector<std::vector<std::string>>{{"a", "b"}, {"1", "x, \"y\"\nz"}, {"", "2"}});
  CHECK(rows_of(folder.write("b.csv", "\"\",a,\n1,2,\"3\"\n")) == std::vector<std::vector<std::string>>{{"", "a", ""}, {"1", "2", "3"}});
}

TEST_CASE("Result files that were cut or edited are refused with their line") {
  TemporaryFolder const folder;
  auto const said = [&](std::string const& text) { return refusal(folder, [&] { rows_of(folder.write("r.csv", text)); }); };
  CHECK(said("") == "r.csv: the file is empty; run the scenario again");
  CHECK(said("a,b\n1,2\n3\n") == "r.csv:3:1: this row has 1 cells, the header 2 (the file was cut or edited); run the scenario again");
  CHECK(said("a\n\"1\n") == "r.csv:2:1: a quoted cell is never closed; run the scenario again");
  CHECK(refusal(folder, [&] { rows_of(folder / "none.csv"); }) == "none.csv: this file is missing or cannot be read; run the scenario again");
  CHECK(refusal(folder, [&] { result_number("1x", folder / "r.csv"); }) == "r.csv: \"1x\" is not a number (the file was edited); run the scenario again");
  CHECK(std::isnan(result_number("", "r.csv")));
  CHECK(result_number("-1.5e-3", "r.csv") == -1.5e-3);
}
