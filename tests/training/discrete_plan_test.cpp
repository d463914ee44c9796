#include "wattfill/training/discrete_plan.hpp"

#include <array>

#include "support/catch.hpp"
#include "training/jobs.hpp"
#include "training/projects.hpp"
#include "wattfill/training/baselines.hpp"

using namespace wattfill;
using namespace wattfill::test;

namespace {

/// Everything that holds of a discrete plan made from a planned one.
void check_plan(JobModel const& model, Plan const& planned, double deadline_steps) {
  auto const plan = rounded(model, planned);
  Project const& project = model.project();
  std::vector<double> steps;
  for (std::size_t i = 0; i < plan.choice.size(); ++i) {
    auto const options = model.options(model.kind_of(i));
    auto const used = std::ranges::find(options, plan.choice[i].knob, &CostOption::knob);
    REQUIRE(used != options.end());
    CHECK(static_cast<double>(used->steps) <= planned.duration[i] + 1e-9);
    if (used != options.begin()) CHECK(static_cast<double>(std::prev(used)->steps) > planned.duration[i]);  // the slowest that fits
    steps.push_back(static_cast<double>(used->steps));
  }
  std::vector<double> start(steps.size(), 0);
  double longest = 0;
  for (auto i : topological_order(project)) {
    for (auto const& edge : project.edges)
      if (edge.after == i) start[i] = std::max(start[i], start[edge.before] + steps[edge.before]);
    longest = std::max(longest, start[i] + steps[i]);
  }
  CHECK(longest <= deadline_steps + 1e-6);  // the iteration is not longer in time steps
  auto const limit_s = deadline_steps * model.job().tau_s;
  auto const better = with_slack_used(model, plan, limit_s);
  CHECK(better.energy_j <= plan.energy_j);
  CHECK(better.time_s <= std::max(plan.time_s, limit_s) * (1 + 1e-12));
  for (auto const& edge : project.edges) CHECK(better.start_s[edge.before] + better.choice[edge.before].time_s <= better.start_s[edge.after]);
}

}  // namespace

TEST_CASE("A realised plan starts everything as soon as it may and counts waiting") {
  JobModel const model(small_job());
  auto const plan = top_clock(model);
  CHECK(plan.time_s == 6.5);
  CHECK(plan.energy_j == 900 + 10 * 4);
  CHECK(plan.power_w() == 940 / 6.5);
  CHECK(plan.start_s == std::vector<double>{0, 1, 2.5, 4.5, 1, 1.5, 2.5, 3});  // rank 0: F F B B, rank 1: F B F B
}

TEST_CASE("Rounded plans never lengthen the iteration, and slack left over is used") {
  JobModel const small(small_job(3));
  auto const shortest = static_cast<double>(small.iteration().frontier().shortest());
  std::array const deadlines{shortest, shortest + 1.5, shortest + 4, shortest + 100};
  auto const planned = plans(small.project(), deadlines);
  for (std::size_t d = 0; d < deadlines.size(); ++d) check_plan(small, planned[d], deadlines[d]);
}

TEST_CASE("Using slack: a light computation takes the slower knob that still fits, an iteration that may not wait longer stays") {
  JobModel const model(small_job());
  auto const top = top_clock(model);
  auto const better = with_slack_used(model, top, top.time_s);
  CHECK(better.time_s == top.time_s);
  // Stage 1: F0 0.5, B0 1 (both critical), then F1 and B1 have until 4.5 s for 1.5 s of work: F1 takes 2 x 0.5 s, B1 the 1 s left of 2: at 2.5-3.5, 3.5-4.5.
  CHECK(better.choice[6].knob == 500);
  CHECK(better.choice[7].knob == 1000);
  // Stage 0's second forward pass ends at 2 s, its first gradient comes at 2.5 s: 1.5 s for 1 s of work.
  CHECK(better.choice[1].knob == 750);
  CHECK(better.energy_j == Approx(top.energy_j - (50 - 40) - 10 * 0.5 - (100 - 90) - 10 * 0.5));
}

TEST_CASE("GPT-3 175B: rounded plans at deadlines along the frontier") {
  auto job = gpt3(12);
  if (!job) return;
  JobModel const model(*job);
  auto const energy = model.iteration();
  auto const top = top_clock(model);
  CHECK(top.time_s == Approx(2.8365).epsilon(2e-5));
  std::array const deadlines{2818.0, 2900.25, 3187.0};
  auto const planned = plans(model.project(), deadlines);
  for (std::size_t d = 0; d < deadlines.size(); ++d) {
    check_plan(model, planned[d], deadlines[d]);
    auto const plan = rounded(model, planned[d]);
    // Measured times are longer than whole steps by at most one step for each computation on a path: here at most 2 x (12 + 7).
    CHECK(plan.time_s <= (deadlines[d] + 38) * model.job().tau_s);
    // The realised energy stays within 1 % of the frontier's.
    CHECK(plan.energy_j == Approx(energy.at(deadlines[d] * model.job().tau_s)).epsilon(0.01));
  }
}
