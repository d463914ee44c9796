#include "sim/snapshot_kernel.hpp"

#include <cmath>
#include <limits>

#include "wattfill/core/hostdevice.hpp"

namespace wattfill {
namespace {

constexpr double slack = 1e-9;  // of full speed: below it two speeds count as equal

/// Speeds on the straight line between two knots.
WATTFILL_INLINE void interpolate(double const* lower, double const* upper, double theta, std::size_t stride, double* speeds) {
  Lanes const t = Lanes{} + theta;
  for (std::size_t c = 0; c < stride; c += lane_count) {
    Lanes const lo = load_lanes(lower + c), hi = load_lanes(upper + c);
    Lanes const v = lo + t * (hi - lo);
    store_lanes(speeds + c, v < hi ? v : hi);
  }
}

/// Jobs slower than `bound`, and jobs no faster.
struct Slower {
  double below, upto;
};
WATTFILL_INLINE Slower count_slower(MixView const& mix, double const* speeds, double bound) {
  Lanes const b = Lanes{} + bound, zero{};
  Lanes below{}, upto{};
  for (std::size_t c = 0; c < mix.stride; c += lane_count) {
    Lanes const v = load_lanes(speeds + c), n = load_lanes(mix.jobs + c);
    below += v < b ? n : zero;
    upto += v <= b ? n : zero;
  }
  return {sum_lanes(below), sum_lanes(upto)};
}

/// The smallest speed such that at least `wanted` jobs have no more. `guess` is any speed; a good one saves time.
WATTFILL_INLINE double slowest_with(MixView const& mix, double const* speeds, double wanted, double guess) {
  for (;;) {
    auto const [below, upto] = count_slower(mix, speeds, guess);
    if (below < wanted && upto >= wanted) return guess;
    bool const up = upto < wanted;
    double next = up ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < mix.stride; ++c) {
      if (!(mix.jobs[c] > 0)) continue;
      double const v = speeds[c];
      if (up ? (v > guess && v < next) : (v < guess && v > next)) next = v;
    }
    guess = next;
  }
}

WATTFILL_INLINE void write_scores(MixView const& mix, double const* speeds, double const* reference, double p5_guess, double* out) {
  Lanes const zero{}, one = Lanes{} + 1.0, eps = Lanes{} + slack;
  Lanes sum_n{}, sum_g{}, sum_t{}, sum_v{}, sum_sq{}, worse{}, under{};
  Lanes slowest = Lanes{} + std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < mix.stride; c += lane_count) {
    Lanes const v = load_lanes(speeds + c), n = load_lanes(mix.jobs + c);
    Lanes const nv = n * v;
    sum_n += nv;
    sum_sq += nv * v;
    sum_g += load_lanes(mix.gpus + c) * v;
    sum_t += load_lanes(mix.full_speed + c) * v;
    sum_v += load_lanes(mix.value + c) * v;
    worse += v < load_lanes(reference + c) - eps ? n : zero;
    under += v < load_lanes(mix.min_speed + c) - eps ? n : zero;
    Lanes const masked = n > zero ? v : one + one;
    slowest = masked < slowest ? masked : slowest;
  }
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const total = sum_lanes(sum_n), speed_sum = sum_lanes(sum_t), squares = sum_lanes(sum_sq);
  out[score::speed] = mix.speeds_add_up ? speed_sum : nan;
  out[score::speed_per_job] = mix.speeds_add_up ? speed_sum / mix.total_jobs : nan;
  out[score::speed_normalized] = total / mix.total_jobs;
  out[score::speed_gpu] = sum_lanes(sum_g) / mix.total_gpus;
  out[score::speed_p5] = slowest_with(mix, speeds, mix.p5_jobs, p5_guess);
  out[score::speed_min] = min_lanes(slowest);
  out[score::objective] = sum_lanes(sum_v) / mix.total_value;
  out[score::hull_gap] = nan;
  out[score::share_worse] = sum_lanes(worse) / mix.total_jobs;
  out[score::share_below_min] = sum_lanes(under) / mix.total_jobs;
  out[score::jain_index] = squares > 0 ? total * total / (mix.total_jobs * squares) : nan;
}

/// Slow to fast at the knot: where the 5th percentile would lie if everyone stood there; a guess.
WATTFILL_INLINE double guess_p5(MixView const& mix, std::uint32_t const* by_speed, double const* speeds) {
  double jobs = 0;
  std::size_t i = 0;
  for (; i + 1 < mix.classes; ++i) {
    jobs += mix.jobs[by_speed[i]];
    if (jobs >= mix.p5_jobs) break;
  }
  return speeds[by_speed[i]];
}

/// Moves the split class's jobs into three entries: the lower draw in place, the upper one and the middle job behind the classes.
struct SplitEntries {
  WATTFILL_INLINE SplitEntries(MixView& mix, KernelScratch& scratch, double* reference, std::size_t cls, Split const& split, double upper, double middle)
      : mix_(mix), cls_(cls), jobs_(mix.jobs[cls]), gpus_(mix.gpus[cls]), full_(mix.full_speed[cls]), value_(mix.value[cls]) {
    double const ones[3] = {jobs_ - split.up - (split.has_middle ? 1 : 0), split.up, split.has_middle ? 1.0 : 0.0};
    std::size_t const at[3] = {cls, mix.classes, mix.classes + 1};
    double const speeds[3] = {scratch.speeds[cls], upper, middle};
    for (int i = 0; i < 3; ++i) {
      set(at[i], ones[i]);
      scratch.speeds[at[i]] = speeds[i];
      reference[at[i]] = reference[cls];
      mix.min_speed[at[i]] = mix.min_speed[cls];
    }
  }
  WATTFILL_INLINE ~SplitEntries() {
    set(mix_.classes, 0);
    set(mix_.classes + 1, 0);
    mix_.jobs[cls_] = jobs_;
    mix_.gpus[cls_] = gpus_;
    mix_.full_speed[cls_] = full_;
    mix_.value[cls_] = value_;
  }
  SplitEntries(SplitEntries const&) = delete;
  SplitEntries& operator=(SplitEntries const&) = delete;

 private:
  WATTFILL_INLINE void set(std::size_t entry, double n) {
    double const share = n / jobs_;
    mix_.jobs[entry] = n;
    mix_.gpus[entry] = gpus_ * share;
    mix_.full_speed[entry] = full_ * share;
    mix_.value[entry] = value_ * share;
  }

  MixView& mix_;
  std::size_t cls_;
  double jobs_, gpus_, full_, value_;
};

WATTFILL_INLINE double objective_of(MixView const& mix, double const* speeds) {
  Lanes sum{};
  for (std::size_t c = 0; c < mix.stride; c += lane_count) sum += load_lanes(mix.value + c) * load_lanes(speeds + c);
  return sum_lanes(sum) / mix.total_value;
}

WATTFILL_INLINE void score_path(MixView& mix, PathView const& path, double const* targets_w, std::size_t target_count, TrueSpeed const& true_speed,
                                KernelScratch& scratch, std::size_t* hints, double uncapped_w, double* scores) {
  std::size_t const last = path.draws.knots - 1;
  double const floors_w = path.draws.power(mix.gpus, 0);
  for (std::size_t t = 0; t < target_count; ++t) {
    auto const at = path.draws.locate(mix.gpus, targets_w[t], hints[t]);
    hints[t] = at.knot;
    std::size_t const next = at.knot < last ? at.knot + 1 : last;
    double const* lower = path.speeds + at.knot * mix.stride;
    double const* upper = path.speeds + next * mix.stride;
    double* reference = scratch.reference + t * mix.stride;
    double* out = scores + t * score::count;
    interpolate(lower, upper, at.theta, mix.stride, scratch.speeds);
    std::uint32_t const* by_speed = path.by_speed + at.knot * mix.classes;
    if (path.mover == nullptr || !(at.theta > 0)) {
      write_scores(mix, scratch.speeds, reference, guess_p5(mix, by_speed, scratch.speeds), out);
      if (path.mover != nullptr) out[score::hull_gap] = 0;
    } else {
      double const bound = objective_of(mix, scratch.speeds);
      std::size_t const cls = path.mover[at.knot];
      double const lower_w = path.draws.rows[at.knot * mix.stride + cls], upper_w = path.draws.rows[next * mix.stride + cls];
      auto const split = split_class(mix.jobs[cls], at.theta, lower_w, upper_w);
      double const middle = split.has_middle ? true_speed.of(true_speed.curves, cls, split.middle_w) : 0;
      scratch.speeds[cls] = lower[cls];
      SplitEntries const entries(mix, scratch, reference, cls, split, upper[cls], middle);
      write_scores(mix, scratch.speeds, reference, guess_p5(mix, by_speed, scratch.speeds), out);
      double const gap = bound - out[score::objective];
      out[score::hull_gap] = gap > 0 ? gap : 0;
    }
    out[score::target_w] = targets_w[t];
    out[score::power_w] = at.power_w;
    out[score::shortfall_w] = at.shortfall_w;
    out[score::headroom_w] = uncapped_w - floors_w;
  }
}

}  // namespace

Split split_class(double jobs, double theta, double lower_w, double upper_w) {
  double const level = theta * jobs;
  double const up = std::floor(level);
  double const part = level - up;
  return {up, part > 0, lower_w + part * (upper_w - lower_w)};
}

WATTFILL_CLONES void score_replication(MixView& mix, PathView const& proportional, PathView const* paths, std::size_t path_count, double const* targets_w,
                                       std::size_t target_count, TrueSpeed const& true_speed, KernelScratch& scratch, double* scores) {
  double const uncapped_w = proportional.draws.power(mix.gpus, proportional.draws.knots - 1);
  for (std::size_t t = 0; t < target_count; ++t) {
    auto const at = proportional.draws.locate(mix.gpus, targets_w[t], scratch.hints[t]);
    scratch.hints[t] = at.knot;
    std::size_t const next = at.knot + 1 < proportional.draws.knots ? at.knot + 1 : at.knot;
    interpolate(proportional.speeds + at.knot * mix.stride, proportional.speeds + next * mix.stride, at.theta, mix.stride, scratch.reference + t * mix.stride);
  }
  for (std::size_t p = 0; p < path_count; ++p)
    score_path(mix, paths[p], targets_w, target_count, true_speed, scratch, scratch.hints + (p + 1) * target_count, uncapped_w,
               scores + p * target_count * score::count);
}

}  // namespace wattfill
