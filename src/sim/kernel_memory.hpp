#pragma once
#include <algorithm>

#include "wattfill/core/sides.hpp"
#include "sim/snapshot_kernel.hpp"

namespace wattfill {

/// How many replications stand side by side.
inline constexpr std::size_t side = lane_count;
inline constexpr std::size_t most_sides = kernel_batch / side;
static_assert(kernel_batch % side == 0);
/// Up to so many knots the power of all of them is worked out at once, which then costs less than that of both knots at every target.
inline constexpr std::size_t few_knots = 12;

/// Where things lie in the kernel's memory. What differs between replications is [..][side].
struct KernelMemory {
  double *jobs, *gpus, *reference, *heads;  // of every side: n, n G; speeds under `proportional` at the current target less the slack; Head
  double *knots, *targets_w;                // [path][target][side of the batch]
  double* exact;                            // [path of few knots][side of the batch][knot]: FillView::power
  double *power, *speeds, *alive, *present;
  std::size_t block, targets, total = 0;

  /// Numbers of one side that are the same for all paths.
  enum Head : std::size_t { all_jobs, all_gpus, all_value, headroom_w, p5_jobs, head_count };

  KernelMemory(KernelWork const& work, double* start) : block((work.classes->stride + 3) * side), targets(work.target_count) {
    auto const take = [&](double*& what, std::size_t count) {
      what = start == nullptr ? nullptr : start + total;
      total += count;
    };
    std::size_t most_knots = 0;
    for (std::size_t p = 0; p < work.path_count; ++p) most_knots = std::max(most_knots, work.paths[p].draws.knots);
    auto const positions = work.path_count * work.target_count * most_sides * side;
    take(jobs, most_sides * block);
    take(gpus, most_sides * block);
    take(reference, most_sides * block);
    take(heads, most_sides * head_count * side);
    take(knots, positions);
    take(targets_w, positions);
    take(exact, work.path_count * most_sides * few_knots * side);
    take(power, (most_knots + 1) * side);
    take(speeds, block);
    take(alive, block);
    take(present, block);
  }

  double* exact_power(std::size_t path, std::size_t s) const { return exact + (path * most_sides + s) * few_knots * side; }
  std::size_t position(std::size_t path, std::size_t target, std::size_t s) const { return ((path * targets + target) * most_sides + s) * side; }
  double* head(std::size_t s, Head h) const { return heads + (s * head_count + h) * side; }
};

/// Replication r of a side; the last one stands in for those that are missing.
WATTFILL_INLINE MixView const& mix_of(KernelWork const& work, std::size_t s, std::size_t r) {
  std::size_t const i = s * side + r;
  return work.mixes[i < work.count ? i : work.count - 1];
}

template <class L>
WATTFILL_INLINE void load_side(KernelWork const& work, KernelMemory const& memory, std::size_t s) {
  for (std::size_t c = 0; c < work.classes->stride; c += lane_count) {
    L jobs[side], gpus[side];
    for (std::size_t r = 0; r < side; ++r) {
      jobs[r] = load<L>(mix_of(work, s, r).jobs + c);
      gpus[r] = load<L>(mix_of(work, s, r).gpus + c);
    }
    transpose(jobs);
    transpose(gpus);
    for (std::size_t i = 0; i < lane_count; ++i) {
      store(memory.jobs + s * memory.block + (c + i) * side, jobs[i]);
      store(memory.gpus + s * memory.block + (c + i) * side, gpus[i]);
    }
  }
  for (std::size_t r = 0; r < side; ++r) {
    auto const& mix = mix_of(work, s, r);
    memory.head(s, KernelMemory::all_jobs)[r] = mix.totals[0];
    memory.head(s, KernelMemory::all_gpus)[r] = mix.totals[1];
    memory.head(s, KernelMemory::all_value)[r] = mix.totals[2];
    memory.head(s, KernelMemory::headroom_w)[r] = mix.headroom_w;
    memory.head(s, KernelMemory::p5_jobs)[r] = mix.p5_jobs;
    for (std::size_t p = 0; p < work.path_count; ++p)
      for (std::size_t t = 0; t < work.target_count; ++t) memory.targets_w[memory.position(p, t, s) + r] = mix.targets_w[work.paths[p].first_target + t];
  }
}

}  // namespace wattfill
