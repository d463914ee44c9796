// Against published frontiers: github.com/ml-energy/zeus, sosp24_data (Perseus, arXiv:2312.06902), and frontiers of its solver lowtime 0.3.0.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "support/catch.hpp"
#include "support/skip.hpp"
#include "training/profiles.hpp"
#include "training/projects.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/training_case.hpp"
#include "wattfill/training/frontier.hpp"
#include "wattfill/training/pipeline.hpp"
#include "wattfill/training/plan.hpp"

using namespace wattfill;
using namespace wattfill::test;

namespace {

std::filesystem::path const data = testing::public_data("");

bool there(std::filesystem::path const& path) { return testing::is_there(path, "its frontier is not compared"); }

/// Lowest and highest of ours / theirs - 1 over the rows of a file.
struct Deviation {
  double low = 0, high = 0;
  std::size_t rows = 0;
};
Deviation deviation(std::filesystem::path const& file, char const* time, char const* energy, auto const& ours) {
  auto const table = CsvTable::read(file);
  auto const t = table.column(time), e = table.column(energy);
  Deviation found;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto const relative = ours(table.number(row, t)) / table.number(row, e) - 1;
    found.low = std::min(found.low, relative);
    found.high = std::max(found.high, relative);
    ++found.rows;
  }
  return found;
}

}  // namespace

TEST_CASE("Given cost models: every printed time of lowtime's frontiers within 1e-12, and both true ends") {
  struct Expected {
    char const* folder;
    std::int64_t shortest, longest;
    std::size_t rows;
  };
  for (auto const& expected : {Expected{"gpt3-175b_a100sxm_pp4_mb8_1ms", 1642, 2013, 371}, Expected{"gpt3-175b_a100sxm_pp8_mb12_1ms", 2818, 3457, 639}}) {
    auto const folder = data / "perseus-cases" / expected.folder;
    if (!there(folder)) continue;
    auto const given = read_training_case(folder);
    auto const frontier = Frontier::of(given.project);
    CHECK(frontier.certificate().holds());
    CHECK(frontier.shortest() == expected.shortest);
    CHECK(frontier.longest() == expected.longest);
    auto const effective = deviation(folder / "frontier_lowtime.csv", "quant_time", "effective_cost_J", [&](double steps) { return frontier.energy_j(steps); });
    CHECK(effective.rows == expected.rows);
    CHECK(effective.low > -1e-12);
    CHECK(effective.high < 1e-12);
    auto const total = deviation(folder / "frontier_lowtime.csv", "quant_time", "total_energy_J",
                                 [&](double steps) { return frontier.energy_j(steps) + given.blocking_w * given.stages * given.tau_s * steps; });
    CHECK(std::max(-total.low, total.high) < 1e-12);
  }
}

TEST_CASE("Our 1F1B is the graph of the published case") {
  auto const folder = data / "perseus-cases" / "gpt3-175b_a100sxm_pp8_mb12_1ms";
  if (!there(folder)) return;
  auto const given = read_training_case(folder);
  auto const pipeline = make_pipeline({.stages = 8, .microbatches = 12});
  std::vector<std::pair<std::string, std::string>> ours, theirs;
  for (auto const& e : pipeline.edges) ours.emplace_back(name_of(pipeline.instructions[e.before]), name_of(pipeline.instructions[e.after]));
  for (auto const& e : given.project.edges)
    if (given.project.names[e.before] != "source" && given.project.names[e.after] != "sink")
      theirs.emplace_back(given.project.names[e.before], given.project.names[e.after]);
  std::ranges::sort(ours);
  std::ranges::sort(theirs);
  CHECK(ours == theirs);
}

TEST_CASE("From the stage profile: the options kept are the published ones, and our fits agree with the published models") {
  auto const profile_file = data / "perseus-sosp24" / "stage_profile" / "gpt3-175b+a100_sxm_bf16.csv";
  auto const folder = data / "perseus-cases" / "gpt3-175b_a100sxm_pp8_mb12_1ms";
  if (!there(profile_file) || !there(folder)) return;
  auto const profiles = read_profiles(profile_file);
  auto const kept = CsvTable::read(folder / "options.csv");
  auto const models = CsvTable::read(folder / "cost_model.csv");
  std::size_t row = 0;
  for (int stage = 0; stage < 8; ++stage)
    for (auto direction : {Direction::forward, Direction::backward}) {
      auto const options = useful_options(profiles.at({stage, direction}), 0.001, 83.64);
      for (auto const& option : options) {
        REQUIRE(kept.text(row, kept.column("instruction")) == to_string(direction));
        CHECK(kept.number(row, kept.column("knob")) == option.knob);
        CHECK(kept.number(row, kept.column("quant_time")) == static_cast<double>(option.steps));
        CHECK(kept.number(row, kept.column("effective_energy_J")) == Approx(option.effective_energy_j).epsilon(1e-12));
        ++row;
      }
      auto const model = static_cast<std::size_t>(2 * stage + (direction == Direction::forward ? 0 : 1));
      ExponentialFit const theirs{models.number(model, models.column("a")), models.number(model, models.column("b")), models.number(model, models.column("c"))};
      auto const fit = fit_exponential(options);
      for (auto q = options.back().steps; q <= options.front().steps; ++q)
        CHECK(fit.at(static_cast<double>(q)) == Approx(theirs.at(static_cast<double>(q))).epsilon(1e-7));
    }
  CHECK(row == kept.rows());
}

TEST_CASE("From profile to frontier with our own fits: the published iteration time-energy files to 1e-6") {
  struct Job {
    char const* name;
    double tau_s, blocking_w;
    std::vector<int> microbatches;
    std::vector<std::size_t> rows;
  };
  auto const root = data / "perseus-sosp24";
  if (!there(root)) return;
  for (auto const& job :
       {Job{"gpt3-175b+a100_sxm_bf16", 1e-3, 83.64, {12, 24, 96}, {639, 1047, 3495}}, Job{"gpt3-175b+a40_bf16", 1e-4, 70.38, {12}, {11832}}}) {
    auto const costs = fitted_costs(read_profiles(root / "stage_profile" / (std::string(job.name) + ".csv")), job.tau_s, job.blocking_w);
    for (std::size_t i = 0; i < job.microbatches.size(); ++i) {
      auto const project = make_project(make_pipeline({.stages = 8, .microbatches = job.microbatches[i]}), costs);
      auto const frontier = Frontier::of(project);
      CHECK(frontier.certificate().holds());
      auto const file = root / "iteration_time_energy" / (std::string(job.name) + "_mb" + std::to_string(job.microbatches[i]) + ".csv");
      auto const found = deviation(file, "time", "energy", [&](double time_s) {
        auto const steps = std::round(time_s / job.tau_s);
        return frontier.energy_j(steps) + 8 * job.blocking_w * steps * job.tau_s;
      });
      INFO(file.filename().string());
      CHECK(found.rows == job.rows[i]);
      CHECK(found.low > -1e-6);
      CHECK(found.high < 1e-6);
      CHECK(frontier.longest() - frontier.shortest() == static_cast<std::int64_t>(found.rows));  // the files begin one step below the true end
    }
  }
}

TEST_CASE("Plans of the published case cost what its frontier says, at every whole time") {
  auto const folder = data / "perseus-cases" / "gpt3-175b_a100sxm_pp8_mb12_1ms";
  if (!there(folder)) return;
  auto const given = read_training_case(folder);
  auto const frontier = Frontier::of(given.project);
  std::vector<double> deadlines;
  for (auto steps = frontier.shortest(); steps <= frontier.longest(); ++steps) deadlines.push_back(static_cast<double>(steps));
  auto const found = plans(given.project, deadlines);
  for (std::size_t d = 0; d < deadlines.size(); ++d) {
    REQUIRE(feasible(given.project, found[d], deadlines[d]));
    REQUIRE(energy_j(given.project, found[d]) == Approx(frontier.energy_j(deadlines[d])).epsilon(1e-13));
  }
}
