#pragma once
#include <cstdint>

#include "wattfill/core/hostdevice.hpp"
#include "wattfill/sim/device_view.hpp"

namespace wattfill {

/// What one lane adds up in a pass over the classes: sums and minima.
template <int sums, int minima>
struct LanePart {
  double sum[sums > 0 ? sums : 1];
  double least[minima > 0 ? minima : 1];
};

/// The eight threads of one replication, as loops on the host. What every lane does in each() is seen by all afterwards: a barrier. `backwards` turns the loops
/// round: where a barrier is missing, the answer depends on it.
class HostLanes {
 public:
  explicit HostLanes(bool backwards = false) : backwards_(backwards) {}

  template <class F>
  void each(F const& f) const {
    for (unsigned i = 0; i < device_lanes; ++i) f(backwards_ ? device_lanes - 1 - i : i);
  }
  template <class F>
  void once(F const& f) const {
    f();
  }
  /// Partial sums joined as core/lanes.hpp joins them.
  template <int sums, int minima, class F>
  LanePart<sums, minima> join(F const& f) const {
    LanePart<sums, minima> part[device_lanes];
    each([&](unsigned lane) { part[lane] = f(lane); });
    auto all = part[0];
    for (int s = 0; s < sums; ++s) {
      auto const half = [&](unsigned i) { return part[i].sum[s] + part[i + 4].sum[s]; };
      all.sum[s] = (half(0) + half(2)) + (half(1) + half(3));
    }
    for (int s = 0; s < minima; ++s)
      for (auto const& p : part) all.least[s] = p.least[s] < all.least[s] ? p.least[s] : all.least[s];
    return all;
  }
  void count(std::uint32_t& tally) const { ++tally; }

 private:
  bool backwards_;
};

#ifdef __CUDACC__
/// The same on a device: eight neighbouring threads of a warp.
class WarpLanes {
 public:
  WATTFILL_HD explicit WarpLanes(unsigned thread) : lane_(thread % device_lanes), mask_(0xFFU << (thread % 32U - thread % device_lanes)) {}

  template <class F>
  WATTFILL_HD void each(F const& f) const {
    meet();
    f(lane_);
    meet();
  }
  template <class F>
  WATTFILL_HD void once(F const& f) const {
    meet();
    if (lane_ == 0) f();
    meet();
  }
  /// After exchanges over 4, 2 and 1 lanes every lane holds ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)).
  template <int sums, int minima, class F>
  WATTFILL_HD LanePart<sums, minima> join(F const& f) const {
    auto all = f(lane_);
    for (int over = 4; over > 0; over /= 2) {
      for (int s = 0; s < sums; ++s) all.sum[s] += other(all.sum[s], over);
      for (int s = 0; s < minima; ++s) {
        double const theirs = other(all.least[s], over);
        all.least[s] = theirs < all.least[s] ? theirs : all.least[s];
      }
    }
    return all;
  }
  WATTFILL_HD void count(std::uint32_t& tally) const {
#ifdef __CUDA_ARCH__
    atomicAdd(&tally, 1U);
#endif
  }

 private:
  WATTFILL_HD void meet() const {
#ifdef __CUDA_ARCH__
    __syncwarp(mask_);
#endif
  }
  WATTFILL_HD double other(double mine, int over) const {
#ifdef __CUDA_ARCH__
    return __shfl_xor_sync(mask_, mine, over);
#else
    return mine;
#endif
  }
  unsigned lane_, mask_;
};
#endif

}  // namespace wattfill
