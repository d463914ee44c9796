#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cli/command.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/output_file.hpp"
#include "wattfill/report/regression_files.hpp"
#include "wattfill/scenario/baseline_file.hpp"

namespace wattfill::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> texts(po::variables_map const& given, std::string const& option) {
  return given.count(option) > 0 ? given[option].as<std::vector<std::string>>() : std::vector<std::string>{};
}

/// Metrics that the baseline compares, then those that are asked for besides.
std::vector<std::string> metrics_of(StoredBaseline const& baseline, std::vector<std::string> const& asked) {
  std::vector<std::string> metrics;
  for (auto const& entry : baseline.tolerance) metrics.push_back(entry.name);
  for (auto const& metric : asked)
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
  return metrics;
}

void update(fs::path const& file, StoredBaseline baseline, ResultInfo const& result, std::vector<MetricRecord> records, std::vector<std::string> const& sets) {
  baseline.name = result.name;
  baseline.version = result.version;
  baseline.seed = result.seed;
  for (auto const& record : records)
    if (std::ranges::find(baseline.tolerance, record.metric, &Named<Tolerance>::name) == baseline.tolerance.end())
      baseline.tolerance.push_back({record.metric, {}, {}});
  baseline.records.clear();
  baseline = with_sets(baseline, sets);
  baseline.records = std::move(records);
  std::error_code failed;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), failed);
  auto const text = baseline_text(baseline);
  write_file(file, text);
  std::printf("wrote %s: %zu rows and metrics, %zu bytes\n", file.c_str(), baseline.records.size(), text.size());
}

}  // namespace

void regress_options(po::options_description& options) {
  options.add_options()("baseline", po::value<std::string>()->value_name("FILE"), "what the study gave when it was last agreed to");
  options.add_options()("update", "write FILE anew from DIR; its tolerances stay");
  options.add_options()("metric", po::value<std::vector<std::string>>()->value_name("NAME"),
                        "with --update: a column of replications.csv to compare (repeatable; default: those of FILE, or a few usual ones)");
  options.add_options()("set", po::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
                        "change a tolerance, e.g. tolerance.speed_gpu.relative=1e-6 (repeatable)");
  options.add_options()("junit", po::value<std::string>()->value_name("FILE"), "also write a JUnit report for CI");
  options.add_options()("quiet", "print nothing");
}

int regress(std::vector<std::string> const& operands, po::variables_map const& given) {
  expect_operands(operands, 1, 1, "DIR, a folder with results,");
  if (given.count("baseline") == 0) throw InputError({{}, "--baseline", "is missing; name the file, e.g. --baseline baselines/paper.yaml"});
  fs::path const file = given["baseline"].as<std::string>();
  auto const result = read_result_info(operands.front());
  std::error_code failed;
  bool const updating = given.count("update") > 0, there = fs::exists(file, failed);
  if (!there && !updating) throw InputError({{file.string()}, "", "there is no such baseline; look at the results, then write it with --update"});
  if (!updating && given.count("metric") > 0) throw InputError({{}, "--metric", "chooses what --update writes; without it, FILE says what is compared"});
  auto const sets = texts(given, "set");
  StoredBaseline baseline;
  if (there) {
    baseline = read_baseline(file, sets);
    if (baseline.name != result.name)
      throw InputError({{file.string()},
                        "name",
                        "is the baseline of \"" + baseline.name + "\", but " + operands.front() + " holds \"" + result.name +
                            "\" (they cannot be compared); name the other file or folder"});
  }
  if (!updating) check_significance(baseline, file.string());
  bool const quiet = given.count("quiet") > 0;
  auto records = records_of(result, metrics_of(baseline, texts(given, "metric")));
  auto const tolerances = baseline.tolerances();
  auto const moved = there ? moves(baseline.records, records, tolerances) : std::vector<Move>{};
  if (given.count("junit") > 0) write_file(given["junit"].as<std::string>(), junit_xml(result.name, baseline.records, moved));
  if (!moved.empty() && !quiet) std::fputs(moves_table(moved).c_str(), stdout);
  if (updating) {
    update(file, std::move(baseline), result, std::move(records), sets);
    return 0;
  }
  auto const compared = static_cast<std::size_t>(std::ranges::count_if(baseline.records, [&](MetricRecord const& record) {
    return std::ranges::find(tolerances, record.metric, &MetricTolerance::metric) != tolerances.end();
  }));
  if (!quiet) {
    if (baseline.seed != result.seed)
      std::printf("note: seed %s here, %s in the baseline: differences are not between the same mixes\n", result.seed.c_str(), baseline.seed.c_str());
    std::printf("%s: %zu of %zu compared moved%s\n", result.name.c_str(), moved.size(), compared, moved.empty() ? "" : "; agree to it with --update");
  }
  return moved.empty() ? 0 : 1;
}

}  // namespace wattfill::cli
