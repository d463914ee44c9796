#include "cli/validate.hpp"

#include <cstdio>
#include <filesystem>

#include "wattfill/core/error.hpp"
#include "wattfill/scenario/baseline_file.hpp"
#include "wattfill/scenario/campaign_file.hpp"
#include "wattfill/scenario/contract_file.hpp"
#include "wattfill/scenario/document.hpp"
#include "wattfill/scenario/file_kind.hpp"
#include "wattfill/scenario/library_file.hpp"
#include "wattfill/scenario/pipeline_file.hpp"
#include "wattfill/scenario/predictor_file.hpp"
#include "wattfill/training/job.hpp"

namespace wattfill::cli {
namespace {

using Notes = std::vector<std::string>;
using Sets = std::vector<std::string>;

std::string count(std::size_t n, std::string const& one) { return std::to_string(n) + " " + one + (n == 1 ? "" : "s"); }

/// Each gives what the file holds, in words.
std::string check_campaign(std::string const& file, Sets const& sets, Outside, Notes&) {
  auto const scenario = load_campaign(file, sets);
  return count(campaigns(scenario).size(), "campaign");
}

std::string check_contract(std::string const& file, Sets const& sets, Outside, Notes&) {
  return count(read_contract(file, sets).events.size(), "event") + " to settle";
}

std::string check_pipeline(std::string const& file, Sets const& sets, Outside outside, Notes& notes) {
  auto const scenario = load_pipeline(file, sets, outside);
  notes = scenario.notes;
  if (!scenario.kareus) JobModel const built(scenario.job);  // says what the profile lacks
  auto const passes = scenario.job.pipeline.microbatches;
  return count(static_cast<std::size_t>(scenario.job.pipeline.stages), "stage") + ", " + std::to_string(passes) +
         (passes == 1 ? " microbatch" : " microbatches");
}

std::string check_baseline(std::string const& file, Sets const& sets, Outside, Notes&) {
  auto const baseline = read_baseline(file, sets);
  return count(baseline.records.size(), "row") + " of " + count(baseline.tolerance.size(), "metric");
}

std::string check_predictor(std::string const& file, Sets const&, Outside, Notes&) { return "predicts " + read_predictor(file).target; }

std::string check_curves(std::string const& file, Sets const&, Outside, Notes& notes) {
  auto const read = read_library(file);
  notes = read.notes;
  return count(read.library.curves.size(), "curve");
}

struct Check {
  std::string_view kind;
  std::string (*check)(std::string const&, Sets const&, Outside, Notes&);
};

constexpr Check checks[] = {{"campaign", check_campaign}, {"contract", check_contract},   {"pipeline", check_pipeline},
                            {"baseline", check_baseline}, {"predictor", check_predictor}, {"curves", check_curves}};

}  // namespace

std::optional<int> validate_other(std::vector<std::string> const& operands, po::variables_map const& given) {
  if (operands.size() != 1) return std::nullopt;
  auto const kind = kind_of(read_document(operands.front()));
  for (auto const& [name, check] : checks) {
    if (name != kind) continue;
    auto const sets = given.count("set") > 0 ? given["set"].as<Sets>() : Sets{};
    if (!sets.empty() && (kind == "predictor" || kind == "curves")) throw InputError({{}, "--set", "changes keys of scenarios, not of a " + kind + " file"});
    Notes notes;
    auto const what = check(operands.front(), sets, given.count("allow-outside") > 0 ? Outside::allowed : Outside::refused, notes);
    std::printf("%s: valid %s: %s\n", operands.front().c_str(), kind == "curves" ? "curve library" : kind.c_str(), what.c_str());
    for (auto const& note : notes) std::printf("note: %s\n", note.c_str());
    return given.count("strict") > 0 && !notes.empty() ? 1 : 0;
  }
  return std::nullopt;
}

}  // namespace wattfill::cli
