#pragma once
#include <limits>

#include "sim/kernel_memory.hpp"

namespace wattfill {

/// FillView::power of every knot, side by side.
template <class L>
WATTFILL_INLINE void add_up_power(FillView const& draws, std::size_t classes, double const* gpus, double* power) {
  for (std::size_t k = 0; k < draws.knots; ++k) {
    double const* const row = draws.rows + k * draws.stride;
    store(power + k * side, sum_parts([&](std::size_t i) __attribute__((always_inline)) {
            L part = all<L>(0);
            for (std::size_t c = i; c < classes; c += lane_count) part += load<L>(gpus + c * side) * all<L>(row[c]);
            return part;
          }));
  }
}

/// How many knots of the path have less power than each target. Where there are many, power is summed along the path, from rise to rise: the last bits are not
/// those of FillView::power, so that what is found is checked.
template <class L>
WATTFILL_INLINE void find_knots(KernelWork const& work, KernelMemory const& memory, std::size_t p, std::size_t s) {
  auto const& path = work.paths[p];
  double const* const gpus = memory.gpus + s * memory.block;
  if (path.draws.knots <= few_knots) {
    double* const exact = memory.exact_power(p, s);
    add_up_power<L>(path.draws, work.classes->classes, gpus, exact);
    for (std::size_t k = 0; k < path.draws.knots; ++k) store(memory.power + k * side, load<L>(exact + k * side));
  } else {
    L power = all<L>(0);
    for (std::size_t c = 0; c < work.classes->classes; ++c) power += load<L>(gpus + c * side) * all<L>(path.draws.rows[c]);
    store(memory.power, power);
    for (std::size_t k = 1; k < path.draws.knots; ++k) {
      for (std::size_t i = path.rises_first[k - 1]; i < path.rises_first[k]; ++i)
        power += load<L>(gpus + path.rises[i].cls * side) * all<L>(path.rises[i].watts);
      store(memory.power + k * side, power);
    }
  }
  store(memory.power + path.draws.knots * side, all<L>(std::numeric_limits<double>::infinity()));  // makes the knots even
  L const one = all<L>(1);
  for (std::size_t t = 0; t < work.target_count; ++t) {
    L const target = load<L>(memory.targets_w + memory.position(p, t, s));
    L below = all<L>(0), also = all<L>(0);  // two sums: neither waits for the other
    for (std::size_t k = 0; k < path.draws.knots; k += 2) {
      below = add_where(load<L>(memory.power + k * side) < target, below, one);
      also = add_where(load<L>(memory.power + (k + 1) * side) < target, also, one);
    }
    store(memory.knots + memory.position(p, t, s), below + also);
  }
}

/// Where the replications of a side stand on a path.
template <class L>
struct Standing {
  std::size_t knot[side];
  L theta, power_w, shortfall_w, target_w;
  double const* lower[side];  // speeds of all classes at both ends of the straight line
  double const* upper[side];
  L along;  // how far on it
};

/// Finds where the target is met: FillView::locate, side by side.
template <class L>
WATTFILL_INLINE void locate(KernelWork const& work, KernelMemory const& memory, std::size_t p, std::size_t t, std::size_t s, Standing<L>& standing) {
  auto const& draws = work.paths[p].draws;
  std::size_t const last = draws.knots - 1, at = memory.position(p, t, s);
  L const found = load<L>(memory.knots + at), target = load<L>(memory.targets_w + at), zero = all<L>(0), one = all<L>(1);
  L const starts = select(found <= one, one, zero), ends = select(all<L>(static_cast<double>(draws.knots)) <= select(found < one, one, found), one, zero);
  auto const next_of = [&](std::size_t r) __attribute__((always_inline)) { return standing.knot[r] < last ? standing.knot[r] + 1 : last; };
  for (std::size_t r = 0; r < side; ++r) {
    auto const count = static_cast<std::size_t>(memory.knots[at + r]);
    standing.knot[r] = count > 0 ? count - 1 : 0;
  }
  L below, above;
  if (draws.knots <= few_knots) {
    double const* const power = memory.exact_power(p, s);
    below = gathered<L>([&](std::size_t r) __attribute__((always_inline)) { return power[standing.knot[r] * side + r]; });
    above = gathered<L>([&](std::size_t r) __attribute__((always_inline)) { return power[next_of(r) * side + r]; });
  } else {
    L below_parts[side], above_parts[side];
    for (std::size_t r = 0; r < side; ++r) {
      double const* const lower = draws.rows + standing.knot[r] * draws.stride;
      double const* const upper = draws.rows + next_of(r) * draws.stride;
      double const* const gpus = mix_of(work, s, r).gpus;
      below_parts[r] = all<L>(0);
      above_parts[r] = all<L>(0);
      for (std::size_t c = 0; c < draws.stride; c += lane_count) {
        L const g = load<L>(gpus + c);
        below_parts[r] += g * load<L>(lower + c);
        above_parts[r] += g * load<L>(upper + c);
      }
    }
    below = sum_rows(below_parts);
    above = sum_rows(above_parts);
  }
  auto const passes = below < target, meets = target <= above;
  // One of: the target lies between both knots; it is under the path, which starts here; it is over the path, which ends here.
  L const inside = select(passes, select(meets, one, zero), zero);
  L const known = select(passes, select(meets, one, ends), starts);
  standing.target_w = target;
  if (any(known < one)) {  // within rounding of a knot
    double theta[side], power_w[side], shortfall_w[side];
    for (std::size_t r = 0; r < side; ++r) {
      auto const place = draws.locate(mix_of(work, s, r).gpus, memory.targets_w[at + r], standing.knot[r]);
      standing.knot[r] = place.knot;
      theta[r] = place.theta;
      power_w[r] = place.power_w;
      shortfall_w[r] = place.shortfall_w;
    }
    load_lanes(theta, standing.theta);
    load_lanes(power_w, standing.power_w);
    load_lanes(shortfall_w, standing.shortfall_w);
    return;
  }
  auto const is_inside = one <= inside;
  standing.theta = select(is_inside, (target - below) / (above - below), zero);
  standing.power_w = select(is_inside, target, below);
  standing.shortfall_w = select(passes, zero, below - target);
}

/// Finds the straight line of speeds that each replication stands on; for a split path its knot.
template <class L, bool split>
WATTFILL_INLINE void find_line(PathView const& path, std::size_t stride, Standing<L>& standing) {
  double theta[side], place[side];
  std::size_t places[side];
  if constexpr (!split) {
    // The last place of the knot's stretch that is not beyond theta, counted rather than searched: a search would guess wrong at every step.
    store(theta, standing.theta);
    L passed[side];
    L const zero = all<L>(0), one = all<L>(1);
    for (std::size_t r = 0; r < side; ++r) {
      std::size_t const knot = standing.knot[r];
      L const t = all<L>(theta[r]);
      // The first lanes are nearly always the only ones.
      passed[r] = select(load<L>(path.theta_lanes + path.lanes_first[knot]) <= t, one, zero);
      for (std::size_t i = path.lanes_first[knot] + lane_count; i < path.lanes_first[knot + 1]; i += lane_count)
        passed[r] = add_where(load<L>(path.theta_lanes + i) <= t, passed[r], one);
    }
    store(place, sum_rows(passed));
  }
  for (std::size_t r = 0; r < side; ++r) {
    std::size_t const knot = standing.knot[r], at = split ? path.first[knot] : path.first[knot] + static_cast<std::size_t>(place[r]) - 1;
    standing.lower[r] = path.speeds + at * stride;
    standing.upper[r] = knot + 1 < path.draws.knots ? standing.lower[r] + stride : standing.lower[r];
    places[r] = at;
  }
  if constexpr (!split) {
    L const from = gathered<L>([&](std::size_t r) __attribute__((always_inline)) { return path.theta[places[r]]; });
    L const to = gathered<L>([&](std::size_t r) __attribute__((always_inline)) { return path.theta_next[places[r]]; });
    standing.along = (standing.theta - from) / (to - from);
  }
}

inline constexpr std::size_t few_left = 2;

/// The speeds of all classes on the lines (a split path: at their lower ends) into memory.speeds.
template <class L, bool split>
WATTFILL_INLINE void find_speeds(ClassView const& classes, KernelMemory const& memory, Standing<L> const& standing) {
  double along[side];
  if constexpr (!split) store(along, standing.along);
  for (std::size_t c = 0; c < classes.classes; c += lane_count) {
    if (classes.classes - c <= few_left) {  // no block of eight by eight is worth turning
      for (std::size_t left = c; left < classes.classes; ++left) {
        L v = gathered<L>([&](std::size_t r) __attribute__((always_inline)) { return standing.lower[r][left]; });
        if constexpr (!split) {
          L const upper = gathered<L>([&](std::size_t r) __attribute__((always_inline)) { return standing.upper[r][left]; });
          v = min_each(v + standing.along * (upper - v), upper);
        }
        store(memory.speeds + left * side, v);
      }
      return;
    }
    L v[side];
    for (std::size_t r = 0; r < side; ++r) {
      v[r] = load<L>(standing.lower[r] + c);
      if constexpr (!split) {
        L const upper = load<L>(standing.upper[r] + c);
        v[r] = min_each(v[r] + all<L>(along[r]) * (upper - v[r]), upper);
      }
    }
    transpose(v);
    for (std::size_t i = 0; i < lane_count; ++i) store(memory.speeds + (c + i) * side, v[i]);
  }
}

}  // namespace wattfill
