#include "wattfill/scenario/baseline_file.hpp"

#include <cmath>

#include "scenario/mistakes.hpp"

using namespace wattfill;

namespace {

std::string const manifest = R"({"program": "wattfill", "version": "0.1.0", "scenario": "s", "kind": "KIND", "seed": 7, "resolved": "name: s\n",
  "outputs": [{"file": "replications.csv"}]})";

ResultInfo result(TemporaryFolder const& folder, std::string const& kind, std::string const& rows) {
  auto text = manifest;
  text.replace(text.find("KIND"), 4, kind);
  folder.write("manifest.json", text);
  folder.write("replications.csv", rows);
  return read_result_info(folder.path());
}

std::string const rows =
    "mix,replication,policy,cut,target_w,power_w,speed\nm,0,\"a, b\",0.1,5,4.5,1\nm,0,oracle,0.1,5,5,2\nm,1,\"a, b\",0.1,5,4.25,\nm,1,oracle,0.1,5,5,3\n";

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

TEST_CASE("Records are read from replications.csv: a row for each mix, policy and cut, replications in order") {
  TemporaryFolder const folder;
  auto const records = records_of(result(folder, "snapshot", rows), {"power_w", "speed"});
  REQUIRE(records.size() == 4);
  CHECK(records[0].key == std::vector<std::string>{"m", "a, b", "0.1"});
  CHECK(records[0].metric == "power_w");
  CHECK(records[0].batches == std::vector<double>{4.5, 4.25});
  CHECK(std::isnan(records[1].mean));  // an empty cell
  CHECK(records[3].metric == "speed");
  CHECK(records[3].mean == 2.5);
}

TEST_CASE("A baseline reads back as it was written, names that look like numbers too") {
  TemporaryFolder const folder;
  StoredBaseline b;
  b.name = "1e5";
  b.version = "0.1.0";
  b.seed = "18446744073709551615";
  b.tolerance = {{"speed", {0.5, 1e-6, 0.01}, {}}, {"power_w", {}, {}}};
  b.records = records_of(result(folder, "snapshot", rows), {"power_w", "speed"});
  for (auto& record : b.records) record.mean = std::isnan(record.mean) ? 1 : record.mean;
  b.records[0].key = {"0.1", "a: [b], \"c\" # d", ""};
  b.records[0].digest = "1234567890123456";
  auto const text = baseline_text(b);
  auto const again = read_baseline(folder.write("b.yaml", text));
  CHECK(baseline_text(again) == text);
  CHECK(again.name == "1e5");
  CHECK(again.records[0].key == b.records[0].key);
  CHECK(again.records[0].digest == b.records[0].digest);
  CHECK(again.tolerance[0].value.significance == 0.01);
  CHECK(moves(again.records, b.records, again.tolerances()).empty());
  CHECK(read_baseline(folder / "b.yaml", {"tolerance.power_w.absolute=3"}).tolerance[1].value.absolute == 3);
  CHECK(again.records[0].batches.empty());  // power_w is compared without a test
  CHECK(again.records[1].batches.size() == 2);
  CHECK(with_sets(b, {"tolerance.power_w.absolute=3"}).tolerance[1].value.absolute == 3);
  CHECK_NOTHROW(check_significance(again, "b.yaml"));
  CHECK_THROWS_WITH(
      check_significance(read_baseline(folder / "b.yaml", {"tolerance.power_w.significance=0.01"}), "b.yaml"),
      "b.yaml: tolerance.power_w.significance: the baseline has no means of batches of this metric (differences cannot be tested without); write it anew, "
      "from results that you agree to, with --update --set tolerance.power_w.significance=0.01");
  b.records.clear();
  CHECK(read_baseline(folder.write("none.yaml", baseline_text(b))).records.empty());
}

TEST_CASE("Mistakes of baselines and metrics are named with their place") {
  TemporaryFolder const folder;
  auto const said = [&](std::string const& text) { return refusal(folder, [&] { read_baseline(folder.write("b.yaml", text)); }); };
  std::string const head = "wattfill: 1\nkind: baseline\nname: s\n";
  CHECK_THAT(said(head), Catch::StartsWith("b.yaml:1:1: tolerance: this key is missing"));
  CHECK(said(head + "tolerance: {speed: {relative: -1}}\n") ==
        "b.yaml:4:31: tolerance.speed.relative: -1 is out of range (0 or more is possible); choose a value in the range");
  CHECK_THAT(said(head + "tolerance: {speed: {relativ: 1}}\n"), Catch::Contains("unknown key (it would have no effect); did you mean \"relative\"?"));
  CHECK(said(head + "tolerance: {}\nrows: [[a, speed, 1, 2, x, []]]\n") ==
        "b.yaml:5:8: rows.0: is not [[key cells], metric, count, mean, digest, [batch means]]; write the baseline anew with --update");
  CHECK(said(head + "tolerance: {}\nrows: [[[a], speed, 1, two, x, []]]\n") ==
        "b.yaml:5:24: rows.0.3: \"two\" is not a number; write the baseline anew with --update");
  CHECK(said(head + "tolerance: {}\nrows: [[[a], speed, 1, 2, x, []], [[b], speed, 1, 2, x, []], [[a], power, 1, 2, x, []], [[a], speed, 1, 3, y, []]]\n") ==
        "b.yaml:5:89: rows.3: these key cells stand twice with \"speed\" (which of the two holds is not clear); remove one");
  auto const snapshot = result(folder, "snapshot", rows);
  CHECK(refusal(folder, [&] { records_of(snapshot, {"sped"}); }) == "replications.csv:1:1: sped: is not a metric of this file; did you mean \"speed\"?");
  auto const other = result(folder, "pipeline", rows);
  CHECK(refusal(folder, [&] { records_of(other, {}); }) == "manifest.json: kind: \"pipeline\" has no baseline; snapshot, timeline and campaign studies have");
  auto summary = snapshot;
  summary.outputs = {"summary.csv"};
  CHECK_THAT(refusal(folder, [&] { records_of(summary, {}); }), Catch::Contains("run it again without --rows summary"));
}
