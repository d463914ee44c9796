#include "sim/snapshot_kernel.hpp"

#include <cmath>
#include <limits>

#include "wattfill/core/hostdevice.hpp"

namespace wattfill {
namespace {

constexpr double slack = 1e-9;  // of full speed: below it two speeds count as equal

/// The speeds of all classes on the straight line from `lower` to `upper`.
struct SpeedLine {
  double const* lower;
  double const* upper;
  double theta;

  WATTFILL_INLINE double at(std::size_t c) const {
    double const v = lower[c] + theta * (upper[c] - lower[c]);
    return v < upper[c] ? v : upper[c];
  }
  WATTFILL_INLINE Lanes lanes(std::size_t c, Lanes const& t) const {
    Lanes const lo = load_lanes(lower + c), hi = load_lanes(upper + c);
    return min_each(lo + t * (hi - lo), hi);
  }
};

/// The smallest speed such that at least `wanted` jobs have no more, searched from a guess that did not hold.
double slowest_with(double const* jobs, double const* speeds, std::size_t stride, double wanted, double guess) {
  for (;;) {
    double below = 0, upto = 0;
    double slower = -std::numeric_limits<double>::infinity(), faster = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < stride; ++c) {
      if (!(jobs[c] > 0)) continue;
      double const v = speeds[c];
      if (v < guess) below += jobs[c];
      if (v <= guess) upto += jobs[c];
      if (v < guess && v > slower) slower = v;
      if (v > guess && v < faster) faster = v;
    }
    if (below < wanted && upto >= wanted) return guess;
    guess = upto < wanted ? faster : slower;
  }
}

/// One pass over the classes: their speeds, left in `speeds`, and all scores that follow from them.
WATTFILL_INLINE void write_scores(ClassView const& classes, MixView const& mix, SpeedLine const& line, double p5_guess, double const* reference, double* speeds,
                                  double* out) {
  Lanes const zero{}, two = all_lanes(2), eps = all_lanes(slack), guess = all_lanes(p5_guess), theta = all_lanes(line.theta);
  Lanes speed_jobs, speed_gpus, speed_value, speed_total, squares, worse, under, below, upto, slowest = two;
  for (std::size_t c = 0; c < classes.stride; c += lane_count) {
    Lanes const v = line.lanes(c, theta), n = load_lanes(mix.jobs + c);
    store_lanes(speeds + c, v);
    Lanes const nv = n * v;
    speed_jobs += nv;
    squares += nv * v;
    speed_gpus += nv * load_lanes(classes.gpus + c);
    speed_value += nv * load_lanes(classes.value + c);
    speed_total += nv * load_lanes(classes.full_speed + c);
    worse += select(v < load_lanes(reference + c) - eps, n, zero);
    under += select(v < load_lanes(classes.min_speed + c) - eps, n, zero);
    below += select(v < guess, n, zero);
    upto += select(v <= guess, n, zero);
    slowest = min_each(select(zero < n, v, two), slowest);
  }
  double sum[lane_count], mean[lane_count];
  Lanes const sums{sum_four(speed_jobs, speed_gpus, speed_value, worse), sum_four(under, speed_total, squares, below)};
  store_lanes(sum, sums);
  store_lanes(mean, sums / load_lanes(mix.totals));
  double const nan = std::numeric_limits<double>::quiet_NaN();
  bool const guessed = sum[7] < mix.p5_jobs && sum_lanes(upto) >= mix.p5_jobs;
  out[score::speed] = classes.speeds_add_up ? sum[5] : nan;
  out[score::speed_per_job] = classes.speeds_add_up ? mean[5] : nan;
  out[score::speed_normalized] = mean[0];
  out[score::speed_gpu] = mean[1];
  out[score::speed_p5] = guessed ? p5_guess : slowest_with(mix.jobs, speeds, classes.stride, mix.p5_jobs, p5_guess);
  out[score::speed_min] = min_lanes(slowest);
  out[score::objective] = mean[2];
  out[score::hull_gap] = nan;
  out[score::share_worse] = mean[3];
  out[score::share_below_min] = mean[4];
  out[score::jain_index] = sum[6] > 0 ? sum[0] * mean[0] / sum[6] : nan;
}

/// Where the 5th percentile lies if the order of the classes is that at the place below; mostly right.
WATTFILL_INLINE double guess_p5(ClassView const& classes, MixView const& mix, std::uint32_t const* by_speed, SpeedLine const& line) {
  double jobs = 0;
  std::size_t i = 0;
  for (; i + 1 < classes.classes; ++i) {
    jobs += mix.jobs[by_speed[i]];
    if (jobs >= mix.p5_jobs) break;
  }
  return line.at(by_speed[i]);
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

/// The straight line of speeds that a position lies on; `place` is its lower end.
WATTFILL_INLINE SpeedLine speed_line(PathView const& path, FillPosition const& at, std::size_t place, std::size_t stride) {
  double const* lower = path.speeds + place * stride;
  if (at.knot + 1 == path.draws.knots) return {lower, lower, 0};
  double const from = path.theta[place], to = place + 1 == path.first[at.knot + 1] ? 1 : path.theta[place + 1];
  return {lower, lower + stride, (at.theta - from) / (to - from)};
}

WATTFILL_INLINE double objective_bound(ClassView const& classes, MixView const& mix, SpeedLine const& line) {
  Lanes const theta = all_lanes(line.theta);
  Lanes sum{};
  for (std::size_t c = 0; c < classes.stride; c += lane_count) sum += load_lanes(mix.jobs + c) * line.lanes(c, theta) * load_lanes(classes.value + c);
  return sum_lanes(sum) / mix.totals[2];
}

/// Scores of a path whose moving class is split between the knots: its jobs stand in three entries, the lower draw's in place, the upper draw's and the middle
/// job's behind the classes.
WATTFILL_INLINE void write_split_scores(ClassView const& classes, MixView& mix, PathView const& path, FillPosition const& at, SpeedLine const& line, double guess,
                                        TrueSpeed const& true_speed, double* reference, double* speeds, double* out) {
  std::size_t const cls = path.mover[at.knot], up = classes.classes, middle = up + 1;
  double const* draw = path.draws.rows + at.knot * classes.stride + cls;
  double const jobs = mix.jobs[cls];
  auto const split = split_class(jobs, at.theta, draw[0], draw[classes.stride]);
  for (std::size_t c = 0; c < classes.stride; c += lane_count) store_lanes(speeds + c, load_lanes(line.lower + c));
  mix.jobs[cls] = jobs - split.up - (split.has_middle ? 1 : 0);
  mix.jobs[up] = split.up;
  mix.jobs[middle] = split.has_middle ? 1 : 0;
  speeds[up] = line.upper[cls];
  speeds[middle] = split.has_middle ? true_speed.of(true_speed.curves, cls, split.middle_w) : 0;
  for (double* of_class : {classes.gpus, classes.full_speed, classes.value, classes.min_speed, reference}) of_class[up] = of_class[middle] = of_class[cls];
  write_scores(classes, mix, {speeds, speeds, 0}, guess, reference, speeds, out);
  mix.jobs[cls] = jobs;
  mix.jobs[up] = mix.jobs[middle] = 0;
  double const gap = objective_bound(classes, mix, line) - out[score::objective];
  out[score::hull_gap] = gap > 0 ? gap : 0;
}

/// One path at one target in one replication.
WATTFILL_INLINE void score_path(ClassView const& classes, MixView& mix, PathView const& path, std::size_t target, TrueSpeed const& true_speed, double* speeds,
                                KernelScratch::Hint& hint, bool is_reference, double* out) {
  double* reference = mix.reference + target * classes.stride;
  auto const at = path.draws.locate(mix.gpus, mix.targets_w[target], hint.knot);
  hint = {at.knot, find_place(path, at.knot, at.theta, hint.place)};
  auto const line = speed_line(path, at, hint.place, classes.stride);
  if (is_reference) {
    Lanes const theta = all_lanes(line.theta);
    for (std::size_t c = 0; c < classes.stride; c += lane_count) store_lanes(reference + c, line.lanes(c, theta));
  }
  if (out == nullptr) return;
  double const guess = guess_p5(classes, mix, path.by_speed + hint.place * classes.classes, line);
  if (path.mover == nullptr) {
    write_scores(classes, mix, line, guess, reference, speeds, out);
  } else if (at.theta > 0) {
    write_split_scores(classes, mix, path, at, line, guess, true_speed, reference, speeds, out);
  } else {
    write_scores(classes, mix, line, guess, reference, speeds, out);
    out[score::hull_gap] = 0;
  }
  out[score::target_w] = mix.targets_w[target];
  out[score::power_w] = at.power_w;
  out[score::shortfall_w] = at.shortfall_w;
  out[score::headroom_w] = mix.headroom_w;
}

}  // namespace

Split split_class(double jobs, double theta, double lower_w, double upper_w) {
  double const level = theta * jobs;
  double const up = std::floor(level);
  double const part = level - up;
  return {up, part > 0, lower_w + part * (upper_w - lower_w)};
}

WATTFILL_CLONES void score_replications(ClassView const& classes, MixView* mixes, std::size_t count, PathView const* paths, std::size_t path_count,
                                        std::size_t target_count, TrueSpeed const& true_speed, KernelScratch const& scratch, std::size_t slots, double* scores) {
  for (std::size_t p = 0; p < path_count; ++p) {
    PathView const& path = paths[p];
    for (std::size_t t = 0; t < target_count; ++t) {
      for (std::size_t r = 0; r < count; ++r) {
        double* out = path.slot == no_slot ? nullptr : scores + ((r * slots + path.slot) * target_count + t) * score::count;
        score_path(classes, mixes[r], path, t, true_speed, scratch.speeds, scratch.hints[p * target_count + t], p == 0, out);
      }
    }
  }
}

}  // namespace wattfill
