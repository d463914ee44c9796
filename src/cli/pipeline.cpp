#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

#include "cli/command.hpp"
#include "cli/pipeline_job.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/output_file.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/scenario/training_case.hpp"
#include "wattfill/training/frontier.hpp"
#include "wattfill/training/frontier_csv.hpp"

namespace wattfill::cli {
namespace {

CaseCosts costs_named(std::string const& name) {
  constexpr std::array<std::pair<std::string_view, CaseCosts>, 3> table{
      {{"given", CaseCosts::given}, {"fitted", CaseCosts::fitted}, {"measured", CaseCosts::measured}}};
  for (auto const& [text, costs] : table)
    if (name == text) return costs;
  throw InputError({{}, "--costs", quotation(name) + " is not known; give given, fitted or measured"});
}

void print_summary(TrainingCase const& given, Frontier const& frontier, double seconds) {
  auto const row = [&](char const* what, std::int64_t steps) {
    auto const time_s = static_cast<double>(steps) * given.tau_s;
    auto const effective_j = frontier.energy_j(static_cast<double>(steps));
    std::printf("%-8s %12.6f s %16.3f J effective %16.3f J\n", what, time_s, effective_j, effective_j + given.blocking_w * given.stages * time_s);
  };
  row("fastest", frontier.shortest());
  row("longest", frontier.longest());
  auto const& proof = frontier.certificate();
  std::printf("%zu computations, %zu pieces, solved in %.4f s\n", given.project.curve_of.size(), frontier.knots().size() - 1, seconds);
  std::printf("certificate: %s (%zu pieces checked, largest gap %s J)\n", proof.holds() ? "optimal" : "REFUTED", proof.pieces,
              number_text(proof.gap_j).c_str());
}

}  // namespace

void pipeline_options(po::options_description& options) {
  options.add_options()("case", po::value<std::string>()->value_name("DIR"), "a bare graph: nodes.csv, edges.csv, meta.json, cost_model.csv or options.csv");
  options.add_options()("out", po::value<std::string>()->value_name("DIR"), "folder for the results (default: out/<name>; with --case: none)");
  options.add_options()("set", po::value<std::vector<std::string>>()->value_name("KEY=VALUE"), "change a key, e.g. plan.deadline_s=30 (repeatable)");
  options.add_options()("allow-outside", "the profile may lie outside of the job's folder and the folders of curves");
  options.add_options()("quiet", "print nothing");
  options.add_options()("costs", po::value<std::string>()->default_value("given")->value_name("WHICH"),
                        "of --case; given: cost_model.csv; fitted: exponential through options.csv; measured: convex hull of options.csv");
}

int pipeline(std::vector<std::string> const& operands, po::variables_map const& given) {
  if (given.count("case") == 0) return pipeline_job(operands, given);
  expect_operands(operands, 0, 0, "");
  std::filesystem::path const folder = given["case"].as<std::string>();
  auto const training_case = read_training_case(folder, costs_named(given["costs"].as<std::string>()));
  auto const start = std::chrono::steady_clock::now();
  auto const frontier = Frontier::of(training_case.project);
  auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!frontier.certificate().holds()) throw Defect("the frontier of " + folder.string() + " is not optimal: its certificate was refuted");
  if (given.count("out") > 0) {
    std::filesystem::path const out = given["out"].as<std::string>();
    std::error_code failed;
    std::filesystem::create_directories(out, failed);
    if (failed) throw MachineError(out.string() + ": the folder cannot be made: " + failed.message());
    write_file(out / "frontier.csv", frontier_csv(frontier, training_case.tau_s, training_case.blocking_w * training_case.stages));
  }
  if (given.count("quiet") == 0) print_summary(training_case, frontier, seconds);
  return 0;
}

}  // namespace wattfill::cli
