#include "wattfill/training/comparison.hpp"

#include "support/catch.hpp"
#include "training/jobs.hpp"

using namespace wattfill;
using namespace wattfill::test;

TEST_CASE("Comparisons: top clock first, the frontier's plans save at no loss of speed beyond the rounding of durations") {
  JobModel const model(small_job(4));
  auto const rows = comparisons(model, model.iteration());
  REQUIRE(rows.size() > 6);
  CHECK(rows[0].name == "top-clock");
  CHECK(rows[0].saving == 0);
  CHECK(rows[1].name == "perseus");
  CHECK(rows[1].time_s <= rows[0].time_s);  // durations are whole steps here
  CHECK(rows[1].saving > 0);
  CHECK(rows[2].energy_j <= rows[1].energy_j);
  CHECK(rows[3].energy_j <= rows[2].energy_j);
  for (auto const& r : rows) CHECK(r.saving == Approx(1 - r.energy_j / rows[0].energy_j));
  auto const csv = comparison_csv(rows);
  CHECK(csv.starts_with("plan,setting,time_s,energy_j,saving,slowdown\ntop-clock,0,"));
  CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) == rows.size() + 1);
}

TEST_CASE("Stragglers: the others take T_opt and the saving is that of savings.hpp") {
  JobModel const model(small_job(4));
  auto const energy = model.iteration();
  auto const base = model.fastest_energy_j(energy.shortest_s());
  auto const saving = straggler_saving(energy, base, 8, 1.25);
  auto const csv = straggler_csv(model, energy, 8, {1.25});
  auto const row = csv.substr(csv.find('\n') + 1);
  CHECK(std::stod(row.substr(row.rfind(',') + 1)) == Approx(saving).epsilon(1e-15));
  CHECK(std::stod(row.substr(row.find(',') + 1)) == Approx(std::min(energy.best_s(), 1.25 * energy.shortest_s())));
}

TEST_CASE("Ranks: busy shares and mean draws add up to the plan's energy") {
  JobModel const model(small_job(1));
  // 4.5 s; rank 0 works 3 s at 100 W, rank 1 1.5 s at 100 W; both wait at 10 W else.
  CHECK(ranks_csv(model, top_clock(model)) == "rank,busy,power_w\n0,0.6666666666666666,70\n1,0.3333333333333333,40\n");
}
