#include "sim/snapshot_kernel.hpp"

#include <cmath>
#include <limits>

#include "wattfill/core/hostdevice.hpp"

namespace wattfill {
namespace {

constexpr double slack = 1e-9;  // of full speed: below it two speeds count as equal

/// Speeds on the straight line between two knots.
WATTFILL_INLINE void interpolate(double const* lower, double const* upper, double theta, std::size_t stride, double* speeds) {
  Lanes const t = all_lanes(theta);
  for (std::size_t c = 0; c < stride; c += lane_count) {
    Lanes const lo = load_lanes(lower + c), hi = load_lanes(upper + c);
    store_lanes(speeds + c, min_each(lo + t * (hi - lo), hi));
  }
}

/// The smallest speed such that at least `wanted` jobs have no more, searched from a guess that did not hold.
double slowest_with(MixView const& mix, double const* speeds, double wanted, double guess) {
  for (;;) {
    double below = 0, upto = 0;
    double slower = -std::numeric_limits<double>::infinity(), faster = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < mix.stride; ++c) {
      if (!(mix.jobs[c] > 0)) continue;
      double const v = speeds[c];
      if (v < guess) below += mix.jobs[c];
      if (v <= guess) upto += mix.jobs[c];
      if (v < guess && v > slower) slower = v;
      if (v > guess && v < faster) faster = v;
    }
    if (below < wanted && upto >= wanted) return guess;
    guess = upto < wanted ? faster : slower;
  }
}

WATTFILL_INLINE void write_scores(MixView const& mix, double const* speeds, double const* reference, double p5_guess, double* out) {
  Lanes const zero{}, two = all_lanes(2), eps = all_lanes(slack), guess = all_lanes(p5_guess);
  Lanes speed_jobs, speed_gpus, speed_value, speed_total, squares, worse, under, below, upto, slowest = two;
  for (std::size_t c = 0; c < mix.stride; c += lane_count) {
    Lanes const v = load_lanes(speeds + c), n = load_lanes(mix.jobs + c);
    Lanes const nv = n * v;
    speed_jobs += nv;
    squares += nv * v;
    speed_gpus += load_lanes(mix.gpus + c) * v;
    speed_value += load_lanes(mix.value + c) * v;
    speed_total += load_lanes(mix.full_speed + c) * v;
    worse += select(v < load_lanes(reference + c) - eps, n, zero);
    under += select(v < load_lanes(mix.min_speed + c) - eps, n, zero);
    below += select(v < guess, n, zero);
    upto += select(v <= guess, n, zero);
    slowest = min_each(select(zero < n, v, two), slowest);
  }
  double sum[lane_count], mean[lane_count];
  Lanes const sums{sum_four(speed_jobs, speed_gpus, speed_value, worse), sum_four(under, speed_total, squares, below)};
  store_lanes(sum, sums);
  store_lanes(mean, sums / load_lanes(mix.totals));
  double const nan = std::numeric_limits<double>::quiet_NaN();
  out[score::speed] = mix.speeds_add_up ? sum[5] : nan;
  out[score::speed_per_job] = mix.speeds_add_up ? mean[5] : nan;
  out[score::speed_normalized] = mean[0];
  out[score::speed_gpu] = mean[1];
  out[score::speed_p5] = sum[7] < mix.p5_jobs && sum_lanes(upto) >= mix.p5_jobs ? p5_guess : slowest_with(mix, speeds, mix.p5_jobs, p5_guess);
  out[score::speed_min] = min_lanes(slowest);
  out[score::objective] = mean[2];
  out[score::hull_gap] = nan;
  out[score::share_worse] = mean[3];
  out[score::share_below_min] = mean[4];
  out[score::jain_index] = sum[6] > 0 ? sum[0] * mean[0] / sum[6] : nan;
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
  return sum_lanes(sum) / mix.totals[2];
}

/// The last place of the knot's stretch that is not beyond `theta`.
WATTFILL_INLINE std::size_t find_place(PathView const& path, std::size_t knot, double theta, std::size_t hint) {
  std::size_t lo = path.first[knot];
  std::size_t hi = knot + 1 < path.draws.knots ? path.first[knot + 1] : lo + 1;
  if (hint >= lo && hint < hi && path.theta[hint] <= theta && (hint + 1 == hi || theta < path.theta[hint + 1])) return hint;
  while (hi - lo > 1) {
    std::size_t const mid = lo + (hi - lo) / 2;
    (path.theta[mid] <= theta ? lo : hi) = mid;
  }
  return lo;
}

/// Speeds of all classes at a place of the path, and the place below it.
WATTFILL_INLINE std::size_t speeds_at(PathView const& path, FillPosition const& at, std::size_t hint, std::size_t stride, double* speeds) {
  std::size_t const place = find_place(path, at.knot, at.theta, hint);
  double const* lower = path.speeds + place * stride;
  bool const end = at.knot + 1 == path.draws.knots;
  bool const next_knot = !end && place + 1 == path.first[at.knot + 1];
  double const from = path.theta[place], to = next_knot || end ? 1 : path.theta[place + 1];
  interpolate(lower, end ? lower : lower + stride, (at.theta - from) / (to - from), stride, speeds);
  return place;
}

WATTFILL_INLINE void score_path(MixView& mix, PathView const& path, double const* targets_w, std::size_t target_count, TrueSpeed const& true_speed,
                                KernelScratch& scratch, KernelScratch::Hint* hints, double uncapped_w, bool is_reference, double* scores) {
  double const floors_w = path.draws.power(mix.gpus, 0);
  for (std::size_t t = 0; t < target_count; ++t) {
    double* reference = scratch.reference + t * mix.stride;
    double* speeds = is_reference ? reference : scratch.speeds;
    auto const at = path.draws.locate(mix.gpus, targets_w[t], hints[t].knot);
    std::size_t const place = speeds_at(path, at, hints[t].place, mix.stride, speeds);
    hints[t] = {at.knot, place};
    if (scores == nullptr) continue;
    double* out = scores + t * score::count;
    double const guess = guess_p5(mix, path.by_speed + place * mix.classes, speeds);
    if (path.mover == nullptr || !(at.theta > 0)) {
      write_scores(mix, speeds, reference, guess, out);
      if (path.mover != nullptr) out[score::hull_gap] = 0;
    } else {
      double const bound = objective_of(mix, speeds);
      std::size_t const cls = path.mover[at.knot], cell = at.knot * mix.stride + cls;
      double const* lower = path.speeds + path.first[at.knot] * mix.stride;
      auto const split = split_class(mix.jobs[cls], at.theta, path.draws.rows[cell], path.draws.rows[cell + mix.stride]);
      double const middle = split.has_middle ? true_speed.of(true_speed.curves, cls, split.middle_w) : 0;
      speeds[cls] = lower[cls];
      SplitEntries const entries(mix, scratch, reference, cls, split, lower[mix.stride + cls], middle);
      write_scores(mix, speeds, reference, guess, out);
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

WATTFILL_CLONES void score_replication(MixView& mix, PathView const* paths, std::size_t path_count, double const* targets_w, std::size_t target_count,
                                       TrueSpeed const& true_speed, KernelScratch& scratch, double* scores) {
  double const uncapped_w = paths[0].draws.power(mix.gpus, paths[0].draws.knots - 1);
  for (std::size_t p = 0; p < path_count; ++p)
    score_path(mix, paths[p], targets_w, target_count, true_speed, scratch, scratch.hints + p * target_count, uncapped_w, p == 0,
               paths[p].slot == no_slot ? nullptr : scores + paths[p].slot * target_count * score::count);
}

}  // namespace wattfill
