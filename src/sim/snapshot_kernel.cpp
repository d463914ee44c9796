#include "sim/snapshot_kernel.hpp"

#include <limits>

#include "sim/standing.hpp"

namespace wattfill {
namespace {

/// How the class that a split path moves stands between two knots: `rest` jobs at the slow end, `middle` (one or none) between, `up` at the fast end.
template <class L>
struct MovingClass {
  L cls, rest, middle, up, slow, between, fast;
  L base, base_jobs;  // where the slowest of its jobs run, and how many run no faster: on a flat stretch of the curve more than were left at the slow end
  L gap;              // how far the middle job's speed is below the straight line
  L gpus, value, full_speed, min_speed, reference;
};

template <class L>
WATTFILL_INLINE void find_moving(KernelWork const& work, KernelMemory const& memory, PathView const& path, std::size_t s, Standing<L> const& standing,
                                 MovingClass<L>& moving) {
  auto const& classes = *work.classes;
  double const* const jobs = memory.jobs + s * memory.block;
  double const* const reference = memory.reference + s * memory.block;
  double cls[side], n[side], lower_w[side], upper_w[side], slow[side], fast[side], gpus[side], value[side], full_speed[side], min_speed[side], refer[side];
  std::size_t bent = 0;
  for (std::size_t r = 0; r < side; ++r) {
    std::size_t const knot = standing.knot[r];
    auto const& move = path.moves[knot];
    std::size_t const c = move.cls;
    double const* const draw = path.draws.rows + knot * classes.stride + c;
    cls[r] = static_cast<double>(c);
    n[r] = jobs[c * side + r];
    lower_w[r] = draw[0];
    upper_w[r] = knot + 1 < path.draws.knots ? draw[classes.stride] : draw[0];  // nothing moves beyond the last knot
    slow[r] = standing.lower[r][c];
    fast[r] = standing.upper[r][c];
    gpus[r] = classes.gpus[c];
    value[r] = classes.value[c];
    full_speed[r] = classes.full_speed[c];
    min_speed[r] = classes.min_speed[c];
    refer[r] = reference[c * side + r];
    bent += move.curve.n == 2 ? 0 : 1;
  }
  L const zero = all<L>(0), one = all<L>(1), all_jobs = load<L>(n), low = load<L>(lower_w);
  L const level = standing.theta * all_jobs;  // as split_class has it
  moving.up = whole_part(level);
  L const part = level - moving.up;
  auto const splits = zero < part;
  moving.cls = load<L>(cls);
  moving.middle = select(splits, one, zero);
  moving.rest = all_jobs - moving.up - moving.middle;
  moving.slow = load<L>(slow);
  moving.fast = load<L>(fast);
  L const bound = moving.slow + part * (moving.fast - moving.slow);
  moving.between = bound;
  if (bent > 0) {
    double middle_w[side], between[side];
    store(middle_w, low + part * (load<L>(upper_w) - low));
    store(between, bound);
    for (std::size_t r = 0; r < side; ++r) {
      auto const& move = path.moves[standing.knot[r]];
      if (move.curve.n != 2) between[r] = move.curve.speed(middle_w[r]) / move.full_speed;
    }
    load_lanes(between, moving.between);
  }
  moving.gap = select(splits, select(moving.between < bound, bound - moving.between, zero), zero);
  moving.base = select(zero < moving.rest, moving.slow, select(splits, moving.between, moving.fast));
  moving.base_jobs = all_jobs - select(moving.base < moving.fast, moving.up, zero) - select(moving.base < moving.between, moving.middle, zero);
  moving.gpus = load<L>(gpus);
  moving.value = load<L>(value);
  moving.full_speed = load<L>(full_speed);
  moving.min_speed = load<L>(min_speed);
  moving.reference = load<L>(refer);
}

/// Sums over the jobs of the speed v, of v by the jobs' GPUs, value and full speed, and of v^2.
template <class L>
struct Sums {
  L speed, gpus, value, total, squares;

  WATTFILL_INLINE Sums operator+(Sums const& other) const {
    return {speed + other.speed, gpus + other.gpus, value + other.value, total + other.total, squares + other.squares};
  }
};

/// What all scores follow from.
template <class L>
struct Results {
  Sums<L> sums;
  L worse, under;  // jobs slower than under the reference, and under their minimum
  L slowest;
};

/// One pass over the classes. With `split` the moving class is first taken to stand at its base as a whole. Leaves in memory.alive the speeds of the classes
/// that have jobs, 2 for others, and with `split` in memory.present how many run at them.
template <class L, bool split>
WATTFILL_INLINE Results<L> sum_up(ClassView const& classes, KernelMemory const& memory, std::size_t s, MovingClass<L> const& moving) {
  double const* const jobs = memory.jobs + s * memory.block;
  double const* const reference = memory.reference + s * memory.block;
  L const zero = all<L>(0), two = all<L>(2);
  Results<L> results;
  L worse = zero, under = zero, slowest = two;
  results.sums = sum_parts([&](std::size_t i) __attribute__((always_inline)) {
    Sums<L> part{zero, zero, zero, zero, zero};
    for (std::size_t c = i; c < classes.classes; c += lane_count) {
      L v = load<L>(memory.speeds + c * side);
      L const n = load<L>(jobs + c * side);
      if constexpr (split) {
        auto const moves = moving.cls == all<L>(classes.index[c]);
        v = select(moves, moving.base, v);
        store(memory.present + c * side, select(moves, moving.base_jobs, n));
      }
      L const nv = n * v;
      part.speed += nv;
      part.squares += nv * v;
      part.gpus += nv * all<L>(classes.gpus[c]);
      if (!classes.value_is_gpus) part.value += nv * all<L>(classes.value[c]);
      part.total += nv * all<L>(classes.full_speed[c]);
      worse = add_where(v < load<L>(reference + c * side), worse, n);
      L const alive = select(zero < n, v, two);
      store(memory.alive + c * side, alive);
      slowest = min_each(alive, slowest);
    }
    return part;
  });
  if (classes.value_is_gpus) results.sums.value = results.sums.gpus;
  if (classes.any_minimum)
    for (std::size_t c = 0; c < classes.classes; ++c)
      under = add_where(load<L>(memory.alive + c * side) < all<L>(classes.min_speed[c]), under, load<L>(jobs + c * side));
  if constexpr (split) {
    auto const& m = moving;
    L const more = m.up * (m.fast - m.base) + m.middle * (m.between - m.base);
    results.sums = results.sums + Sums<L>{more, more * m.gpus, more * m.value, more * m.full_speed,
                                          m.up * (m.fast * m.fast - m.base * m.base) + m.middle * (m.between * m.between - m.base * m.base)};
    auto const crossed = [&](L const& limit) __attribute__((always_inline)) {  // jobs below the limit, less those that the base put there
      L const one = all<L>(1), at_base = select(m.base < limit, one, zero);
      return m.up * (select(m.fast < limit, one, zero) - at_base) + m.middle * (select(m.between < limit, one, zero) - at_base);
    };
    worse += crossed(m.reference);
    if (classes.any_minimum) under += crossed(m.min_speed);
    // Jobs of the moving class that are faster than its base stand behind the others.
    double* const more_alive = memory.alive + classes.classes * side;
    double* const more_present = memory.present + classes.classes * side;
    auto const fast_too = m.base < m.fast, between_too = m.base < m.between;
    L const fast = select(fast_too, m.up, zero), between = select(between_too, m.middle, zero);
    store(more_alive, select(zero < between, m.between, two));
    store(more_present, between);
    store(more_alive + side, select(zero < fast, m.fast, two));
    store(more_present + side, fast);
    store(more_alive + 2 * side, two);
    store(more_present + 2 * side, zero);
  } else {
    store(memory.alive + classes.classes * side, two);
  }
  results.worse = worse;
  results.under = under;
  results.slowest = slowest;
  return results;
}

/// The smallest of the speeds such that at least the wanted number of jobs have no more: from the slowest class on upwards until it is reached on each side.
/// `spare`: how many jobs may be faster. Reads one class more than there are where their number is odd.
template <class L>
WATTFILL_INLINE L fifth_percentile(double const* alive, double const* present, std::size_t count, L const& slowest, L const& spare) {
  L found = slowest;
  for (;;) {
    L faster = all<L>(0), faster_too = faster, next = all<L>(2), next_too = next;
    for (std::size_t c = 0; c < count; c += 2) {  // two sums: neither waits for the other
      L const v = load<L>(alive + c * side), w = load<L>(alive + (c + 1) * side);
      auto const above = found < v, above_too = found < w;
      faster = add_where(above, faster, load<L>(present + c * side));
      next = select(above, min_each(v, next), next);
      faster_too = add_where(above_too, faster_too, load<L>(present + (c + 1) * side));
      next_too = select(above_too, min_each(w, next_too), next_too);
    }
    auto const more = spare < faster + faster_too;
    if (!any(more)) return found;
    found = select(more, min_each(next, next_too), found);
  }
}

template <class L>
WATTFILL_INLINE void write_scores(KernelWork const& work, KernelMemory const& memory, PathView const& path, std::size_t t, std::size_t s,
                                  Standing<L> const& standing, Results<L> const& results, L const& p5, L const& hull_gap) {
  static_assert(score::count == 2 * lane_count);
  L const nan = all<L>(std::numeric_limits<double>::quiet_NaN()), zero = all<L>(0);
  L const jobs = load<L>(memory.head(s, KernelMemory::all_jobs));
  bool const adds_up = work.classes->speeds_add_up;
  L out[2][lane_count];
  auto const put = [&](score::Index index, L const& x) __attribute__((always_inline)) { out[index / lane_count][index % lane_count] = x; };
  auto const& sums = results.sums;
  L const mean = sums.speed / jobs;
  put(score::target_w, standing.target_w);
  put(score::power_w, standing.power_w);
  put(score::shortfall_w, standing.shortfall_w);
  put(score::speed, adds_up ? sums.total : nan);
  put(score::speed_per_job, adds_up ? sums.total / jobs : nan);
  put(score::speed_normalized, mean);
  put(score::speed_gpu, sums.gpus / load<L>(memory.head(s, KernelMemory::all_gpus)));
  put(score::speed_p5, p5);
  put(score::speed_min, results.slowest);
  put(score::objective, sums.value / load<L>(memory.head(s, KernelMemory::all_value)));
  put(score::hull_gap, hull_gap);
  put(score::share_worse, results.worse / jobs);
  put(score::share_below_min, results.under / jobs);
  put(score::jain_index, select(zero < sums.squares, sums.speed * mean / sums.squares, nan));
  put(score::headroom_w, load<L>(memory.head(s, KernelMemory::headroom_w)));
  put(score::rank_errors, zero);
  transpose(out[0]);
  transpose(out[1]);
  std::size_t const first = s * side, count = work.count - first < side ? work.count - first : side;
  for (std::size_t r = 0; r < count; ++r) {
    double* const to = work.scores + (((first + r) * work.slots + path.slot) * work.target_count + t) * score::count;
    store(to, out[0][r]);
    store(to + lane_count, out[1][r]);
  }
}

/// One path at one target on one side.
template <class L, bool split>
WATTFILL_INLINE void score_side(KernelWork const& work, KernelMemory const& memory, std::size_t p, std::size_t t, std::size_t s) {
  auto const& classes = *work.classes;
  auto const& path = work.paths[p];
  Standing<L> standing;
  locate(work, memory, p, t, s, standing);
  find_line<L, split>(path, classes.stride, standing);
  find_speeds<L, split>(classes, memory, standing);
  if (p == 0)
    for (std::size_t c = 0; c < classes.classes; ++c)
      store(memory.reference + s * memory.block + c * side, load<L>(memory.speeds + c * side) - all<L>(speed_slack));
  if (path.slot == no_slot) return;
  MovingClass<L> moving;
  if constexpr (split) find_moving(work, memory, path, s, standing, moving);
  auto const results = sum_up<L, split>(classes, memory, s, moving);
  L const spare = load<L>(memory.head(s, KernelMemory::all_jobs)) - load<L>(memory.head(s, KernelMemory::p5_jobs));
  L const p5 =
      fifth_percentile<L>(memory.alive, split ? memory.present : memory.jobs + s * memory.block, classes.classes + (split ? 2 : 0), results.slowest, spare);
  L gap = all<L>(std::numeric_limits<double>::quiet_NaN());
  if constexpr (split) gap = moving.gap * moving.value / load<L>(memory.head(s, KernelMemory::all_value));
  write_scores(work, memory, path, t, s, standing, results, p5, gap);
}

template <class L>
WATTFILL_INLINE void score_all(KernelWork const& work) {
  KernelMemory const memory(work, work.memory);
  std::size_t const sides = (work.count + side - 1) / side;
  for (std::size_t s = 0; s < sides; ++s) {
    load_side<L>(work, memory, s);
    for (std::size_t p = 0; p < work.path_count; ++p) find_knots<L>(work, memory, p, s);
  }
  for (std::size_t t = 0; t < work.target_count; ++t)
    for (std::size_t p = 0; p < work.path_count; ++p)
      for (std::size_t s = 0; s < sides; ++s) {
        if (work.paths[p].moves != nullptr)
          score_side<L, true>(work, memory, p, t, s);
        else
          score_side<L, false>(work, memory, p, t, s);
      }
}

// The same code for three kinds of processor; the bits are the same, see lanes.hpp. Sanitizers and other compilers build the plain form.
void score_plain(KernelWork const& work) { score_all<QuadPair>(work); }
#if defined(WATTFILL_WIDE)
WATTFILL_TARGET("avx2") void score_avx2(KernelWork const& work) { score_all<QuadPair>(work); }
WATTFILL_TARGET_EIGHT void score_avx512(KernelWork const& work) { score_all<Eight>(work); }
#endif

}  // namespace

std::size_t kernel_memory(KernelWork const& work) { return KernelMemory(work, nullptr).total; }

std::vector<KernelForm> kernel_forms() {
  std::vector<KernelForm> forms{{"plain", score_plain}};
#if defined(WATTFILL_WIDE)
  if (__builtin_cpu_supports("avx2")) forms.push_back({"avx2", score_avx2});
  if (has_eight()) forms.push_back({"avx512", score_avx512});
#endif
  return forms;
}

}  // namespace wattfill
