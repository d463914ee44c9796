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
