#include "sim/snapshot_kernel.hpp"

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
  template <class L>
  WATTFILL_INLINE L lanes(std::size_t c, L const& t) const {
    L const lo = load<L>(lower + c), hi = load<L>(upper + c);
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
  std::size_t cls;
  double speed, jobs;
};
WATTFILL_INLINE Guess guess_percentile(ClassView const& classes, MixView const& mix, std::uint32_t const* by_speed, SpeedLine const& line) {
  constexpr std::size_t few = 4;  // enough for most mixes; counted without a branch that depends on the mix
  std::uint64_t jobs = 0;
  std::size_t i = 0;
  if (classes.classes > few)
    for (std::size_t k = 0; k < few; ++k) {
      jobs += mix.counts[by_speed[k]];
      i += jobs < mix.p5_count ? 1 : 0;
    }
  if (i == few || classes.classes <= few)
    for (; i + 1 < classes.classes; ++i) {
      jobs += mix.counts[by_speed[i]];
      if (jobs >= mix.p5_count) break;
    }
  std::size_t const c = by_speed[i];
  return {c, line.at(c), mix.jobs[c]};
}

/// How the class that a split path moves stands between two knots: `rest` jobs at the slow end, `middle` (one or none) between, `up` at the fast end.
struct MovingClass {
  std::size_t cls;
  double rest, middle, up;
  double slow, between, fast;
  double gap;  ///< how far the middle job's speed is below the straight line

  /// Where the slowest of its jobs run, and how many they are.
  WATTFILL_INLINE double base() const { return rest > 0 ? slow : middle > 0 ? between : fast; }
  WATTFILL_INLINE double base_jobs() const { return rest > 0 ? rest : middle > 0 ? middle : up; }
};

/// What all scores follow from: sums over the jobs of the speed v, of v by the jobs' GPUs, value and full speed, and of v^2; jobs slower than under the
/// reference, under their minimum, and below the guessed percentile; the slowest.
struct Sums {
  Quad first;   ///< v, G v, V v, jobs that are worse off
  Quad second;  ///< jobs under their minimum, T v, v^2, jobs below the guess
  double slowest;
};

/// One pass over the classes. With `split` the moving class is first taken to stand at its base as a whole.
template <class L, bool any_minimum, bool split>
WATTFILL_INLINE Sums sums_of(ClassView const& classes, MixView const& mix, SpeedLine const& line, double const* reference, double guessed,
                             MovingClass const& moving) {
  L const zero = all<L>(0), two = all<L>(2), theta = all<L>(line.theta), guess = all<L>(guessed);
  L speed_jobs = zero, speed_gpus = zero, speed_value = zero, speed_total = zero, squares = zero, worse = zero, under = zero, below = zero, slowest = two;
  for (std::size_t c = 0; c < classes.stride; c += lane_count) {
    L v = line.lanes(c, theta);
    if constexpr (split) v = select(load<L>(classes.index + c) == all<L>(static_cast<double>(moving.cls)), all<L>(moving.base()), v);
    L const n = load<L>(mix.jobs + c), nv = n * v;
    speed_jobs += nv;
    squares += nv * v;
    speed_gpus += nv * load<L>(classes.gpus + c);
    speed_value += nv * load<L>(classes.value + c);
    speed_total += nv * load<L>(classes.full_speed + c);
    worse += select(v < load<L>(reference + c), n, zero);
    if constexpr (any_minimum) under += select(v < load<L>(classes.min_speed + c), n, zero);
    below += select(v < guess, n, zero);
    slowest = min_each(select(zero < n, v, two), slowest);
  }
  Sums sums{sum_four(halved(speed_jobs), halved(speed_gpus), halved(speed_value), halved(worse)),
            sum_four(halved(under), halved(speed_total), halved(squares), halved(below)), min_lanes(slowest)};
  if constexpr (split) {
    std::size_t const c = moving.cls;
    double const base = moving.base(), more = moving.up * (moving.fast - base) + moving.middle * (moving.between - base);
    auto const crossed = [&](double limit) {  // jobs below the limit, less those that the base put there
      double const at_base = base < limit ? 1 : 0;
      return moving.up * ((moving.fast < limit ? 1 : 0) - at_base) + moving.middle * ((moving.between < limit ? 1 : 0) - at_base);
    };
    sums.first += Quad{more, more * classes.gpus[c], more * classes.value[c], crossed(reference[c])};
    sums.second +=
        Quad{any_minimum ? crossed(classes.min_speed[c]) : 0, more * classes.full_speed[c],
             moving.up * (moving.fast * moving.fast - base * base) + moving.middle * (moving.between * moving.between - base * base), crossed(guessed)};
  }
  return sums;
}

/// Knots to start the searches of two replications from. A path of many knots is sketched in single precision, all knots of two neighbouring blocks at once:
/// that needs no branch that depends on the mix, and a wrong guess costs time alone.
template <class L>
WATTFILL_INLINE void guess_knots(PathView const& path, std::size_t classes, MixView const& left, MixView const& right, std::size_t target, std::size_t hint,
                                 std::size_t& left_knot, std::size_t& right_knot) {
  using F = typename SinglesOf<L>::type;
  std::size_t const blocks = (path.draws.knots + sketch_block - 1) / sketch_block, own = hint / sketch_block;
  std::size_t const from = own > 0 && (hint % sketch_block < sketch_block / 2 || own + 1 == blocks) ? own - 1 : own;
  float const* lower = path.sketch + from * classes * sketch_block;
  float const* upper = lower + classes * sketch_block;
  F const one = all<F>(1.0F), zero = all<F>(0.0F);
  F left_low = zero, left_high = zero, right_low = zero, right_high = zero;
  for (std::size_t c = 0; c < classes; ++c) {
    F low, high;
    load_singles(lower + c * sketch_block, low);
    load_singles(upper + c * sketch_block, high);
    F const l = all<F>(left.gpus_single[c]), r = all<F>(right.gpus_single[c]);
    left_low += l * low;
    left_high += l * high;
    right_low += r * low;
    right_high += r * high;
  }
  auto const knot = [&](F const& low, F const& high, double budget_w) {
    F const budget = all<F>(static_cast<float>(budget_w));
    auto const below = static_cast<std::size_t>(sum_singles(select(low < budget, one, zero) + select(high < budget, one, zero)));
    std::size_t const k = from * sketch_block + (below > 0 ? below - 1 : 0);
    return k < path.draws.knots ? k : path.draws.knots - 1;
  };
  left_knot = knot(left_low, left_high, left.targets_w[path.first_target + target]);
  right_knot = knot(right_low, right_high, right.targets_w[path.first_target + target]);
}

/// Where one replication stands on a path, on its way through the stages of score_path.
struct Standing {
  FillPosition at;
  std::size_t place;
  SpeedLine line;
  Guess guess;
  MovingClass moving;
  Sums sums;
};

/// The last place of the knot's stretch that is not beyond `theta`, counted rather than searched: a search would guess wrong at every step.
template <class L>
WATTFILL_INLINE std::size_t find_place(PathView const& path, std::size_t knot, double theta) {
  L const zero = all<L>(0), one = all<L>(1), t = all<L>(theta);
  L passed = zero;
  for (std::size_t i = path.lanes_first[knot]; i < path.lanes_first[knot + 1]; i += lane_count) passed += select(load<L>(path.theta_lanes + i) <= t, one, zero);
  return path.first[knot] + static_cast<std::size_t>(sum_lanes(passed)) - 1;
}

/// The straight line of speeds that a position lies on; `place` is its lower end.
WATTFILL_INLINE SpeedLine speed_line(PathView const& path, FillPosition const& at, std::size_t place, std::size_t stride) {
  double const* lower = path.speeds + place * stride;
  if (at.knot + 1 == path.draws.knots) return {lower, lower, 0};
  double const from = path.theta[place], to = place + 1 == path.first[at.knot + 1] ? 1 : path.theta[place + 1];
  return {lower, lower + stride, (at.theta - from) / (to - from)};
}

WATTFILL_INLINE MovingClass moving_class(ClassView const& classes, MixView const& mix, PathView const& path, FillPosition const& at, SpeedLine const& line) {
  auto const& move = path.moves[at.knot];
  std::size_t const cls = move.cls;
  double const* draw = path.draws.rows + at.knot * classes.stride + cls;
  double const slow = line.lower[cls], fast = line.upper[cls];
  double const upper = at.knot + 1 < path.draws.knots ? draw[classes.stride] : draw[0];  // nothing moves beyond the last knot
  auto const split = split_class(mix.jobs[cls], at.theta, draw[0], upper);
  double const bound = slow + split.part * (fast - slow), middle = split.part > 0 ? 1 : 0;
  double const between = move.curve.n == 2 ? bound : move.curve.speed(split.middle_w) / move.full_speed;
  return {cls, mix.jobs[cls] - split.up - middle, middle, split.up, slow, between, fast, middle > 0 && bound > between ? bound - between : 0};
}

/// Writes all scores but the fifth percentile, which is taken to be the guess; returns whether it surely is.
WATTFILL_INLINE bool write_scores(ClassView const& classes, MixView const& mix, Standing const& standing, double target_w, double* out) {
  auto const& sums = standing.sums;
  double sum[8], mean[8];
  store(sum, sums.first);
  store(sum + 4, sums.second);
  store(mean, sums.first / load<Quad>(mix.totals));
  store(mean + 4, sums.second / load<Quad>(mix.totals + 4));
  double const nan = std::numeric_limits<double>::quiet_NaN();
  out[score::target_w] = target_w;
  out[score::power_w] = standing.at.power_w;
  out[score::shortfall_w] = standing.at.shortfall_w;
  out[score::speed] = classes.speeds_add_up ? sum[5] : nan;
  out[score::speed_per_job] = classes.speeds_add_up ? mean[5] : nan;
  out[score::speed_normalized] = mean[0];
  out[score::speed_gpu] = mean[1];
  out[score::speed_p5] = standing.guess.speed;
  out[score::speed_min] = sums.slowest;
  out[score::objective] = mean[2];
  out[score::share_worse] = mean[3];
  out[score::share_below_min] = mean[4];
  out[score::jain_index] = sum[6] > 0 ? sum[0] * mean[0] / sum[6] : nan;
  out[score::headroom_w] = mix.headroom_w;
  out[score::rank_errors] = 0;
  return sum[7] < mix.p5_jobs && sum[7] + standing.guess.jobs >= mix.p5_jobs;
}

/// One path at one target in all replications of the batch, stage by stage: a replication's stages wait for each other, its neighbours' do not.
template <class L, bool any_minimum, bool split>
WATTFILL_INLINE void score_path(KernelWork const& work, PathView const& path, std::size_t target, std::size_t& hint, bool is_reference) {
  auto const& classes = *work.classes;
  std::size_t const count = work.count;
  Standing standing[kernel_batch];
  std::size_t knots[kernel_batch];
  for (auto& knot : knots) knot = hint;
  if (path.sketch != nullptr)
    for (std::size_t r = 0; r < count; r += 2) {
      std::size_t const next = r + 1 < count ? r + 1 : r;
      guess_knots<L>(path, classes.classes, work.mixes[r], work.mixes[next], target, hint, knots[r], knots[next]);
    }
  for (std::size_t r = 0; r < count; ++r)
    standing[r].at = path.draws.template locate<L>(work.mixes[r].gpus, work.mixes[r].targets_w[path.first_target + target], knots[r]);
  hint = standing[count - 1].at.knot;
  for (std::size_t r = 0; r < count; ++r) {
    auto& s = standing[r];
    s.place = split ? path.first[s.at.knot] : find_place<L>(path, s.at.knot, s.at.theta);
    s.line = speed_line(path, s.at, s.place, classes.stride);
  }
  if (is_reference)
    for (std::size_t r = 0; r < count; ++r) {
      L const theta = all<L>(standing[r].line.theta), eps = all<L>(speed_slack);
      for (std::size_t c = 0; c < classes.stride; c += lane_count) store(work.mixes[r].reference + c, standing[r].line.lanes(c, theta) - eps);
    }
  if (path.slot == no_slot) return;
  for (std::size_t r = 0; r < count; ++r) {
    auto& s = standing[r];
    auto const& mix = work.mixes[r];
    if constexpr (split) {
      s.moving = moving_class(classes, mix, path, s.at, s.line);
      s.line = {s.line.lower, s.line.lower, 0};
    }
    s.guess = guess_percentile(classes, mix, path.by_speed + s.place * classes.classes, s.line);
    if constexpr (split)
      if (s.guess.cls == s.moving.cls) s.guess = {s.moving.cls, s.moving.base(), s.moving.base_jobs()};
  }
  for (std::size_t r = 0; r < count; ++r) {
    auto& s = standing[r];
    s.sums = sums_of<L, any_minimum, split>(classes, work.mixes[r], s.line, work.mixes[r].reference, s.guess.speed, s.moving);
  }
  for (std::size_t r = 0; r < count; ++r) {
    auto const& s = standing[r];
    auto& mix = work.mixes[r];
    double* out = work.scores + ((r * work.slots + path.slot) * work.target_count + target) * score::count;
    out[score::hull_gap] = split ? s.moving.gap * classes.value[s.moving.cls] / mix.totals[2] : std::numeric_limits<double>::quiet_NaN();
    if (write_scores(classes, mix, s, mix.targets_w[path.first_target + target], out)) continue;
    Slowest slowest(work.scratch.slow, classes.stride + 2, mix.p5_jobs);
    auto const* by_speed = path.by_speed + s.place * classes.classes;
    if constexpr (split) {
      double const jobs = mix.jobs[s.moving.cls];
      if (s.moving.middle > 0) slowest.add(s.moving.between, s.moving.middle);
      if (s.moving.up > 0) slowest.add(s.moving.fast, s.moving.up);
      mix.jobs[s.moving.cls] = s.moving.rest;
      out[score::speed_p5] = fifth_percentile(classes, mix, by_speed, s.line, slowest);
      mix.jobs[s.moving.cls] = jobs;
    } else {
      out[score::speed_p5] = fifth_percentile(classes, mix, by_speed, s.line, slowest);
    }
  }
}

template <class L, bool any_minimum>
WATTFILL_INLINE void score_all(KernelWork const& work) {
  for (std::size_t t = 0; t < work.target_count; ++t)
    for (std::size_t p = 0; p < work.path_count; ++p) {
      auto& hint = work.scratch.hints[p * work.target_count + t];
      if (work.paths[p].moves != nullptr)
        score_path<L, any_minimum, true>(work, work.paths[p], t, hint, p == 0);
      else
        score_path<L, any_minimum, false>(work, work.paths[p], t, hint, p == 0);
    }
}
template <class L>
WATTFILL_INLINE void score_any(KernelWork const& work) {
  if (work.classes->any_minimum)
    score_all<L, true>(work);
  else
    score_all<L, false>(work);
}

// The same code for three kinds of processor; the bits are the same, see lanes.hpp. Sanitizers and other compilers build the plain form.
void score_plain(KernelWork const& work) { score_any<QuadPair>(work); }
#if defined(WATTFILL_WIDE)
WATTFILL_TARGET("avx2") void score_avx2(KernelWork const& work) { score_any<QuadPair>(work); }
WATTFILL_TARGET("avx512f,avx512dq,avx512bw,avx512vl") void score_avx512(KernelWork const& work) { score_any<Octet>(work); }
#endif

}  // namespace

std::vector<KernelForm> kernel_forms() {
  std::vector<KernelForm> forms{{"plain", score_plain}};
#if defined(WATTFILL_WIDE)
  if (__builtin_cpu_supports("avx2")) forms.push_back({"avx2", score_avx2});
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    forms.push_back({"avx512", score_avx512});
#endif
  return forms;
}

}  // namespace wattfill
