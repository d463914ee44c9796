// What `wattfill regress` reads: a baseline (first letter b), or a result folder (r: manifest.json, a line of %%, replications.csv).
#include "fuzz/fuzz.hpp"
#include "wattfill/scenario/baseline_file.hpp"

using namespace wattfill;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] == 'r') {
    auto const parts = fuzz::parts_of(data + 1, size - 1, 2);
    fuzz::folder().write("result/manifest.json", parts[0]);
    fuzz::folder().write("result/replications.csv", parts[1]);
    fuzz::accepted([&] {
      for (auto const& record : records_of(read_result_info(fuzz::folder() / "result"), {}))
        fuzz::require(record.digest.size() == 16, "a record has the digest of its values");
    });
    return 0;
  }
  auto const file = fuzz::folder().write("baseline.yaml", std::string(reinterpret_cast<char const*>(data) + 1, size - 1));
  StoredBaseline baseline;
  if (!fuzz::accepted([&] { baseline = read_baseline(file); })) return 0;
  auto const text = baseline_text(baseline);
  fuzz::require(baseline_text(read_baseline(fuzz::folder().write("again.yaml", text))) == text, "a baseline reads back as it was written");
  if (fuzz::accepted([&] { check_significance(baseline, "baseline.yaml"); }))
    fuzz::require(moves(baseline.records, baseline.records, baseline.tolerances()).empty(), "a baseline has not moved from itself");
  return 0;
}
