#include "sim/rack_scores.hpp"

#include <algorithm>
#include <limits>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {

RackScores::RackScores(RackSpec const& racks, std::optional<MeteringSpec> const& metering, std::vector<Demand> truth, std::span<JobClass const> classes)
    : racks_(racks), truth_(std::move(truth)), classes_(classes.begin(), classes.end()) {
  if (metering) {
    facility_.emplace(metering->facility);
    limit_at_ = metering->limit_at;
  }
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

RackScores::Uncapped RackScores::uncapped(MixView const& mix) const {
  Uncapped all;
  for (std::size_t c = 0; c < truth_.size(); ++c) {
    auto const gpus = mix.jobs[c] * gpus_[c];
    all.gpu_w += gpus * truth_[c].uncapped_w;
    if (!facility_) continue;
    auto const each = facility_->spec().gpus;
    all.nodes += gpus / each;
    all.it_w += gpus / each * facility_->node_it_w(each * truth_[c].uncapped_w);
  }
  if (facility_) all.meter_w = facility_->meter_for_it(all.nodes, all.it_w);
  return all;
}

double RackScores::it_w(RackedJobs const& placed, RackedDraws const& draws) const {
  auto const each = facility_->spec().gpus;
  double sum = 0;
  for (std::size_t j = 0; j < placed.jobs.size(); ++j) sum += gpus_[placed.jobs[j].cls] / each * facility_->node_it_w(each * draws.draw_w[j]);
  return sum;
}

RackScores::Held RackScores::hold(MixView const& mix, Uncapped const& all, RackedJobs const& placed, RackRule const& rule, std::span<Target const> targets,
                                  std::size_t t) const {
  if (!facility_) return {fill(placed, rule, mix.targets_w[t]), mix.targets_w[t], 0};
  auto const& target = targets[t];
  auto const uncapped_w = limit_at_ == LimitAt::gpu ? all.gpu_w : limit_at_ == LimitAt::it ? all.it_w : all.meter_w;
  auto const limit_w = target.kind == Target::Kind::cut ? (1 - target.value) * uncapped_w : target.value;
  if (limit_at_ == LimitAt::gpu) {
    auto draws = fill(placed, rule, limit_w);
    auto const it = it_w(placed, draws);
    return {std::move(draws), limit_w, it};
  }
  auto const limit_it_w = limit_at_ == LimitAt::meter ? facility_->it_for_meter(all.nodes, limit_w) : limit_w;
  auto const at = [&](double gpu_w) {
    Held held{fill(placed, rule, gpu_w), limit_w, 0};
    held.it_w = it_w(placed, held.draws);
    return held;
  };
  double high = all.gpu_w, low = 0;
  auto most = at(high);
  if (most.it_w <= limit_it_w) return most;
  for (std::size_t c = 0; c < truth_.size(); ++c) low += mix.jobs[c] * gpus_[c] * rule.demands[c].floor_w;
  auto best = at(low);
  if (best.it_w > limit_it_w) {
    auto const shown_w = limit_at_ == LimitAt::meter ? facility_->meter_for_it(all.nodes, best.it_w) : best.it_w;
    best.draws.shortfall_w = std::max(best.draws.shortfall_w, shown_w - limit_w);
    return best;
  }
  // Illinois: a chord that halves the weight of an end that stays; what is kept is always an end below the limit.
  auto at_low = best.it_w - limit_it_w, at_high = most.it_w - limit_it_w;
  int side = 0;
  for (int k = 0; k < 100 && high - low > 1e-13 * high && at_low < 0; ++k) {
    auto middle = low + at_low / (at_low - at_high) * (high - low);
    if (!(low < middle && middle < high)) middle = low + (high - low) / 2;
    if (!(low < middle && middle < high)) break;
    auto tried = at(middle);
    auto const y = tried.it_w - limit_it_w;
    if (y <= 0) {
      low = middle;
      at_low = y;
      best = std::move(tried);
      if (side == -1) at_high /= 2;
      side = -1;
    } else {
      high = middle;
      at_high = y;
      if (side == 1) at_low /= 2;
      side = 1;
    }
  }
  return best;
}

std::vector<double> RackScores::speeds(RackedJobs const& placed, RackedDraws const& draws) const {
  std::vector<double> v(placed.jobs.size());
  for (std::size_t j = 0; j < v.size(); ++j) {
    auto const& curve = classes_[placed.jobs[j].cls].curve->curve;
    v[j] = curve.speed(draws.draw_w[j]) / curve.max_speed();
  }
  return v;
}

void RackScores::score(MixView const& mix, std::span<RackRule const* const> rules, std::span<Target const> targets, bool speeds_add_up,
                       std::span<double> scores) const {
  auto const placed = place(mix);
  auto const all = uncapped(mix);
  auto const width = facility_ ? score::metered_count : score::count;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    std::vector<double> reference;
    for (auto const* rule : rules) {
      auto const held = hold(mix, all, placed, *rule, targets, t);
      if (rule == rules.front()) reference = speeds(placed, held.draws);
      if (rule->slot == no_slot) continue;
      double* const out = scores.data() + (rule->slot * targets.size() + t) * width;
      score_one(mix, placed, held.draws, reference, out);
      out[score::target_w] = held.limit_w;
      if (!speeds_add_up) out[score::speed] = out[score::speed_per_job] = std::numeric_limits<double>::quiet_NaN();
      if (!facility_) continue;
      auto const saved_w = all.gpu_w - held.draws.power_w;
      out[score::it_w] = held.it_w;
      out[score::meter_w] = facility_->meter_for_it(all.nodes, held.it_w);
      out[score::meter_saved_per_gpu_w] = saved_w > 1e-9 * all.gpu_w ? (all.meter_w - out[score::meter_w]) / saved_w : std::numeric_limits<double>::quiet_NaN();
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

std::vector<Allocation> RackScores::allocate(MixView const& mix, RackRule const& rule, std::span<Target const> targets, std::size_t t) const {
  auto const placed = place(mix);
  auto const draws = hold(mix, uncapped(mix), placed, rule, targets, t).draws;
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
