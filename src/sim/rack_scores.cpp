#include "sim/rack_scores.hpp"

#include <algorithm>
#include <limits>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {

RackScores::RackScores(RackSpec const& racks, std::span<PolicySpec const> policies, std::span<Demand const> demands, std::span<JobClass const> classes)
    : racks_(racks), demands_(demands.begin(), demands.end()), classes_(classes.begin(), classes.end()) {
  for (auto const& demand : demands) gpus_.push_back(demand.gpus);
  auto const add = [&](PolicySpec const& spec) {
    auto const policy = make_policy(spec);
    plans_.push_back(policy->prepare(demands));
    optimal_.push_back(policy->splits());
    auto const largest = std::ranges::max(gpus_);
    if (policy->splits() && largest > racks.gpus && !linear_programs_are_solved())
      throw InputError(
          {{},
           "policies." + spec.shown(),
           "jobs of " + number_text(largest) + " GPUs span racks of " + number_text(racks.gpus) +
               " (the optimum is then a linear program, and this build solves none); build with GLPK (libglpk-dev), leave the rule out, or make the "
               "racks larger"});
  };
  for (auto const& spec : policies) add(spec);
  PolicySpec proportional;
  proportional.name = "proportional";
  add(proportional);
}

RackedJobs RackScores::place(MixView const& mix) const { return place_jobs(racks_, {mix.jobs, classes_.size()}, gpus_); }

RackedDraws RackScores::fill(RackedJobs const& placed, std::size_t plan, double limit_w) const {
  return fill_racks(racks_, placed, plans_[plan], demands_, limit_w, optimal_[plan]);
}

std::vector<double> RackScores::speeds(RackedJobs const& placed, RackedDraws const& draws) const {
  std::vector<double> v(placed.jobs.size());
  for (std::size_t j = 0; j < v.size(); ++j) {
    auto const& curve = classes_[placed.jobs[j].cls].curve->curve;
    v[j] = curve.speed(draws.draw_w[j]) / curve.max_speed();
  }
  return v;
}

void RackScores::score(MixView const& mix, bool speeds_add_up, std::span<double> scores) const {
  auto const placed = place(mix);
  auto const policies = plans_.size() - 1, targets = scores.size() / policies / score::count;
  for (std::size_t t = 0; t < targets; ++t) {
    auto const reference = speeds(placed, fill(placed, policies, mix.targets_w[t]));
    for (std::size_t p = 0; p < policies; ++p) {
      double* const out = scores.data() + (p * targets + t) * score::count;
      score_one(mix, placed, fill(placed, p, mix.targets_w[t]), reference, out);
      out[score::target_w] = mix.targets_w[t];
      if (!speeds_add_up) out[score::speed] = out[score::speed_per_job] = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

void RackScores::score_one(MixView const& mix, RackedJobs const& placed, RackedDraws const& draws, std::vector<double> const& reference, double* out) const {
  auto v = speeds(placed, draws);
  auto const n = static_cast<double>(v.size());
  double speed = 0, normalized = 0, by_gpus = 0, gpus = 0, by_value = 0, squares = 0, worse = 0, below = 0;
  for (std::size_t j = 0; j < v.size(); ++j) {
    auto const cls = placed.jobs[j].cls;
    speed += v[j] * classes_[cls].curve->curve.max_speed();
    normalized += v[j];
    squares += v[j] * v[j];
    by_gpus += v[j] * gpus_[cls];
    gpus += gpus_[cls];
    by_value += v[j] * demands_[cls].value;
    worse += v[j] < reference[j] - speed_slack ? 1 : 0;
    below += v[j] < classes_[cls].terms.min_speed - speed_slack ? 1 : 0;
  }
  std::ranges::sort(v);
  out[score::power_w] = draws.power_w;
  out[score::shortfall_w] = draws.shortfall_w;
  out[score::speed] = speed;
  out[score::speed_per_job] = speed / n;
  out[score::speed_normalized] = normalized / n;
  out[score::speed_gpu] = by_gpus / gpus;
  out[score::speed_p5] = v[static_cast<std::size_t>(mix.p5_jobs) - 1];
  out[score::speed_min] = v.front();
  out[score::objective] = by_value / mix.totals[2];
  out[score::hull_gap] = draws.bound ? std::max(0.0, *draws.bound - by_value) / mix.totals[2] : std::numeric_limits<double>::quiet_NaN();
  out[score::share_worse] = worse / n;
  out[score::share_below_min] = below / n;
  out[score::jain_index] = squares > 0 ? normalized * normalized / (n * squares) : std::numeric_limits<double>::quiet_NaN();
  out[score::headroom_w] = mix.headroom_w;
}

std::vector<Allocation> RackScores::allocate(MixView const& mix, std::size_t policy, std::size_t target) const {
  auto const placed = place(mix);
  auto const draws = fill(placed, policy, mix.targets_w[target]);
  std::vector<std::size_t> order(placed.jobs.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
  std::ranges::stable_sort(
      order, [&](std::size_t l, std::size_t r) { return std::pair(placed.jobs[l].cls, draws.draw_w[l]) < std::pair(placed.jobs[r].cls, draws.draw_w[r]); });
  std::vector<Allocation> allocations;
  for (auto const j : order) {
    auto const& cls = classes_[placed.jobs[j].cls];
    auto const draw_w = draws.draw_w[j];
    if (!allocations.empty() && allocations.back().cls.curve == cls.curve && allocations.back().cls.terms == cls.terms && allocations.back().draw_w == draw_w) {
      ++allocations.back().jobs;
      continue;
    }
    auto const& curve = cls.curve->curve;
    allocations.push_back({cls, 1, draw_w, curve.cap_for(draw_w), curve.speed(draw_w) / curve.max_speed()});
  }
  return allocations;
}

}  // namespace wattfill
