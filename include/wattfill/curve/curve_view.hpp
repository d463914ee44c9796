#pragma once
#include "wattfill/core/hostdevice.hpp"

namespace wattfill {

/// A curve as two arrays that somebody else owns; for the host and the device. `draws` strictly increasing [W], `speeds` non-decreasing, n >= 1.
struct CurveView {
  double const* draws;
  double const* speeds;
  int n;

  /// Linear between points, clamped outside.
  WATTFILL_HD double speed(double draw_w) const { return interpolate(draws, speeds, draw_w); }

  /// Smallest draw that gives `speed`; clamped outside. On a flat stretch its left end.
  WATTFILL_HD double draw_for(double speed) const {
    int lo = 0, hi = n - 1;
    if (!(speed > speeds[0])) return draws[0];
    if (!(speed < speeds[hi])) {
      while (hi > 0 && speeds[hi - 1] >= speeds[hi]) --hi;
      return draws[hi];
    }
    while (hi - lo > 1) {  // speeds[lo] < speed <= speeds[hi]
      int const mid = (lo + hi) / 2;
      (speeds[mid] < speed ? lo : hi) = mid;
    }
    double const d = draws[lo] + (speed - speeds[lo]) / (speeds[hi] - speeds[lo]) * (draws[hi] - draws[lo]);
    return d < draws[hi] ? d : draws[hi];
  }

 private:
  WATTFILL_HD double interpolate(double const* xs, double const* ys, double x) const {
    int lo = 0, hi = n - 1;
    if (!(x > xs[0])) return ys[0];
    if (!(x < xs[hi])) return ys[hi];
    while (hi - lo > 1) {
      int const mid = (lo + hi) / 2;
      (xs[mid] <= x ? lo : hi) = mid;
    }
    double const y = ys[lo] + (x - xs[lo]) / (xs[hi] - xs[lo]) * (ys[hi] - ys[lo]);
    return y < ys[hi] ? y : ys[hi];
  }
};

}  // namespace wattfill
