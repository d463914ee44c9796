#include "wattfill/training/kareus_job.hpp"

#include <map>
#include <sstream>

#include "support/catch.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

namespace {

KareusSpec small_spec() {
  KareusSpec spec;
  spec.clocks_mhz = {1410, 1200, 1005};
  spec.sms = {2, 8, 20};
  spec.blocks = {512};
  spec.partitions = {{"attention", Direction::forward, 4, {{{5e10, 3e8, 0, 0}, {0, 3e8, 1, 1}}, 1.5e8}},
                     {"mlp", Direction::backward, 4, {{{0, 3e8, 0, 0}, {2e11, 3e8, 1, 1}}, 1.5e8}}};
  spec.outside = {{Direction::forward, true, 1e11, 1e8}};
  return spec;
}

TrainingJob small_iteration() {
  TrainingJob job;
  job.pipeline = {.stages = 2, .microbatches = 4};
  job.costs = CostForm::measured;
  job.tau_s = 1e-5;
  job.gpus_per_rank = 8;
  return job;
}

KareusSystem const& named(std::vector<KareusSystem> const& systems, std::string const& name) { return *std::ranges::find(systems, name, &KareusSystem::name); }

}  // namespace

TEST_CASE("More knobs never make a job worse, and the outside of the last stage is on the last stage") {
  auto const systems = kareus_systems(small_spec(), small_iteration());
  std::map<std::string, IterationEnergy> energy;
  for (auto const& s : systems) energy.emplace(s.name, JobModel(s.job).iteration());
  auto const& all = energy.at("kareus-exhaustive");
  for (auto const& s : systems) {
    auto const& e = energy.at(s.name);
    CHECK(all.shortest_s() <= e.shortest_s());
    for (double stretch : {1.0, 1.1, 1.3})
      if (auto const t = e.shortest_s() * stretch; t >= all.shortest_s()) CHECK(all.at(t) <= e.at(t) * 1.001);  // time steps round
  }
  CHECK(energy.at("nanobatching-perseus").shortest_s() < energy.at("megatron-perseus").shortest_s());
  auto const& job = named(systems, "kareus").job;
  CHECK(job.blocking_w == 85);
  // 2 kinds x 3 clocks at the defaults; all: 3 clocks x 3 SMs x (1 + 3 windows) each.
  CHECK(named(systems, "megatron-perseus").measurements == 6);
  CHECK(named(systems, "kareus-exhaustive").measurements == 72);
  double first = 0, last = 0;
  for (auto const& p : job.profiles)
    if (p.direction == Direction::forward) (p.virtual_stage == 1 ? last : first) = p.points.front().time_s;
  CHECK(last > first + 1e11 / 2e14 * 0.99);
}

TEST_CASE("A search of every setting is the exhaustive one, and the same seed gives the same systems") {
  auto spec = small_spec();
  spec.search = SearchSize{1000, 0, 1};
  auto const systems = kareus_systems(spec, small_iteration());
  auto const a = JobModel(named(systems, "kareus").job).iteration(), b = JobModel(named(systems, "kareus-exhaustive").job).iteration();
  CHECK(a.shortest_s() == b.shortest_s());
  CHECK(a.at(a.best_s()) == Approx(b.at(b.best_s())));
  spec.search = SearchSize{8, 2, 4};
  CHECK(kareus_csv(kareus_systems(spec, small_iteration())) == kareus_csv(kareus_systems(spec, small_iteration())));
}

TEST_CASE("The table of systems has static and dynamic energy apart, adding up") {
  auto const csv = kareus_csv(kareus_systems(small_spec(), small_iteration()));
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  int rows = 0;
  for (; std::getline(lines, line); ++rows) {
    std::vector<double> cells;
    std::istringstream in(line.substr(line.find(',') + 1));
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell.empty() ? 0 : std::stod(cell));
    REQUIRE(cells.size() >= 6);
    CHECK(cells[2] == Approx(cells[3] + cells[4]));
    CHECK(cells[3] == Approx(85 * 2 * 8 * cells[1]));
  }
  CHECK(rows == 6);
}

TEST_CASE("A job of measured partitions is the job that was measured; clocks that were not chosen do not count") {
  auto spec = small_spec();
  spec.search = SearchSize{8, 2, 4};
  auto const modelled = kareus_csv(kareus_systems(spec, small_iteration()));
  for (auto& p : spec.partitions) {
    p.table = every_setting(spec, p);
    p.shape = {};
    p.table.settings.push_back({700, -1, -1, 20, 512});
    p.table.costs.push_back({1e-9, 1e-9});  // would win
  }
  CHECK(kareus_csv(kareus_systems(spec, small_iteration())) == modelled);
  spec.default_sms = 3;
  CHECK(message([&] { kareus_systems(spec, small_iteration()); }) ==
        "the table of partition attention holds no setting without overlap with 3 SMs and blocks of 512 (what communication gets where nothing schedules it); "
        "set "
        "default_sms and the first of blocks to measured ones");
}

TEST_CASE("Kareus jobs that cannot be composed are refused") {
  auto spec = small_spec();
  spec.sms = {};
  CHECK(message([&] { kareus_systems(spec, small_iteration()); }) == "a Kareus job needs clocks, SMs and blocks to choose from; give some");
  spec = small_spec();
  spec.partitions[0].shape.groups.clear();
  CHECK(message([&] { kareus_systems(spec, small_iteration()); }) == "the partition attention computes nothing (there is nothing to send beside); give groups");
  auto job = small_iteration();
  job.pipeline.schedule = PipelineSpec::Schedule::early_recomputation;
  CHECK(message([&] { kareus_systems(small_spec(), job); }) == "Kareus's partitions are composed for 1f1b and gpipe; set schedule to one of them");
}
