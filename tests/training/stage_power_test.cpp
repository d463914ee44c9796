#include "wattfill/training/stage_power.hpp"

#include <numeric>

#include "support/catch.hpp"
#include "training/jobs.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

TEST_CASE("A capped job's draw is shared among its stages: they add up to the job's, the light stage gets less, and no uniform limit is faster") {
  JobModel const model(small_job(6));
  auto const energy = model.iteration();
  auto const rows = stage_power(model, energy, 7);
  REQUIRE(rows.size() == 7);
  CHECK(rows.front().time_s == energy.shortest_s());
  CHECK(rows.back().time_s == Approx(energy.best_s()));
  std::size_t compared = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const& row = rows[i];
    REQUIRE(row.stage_w.size() == 2);
    CHECK(row.stage_w[0] + row.stage_w[1] == Approx(2 * row.power_w).epsilon(1e-12));
    CHECK(row.power_w * 2 * row.time_s == Approx(energy.at(row.time_s)).epsilon(1e-12));
    CHECK(row.stage_w[1] < row.stage_w[0]);  // half the work
    if (i > 0) CHECK(row.power_w < rows[i - 1].power_w);
    if (!row.uniform_s) continue;
    ++compared;
    CHECK(*row.uniform_s >= row.time_s - 1e-9);  // durations are whole time steps here
  }
  CHECK(compared > 0);
}

TEST_CASE("At the fastest iteration the critical stage runs at its top clock and the other as slowly as it may") {
  // One microbatch: forward 1 s, then 0.5 s, backward 1 s, then 2 s, one after the other, so that all is critical: 3 s at 100 W and 1.5 s at 100 W in 4.5 s.
  JobModel const model(small_job(1));
  auto const row = stage_power(model, model.iteration(), 2).front();
  CHECK(row.time_s == 4.5);
  CHECK(row.stage_w[0] == Approx((3 * 100 + 1.5 * 10) / 4.5));
  CHECK(row.stage_w[1] == Approx((1.5 * 100 + 3 * 10) / 4.5));
  CHECK(stage_power_csv({{100, 2, std::nullopt, {150, 50}}, {80, 3, 3.5, {80}}}) ==
        "power_w,time_s,uniform_time_s,rank,stage_w,share\n100,2,,0,150,0.75\n100,2,,1,50,0.25\n80,3,3.5,0,80,1\n");
  CHECK(message([&] { stage_power(model, model.iteration(), 1); }) == "1 points; give at least 2");
}

TEST_CASE("Whatever a job is left with, its stages share all of it: on the frontier, beyond its end by waiting, and no more than it can draw") {
  JobModel const model(small_job(6));
  auto const energy = model.iteration();
  auto const rows = stage_power(model, energy, 5);
  auto const last_w = energy.power_w(energy.longest_s()) / 2, waiting_w = model.job().blocking_w;
  std::vector<double> const draws{rows[2].power_w, 1e6, last_w, waiting_w + 0.5 * (last_w - waiting_w)};
  auto const shared = stages_at(model, energy, draws);
  REQUIRE(shared.size() == 4);
  for (std::size_t stage = 0; stage < 2; ++stage) {
    CHECK(shared[0][stage] == Approx(rows[2].stage_w[stage]).epsilon(1e-9));
    CHECK(shared[1][stage] == Approx(rows[0].stage_w[stage]).epsilon(1e-12));
    // Half of what is left above waiting: twice the time, half of each stage's own.
    CHECK(shared[3][stage] - waiting_w == Approx((shared[2][stage] - waiting_w) / 2).epsilon(1e-9));
  }
  for (std::size_t i : {0U, 2U, 3U}) CHECK(shared[i][0] + shared[i][1] == Approx(2 * draws[i]).epsilon(1e-9));
  CHECK(message([&] { stages_at(model, energy, std::vector{waiting_w}); }).starts_with("a mean power of "));
}
