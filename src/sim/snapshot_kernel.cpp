#include "sim/snapshot_kernel.hpp"

#include <cmath>
#include <limits>

#include "wattfill/core/hostdevice.hpp"

namespace wattfill {
namespace {

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

/// The slowest jobs, as many as make up `wanted`: the last of them runs at the smallest speed that at least `wanted` jobs do not exceed.
class Slowest {
 public:
  WATTFILL_INLINE Slowest(double* memory, std::size_t capacity, double wanted) : speeds_(memory), jobs_(memory + capacity), wanted_(wanted) {}

  /// The speed looked for if no more jobs came.
  WATTFILL_INLINE double speed() const { return held_ >= wanted_ ? speeds_[count_ - 1] : std::numeric_limits<double>::infinity(); }

  WATTFILL_INLINE void add(double speed, double jobs) {
    std::size_t at = count_++;
    for (; at > 0 && speeds_[at - 1] > speed; --at) {
      speeds_[at] = speeds_[at - 1];
      jobs_[at] = jobs_[at - 1];
    }
    speeds_[at] = speed;
    jobs_[at] = jobs;
    held_ += jobs;
    while (held_ - jobs_[count_ - 1] >= wanted_) held_ -= jobs_[--count_];
  }

 private:
  double* speeds_;
  double* jobs_;
  std::size_t count_ = 0;
  double wanted_, held_ = 0;
};

/// Adds the classes from slow to fast at the line's lower end until all others are faster there already: speeds only rise along a path.
WATTFILL_INLINE double fifth_percentile(ClassView const& classes, MixView const& mix, std::uint32_t const* by_speed, SpeedLine const& line, Slowest slowest) {
  double found = slowest.speed();
  for (std::size_t i = 0; i < classes.classes; ++i) {
    std::size_t const c = by_speed[i];
    if (line.lower[c] >= found) break;
    if (!(mix.jobs[c] > 0)) continue;
    slowest.add(line.at(c), mix.jobs[c]);
    found = slowest.speed();
  }
  return found;
}

/// The fifth percentile if the order of the classes were that at the line's lower end, and the jobs that run at it: mostly right, and cheap to check.
struct Guess {
  double speed, jobs;
};
WATTFILL_INLINE Guess guess_percentile(ClassView const& classes, MixView const& mix, std::uint32_t const* by_speed, SpeedLine const& line) {
  double jobs = 0;
  std::size_t i = 0;
  for (; i + 1 < classes.classes; ++i) {
    jobs += mix.jobs[by_speed[i]];
    if (jobs >= mix.p5_jobs) break;
  }
  return {line.at(by_speed[i]), mix.jobs[by_speed[i]]};
}

/// One pass over the classes: their speeds, and all scores that follow from them but the fifth percentile. Returns whether the
/// guess is surely that.
template <bool any_minimum>
WATTFILL_INLINE bool write_scores(ClassView const& classes, MixView const& mix, SpeedLine const& line, double const* reference, Guess const& percentile,
                                  double* out) {
  Lanes const zero{}, two = all_lanes(2), theta = all_lanes(line.theta), guess = all_lanes(percentile.speed);
  Lanes speed_jobs{}, speed_gpus{}, speed_value{}, speed_total{}, squares{}, worse{}, under{}, below{}, slowest = two;
  for (std::size_t c = 0; c < classes.stride; c += lane_count) {
    Lanes const v = line.lanes(c, theta), n = load_lanes(mix.jobs + c);
    Lanes const nv = n * v;
    speed_jobs += nv;
    squares += nv * v;
    speed_gpus += nv * load_lanes(classes.gpus + c);
    speed_value += nv * load_lanes(classes.value + c);
    speed_total += nv * load_lanes(classes.full_speed + c);
    worse += select(v < load_lanes(reference + c), n, zero);
    if constexpr (any_minimum) under += select(v < load_lanes(classes.min_speed + c), n, zero);
    below += select(v < guess, n, zero);
    slowest = min_each(select(zero < n, v, two), slowest);
  }
  double sum[8], mean[8];
  Lanes const sums = sum_four(speed_jobs, speed_gpus, speed_value, worse), more = sum_four(under, speed_total, squares, below);
  store_lanes(sum, sums);
  store_lanes(sum + 4, more);
  store_lanes(mean, sums / load_lanes(mix.totals));
  store_lanes(mean + 4, more / load_lanes(mix.totals + 4));
  double const nan = std::numeric_limits<double>::quiet_NaN();
  out[score::speed] = classes.speeds_add_up ? sum[5] : nan;
  out[score::speed_per_job] = classes.speeds_add_up ? mean[5] : nan;
  out[score::speed_normalized] = mean[0];
  out[score::speed_gpu] = mean[1];
  out[score::speed_min] = min_lanes(slowest);
  out[score::objective] = mean[2];
  out[score::hull_gap] = nan;
  out[score::share_worse] = mean[3];
  out[score::share_below_min] = mean[4];
  out[score::jain_index] = sum[6] > 0 ? sum[0] * mean[0] / sum[6] : nan;
  out[score::speed_p5] = percentile.speed;
  return sum[7] < mix.p5_jobs && sum[7] + percentile.jobs >= mix.p5_jobs;
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

/// Scores of a path whose moving class is split between the knots: its jobs stand in three entries, the lower draw's in place, the upper draw's and the middle
/// job's behind the classes.
template <bool any_minimum>
WATTFILL_INLINE void write_split_scores(ClassView const& classes, MixView& mix, PathView const& path, FillPosition const& at, SpeedLine const& line,
                                        std::uint32_t const* by_speed, double* reference, KernelScratch const& scratch, double* out) {
  auto const& move = path.moves[at.knot];
  std::size_t const cls = move.cls, up = classes.classes, middle = up + 1;
  double const* draw = path.draws.rows + at.knot * classes.stride + cls;
  double const jobs = mix.jobs[cls], slow = line.lower[cls], fast = line.upper[cls];
  auto const split = split_class(jobs, at.theta, draw[0], draw[classes.stride]);
  double const bound = slow + split.part * (fast - slow);
  double const between = move.curve.n == 2 ? bound : move.curve.speed(split.middle_w) / move.full_speed;
  bool const has_middle = split.part > 0;
  double* speeds = scratch.speeds;
  for (std::size_t c = 0; c < classes.stride; c += lane_count) store_lanes(speeds + c, load_lanes(line.lower + c));
  mix.jobs[cls] = jobs - split.up - (has_middle ? 1 : 0);
  mix.jobs[up] = split.up;
  mix.jobs[middle] = has_middle ? 1 : 0;
  speeds[up] = fast;
  speeds[middle] = between;
  for (double* of_class : {classes.gpus, classes.full_speed, classes.value, classes.min_speed, reference}) of_class[up] = of_class[middle] = of_class[cls];
  SpeedLine const standing{speeds, speeds, 0};
  if (!write_scores<any_minimum>(classes, mix, standing, reference, guess_percentile(classes, mix, by_speed, standing), out)) {
    Slowest slowest(scratch.slow, classes.stride, mix.p5_jobs);
    for (std::size_t entry : {middle, up})
      if (mix.jobs[entry] > 0) slowest.add(speeds[entry], mix.jobs[entry]);
    out[score::speed_p5] = fifth_percentile(classes, mix, by_speed, standing, slowest);
  }
  out[score::hull_gap] = has_middle && bound > between ? (bound - between) * classes.value[cls] / mix.totals[2] : 0;
  mix.jobs[cls] = jobs;
  mix.jobs[up] = mix.jobs[middle] = 0;
}

/// One path at one target in one replication.
template <bool any_minimum>
WATTFILL_INLINE void score_path(ClassView const& classes, MixView& mix, PathView const& path, std::size_t target, KernelScratch const& scratch,
                                KernelScratch::Hint& hint, bool is_reference, double* out) {
  double* reference = mix.reference;
  auto const at = path.draws.locate(mix.gpus, mix.targets_w[path.first_target + target], hint.knot);
  hint = {at.knot, find_place(path, at.knot, at.theta, hint.place)};
  auto const line = speed_line(path, at, hint.place, classes.stride);
  if (is_reference) {
    Lanes const theta = all_lanes(line.theta), eps = all_lanes(speed_slack);
    for (std::size_t c = 0; c < classes.stride; c += lane_count) store_lanes(reference + c, line.lanes(c, theta) - eps);
  }
  if (out == nullptr) return;
  auto const* by_speed = path.by_speed + hint.place * classes.classes;
  if (path.moves != nullptr && at.theta > 0) {
    write_split_scores<any_minimum>(classes, mix, path, at, line, by_speed, reference, scratch, out);
  } else {
    if (!write_scores<any_minimum>(classes, mix, line, reference, guess_percentile(classes, mix, by_speed, line), out))
      out[score::speed_p5] = fifth_percentile(classes, mix, by_speed, line, {scratch.slow, classes.stride, mix.p5_jobs});
    if (path.moves != nullptr) out[score::hull_gap] = 0;
  }
  out[score::target_w] = mix.targets_w[path.first_target + target];
  out[score::power_w] = at.power_w;
  out[score::shortfall_w] = at.shortfall_w;
  out[score::headroom_w] = mix.headroom_w;
}

template <bool any_minimum>
WATTFILL_INLINE void score_all(ClassView const& classes, MixView* mixes, std::size_t count, PathView const* paths, std::size_t path_count,
                               std::size_t target_count, KernelScratch const& scratch, std::size_t slots, double* scores) {
  for (std::size_t t = 0; t < target_count; ++t)
    for (std::size_t p = 0; p < path_count; ++p)
      for (std::size_t r = 0; r < count; ++r) {
        double* out = paths[p].slot == no_slot ? nullptr : scores + ((r * slots + paths[p].slot) * target_count + t) * score::count;
        score_path<any_minimum>(classes, mixes[r], paths[p], t, scratch, scratch.hints[p * target_count + t], p == 0, out);
      }
}

}  // namespace

Split split_class(double jobs, double theta, double lower_w, double upper_w) {
  double const level = theta * jobs;
  double const up = std::floor(level);
  double const part = level - up;
  return {up, part, lower_w + part * (upper_w - lower_w)};
}

WATTFILL_CLONES void score_replications(ClassView const& classes, MixView* mixes, std::size_t count, PathView const* paths, std::size_t path_count,
                                        std::size_t target_count, KernelScratch const& scratch, std::size_t slots, double* scores) {
  if (classes.any_minimum)
    score_all<true>(classes, mixes, count, paths, path_count, target_count, scratch, slots, scores);
  else
    score_all<false>(classes, mixes, count, paths, path_count, target_count, scratch, slots, scores);
}

}  // namespace wattfill
