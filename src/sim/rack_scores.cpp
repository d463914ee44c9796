#include "sim/rack_scores.hpp"

#include <algorithm>
#include <limits>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {

RackScores::RackScores(RackSpec const& racks, std::vector<Demand> truth, std::span<JobClass const> classes)
    : racks_(racks), truth_(std::move(truth)), classes_(classes.begin(), classes.end()) {
  for (auto const& demand : truth_) gpus_.push_back(demand.gpus);
}

void RackScores::check(std::string const& shown, RackRule const& rule) const {
  auto const largest = std::ranges::max(gpus_);
  if (rule.optimal && largest > racks_.gpus && !linear_programs_are_solved())
    throw InputError({{},
                      "policies." + shown,
                      "jobs of " + number_text(largest) + " GPUs span racks of " + number_text(racks_.gpus) +
                          " (the optimum is then a linear program, and this build solves none); build with GLPK (libglpk-dev), leave the rule out, or make "
                          "the racks larger"});
}

RackedJobs RackScores::place(MixView const& mix) const { return place_jobs(racks_, {mix.jobs, classes_.size()}, gpus_); }

RackedDraws RackScores::fill(RackedJobs const& placed, RackRule const& rule, double limit_w) const {
  return fill_racks(racks_, placed, rule.plan, rule.demands, limit_w, rule.optimal);
}

std::vector<double> RackScores::speeds(RackedJobs const& placed, RackedDraws const& draws) const {
  std::vector<double> v(placed.jobs.size());
  for (std::size_t j = 0; j < v.size(); ++j) {
    auto const& curve = classes_[placed.jobs[j].cls].curve->curve;
    v[j] = curve.speed(draws.draw_w[j]) / curve.max_speed();
  }
  return v;
}

void RackScores::score(MixView const& mix, std::span<RackRule const* const> rules, std::size_t targets, bool speeds_add_up, std::span<double> scores) const {
  auto const placed = place(mix);
  for (std::size_t t = 0; t < targets; ++t) {
    std::vector<double> reference;
    for (auto const* rule : rules) {
      auto const draws = fill(placed, *rule, mix.targets_w[t]);
      if (rule == rules.front()) reference = speeds(placed, draws);
      if (rule->slot == no_slot) continue;
      double* const out = scores.data() + (rule->slot * targets + t) * score::count;
      score_one(mix, placed, draws, reference, out);
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
    by_value += v[j] * truth_[cls].value;
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
  out[score::rank_errors] = 0;
}

std::vector<Allocation> RackScores::allocate(MixView const& mix, RackRule const& rule, std::size_t target) const {
  auto const placed = place(mix);
  auto const draws = fill(placed, rule, mix.targets_w[target]);
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
