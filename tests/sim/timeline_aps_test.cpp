// The measured event of 2025-05-01: the engine against the independent plant that inferred the actions (scenarios/aps), and against the measurement.
#include <fstream>
#include <sstream>

#include "support/catch.hpp"
#include "support/skip.hpp"
#include "support/timelines.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/scenario.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

std::filesystem::path source(std::string const& path) { return std::filesystem::path(WATTFILL_SOURCE_DIR) / path; }

/// Mean watts of each of the 400 minutes.
std::vector<double> minutes(Recorder const& seen) {
  std::vector<double> joules(400, 0.0);
  for (std::size_t i = 0; i < seen.powers.size(); ++i) {
    auto const until = i + 1 < seen.powers.size() ? seen.powers[i + 1].time_s : 24000.0;
    for (auto t = seen.powers[i].time_s; t < until;) {
      auto const minute = static_cast<std::size_t>(t / 60);
      auto const end = std::min(until, 60.0 * static_cast<double>(minute + 1));
      joules[minute] += seen.powers[i].power_w * (end - t);
      t = end;
    }
  }
  for (double& j : joules) j /= 60;
  return joules;
}

double rmse(std::vector<double> const& model, std::vector<double> const& measured) {
  double squares = 0;
  for (std::size_t i = 0; i < model.size(); ++i) squares += (model[i] - measured[i]) * (model[i] - measured[i]);
  return std::sqrt(squares / static_cast<double>(model.size()));
}

std::vector<double> column(CsvTable const& table, std::string const& name) {
  std::vector<double> values;
  for (std::size_t row = 0; row < table.rows(); ++row) values.push_back(table.number(row, table.column(name)));
  return values;
}

}  // namespace

TEST_CASE("The engine replays the APS event as the independent plant does, minute by minute, in total and job by job") {
  auto const scenario = load_scenario(source("scenarios/aps_replay.yaml"));
  auto const& study = scenario.points.front().timeline;
  REQUIRE(study.policies.front().actions.size() <= 30);
  auto const expected = CsvTable::read(source("tests/sim/data/aps_expected.csv"));
  auto const check = [&](std::vector<double> const& model, std::string const& name) {
    auto const plant = column(expected, name);
    REQUIRE(plant.size() == 400);
    for (std::size_t i = 0; i < 400; ++i) {
      INFO(name << ", minute " << i);
      CHECK(std::fabs(model[i] - plant[i]) < 1e-3);  // the table has three decimals
    }
  };
  auto const all = run(study.run, study.policies.front());
  CHECK(all.seen.count(EventKind::ignored) == 0);
  check(minutes(all.seen), "total_w");
  for (auto const& job : study.run.jobs) {
    auto one = study.run;
    one.jobs = {job};
    auto policy = study.policies.front();
    std::erase_if(policy.actions, [&](ActionSpec const& a) { return a.job != job.id; });
    check(minutes(run(one, policy).seen), job.id + "_w");
  }
}

TEST_CASE("The replayed total misses the 400 measured minutes of the APS event by at most 2 % of their mean") {
  auto const file = testing::public_data("emerald-phoenix-2025/aps_2025-05-01_power.csv");
  if (!testing::is_there(file)) return;
  auto const measured = column(CsvTable::read(file), "total_w");
  REQUIRE(measured.size() == 400);
  double mean = 0;
  for (double w : measured) mean += w / 400;
  auto const scenario = load_scenario(source("scenarios/aps_replay.yaml"));
  auto const& study = scenario.points.front().timeline;
  auto const share = rmse(minutes(run(study.run, study.policies.front()).seen), measured) / mean;
  INFO("RMSE " << 100 * share << " % of " << mean << " W");
  CHECK(mean == Approx(71463).margin(1));
  CHECK(share < 0.02);
  CHECK(share == Approx(0.0155).margin(0.0001));  // what scenarios/aps/report.md says
}
