#pragma once
#include <span>
#include <vector>

#include "wattfill/curve/power_speed_curve.hpp"

namespace wattfill {

/// Power flexibility index of one curve, from its raw points (Colangelo, Dawson, Sengupta, Coskun, Sivaram, arXiv:2609.11542, eq. 1):
/// the mean over the capped points i with T_i < T_max of (1 - P_i/P_max) / (1 - T_i/T_max). Dimensionless; high = cheap to curtail, 1 = linear.
/// P_max [W] and T_max are the means of the points at the highest cap; a point measured twice counts as two terms.
///
/// +infinity: no capped point is slower than T_max. NaN: the curve is unresponsive (0/0). Zero or negative where capped points drew more than P_max
/// (it happens in measured tables).
double measured_pfi(PowerSpeedCurve const& curve);

/// The same over the points at `caps_w` alone [W], in any order; the highest of them gives P_max and T_max. Figures of different grids do not
/// compare: a coarser grid near full power raises PFI by about a tenth. Throws InputError for fewer than two distinct caps, or a cap at which nothing
/// was measured.
double measured_pfi(PowerSpeedCurve const& curve, std::span<double const> caps_w);

/// What PFI and the quadratic response are made of: relative curtailment and loss of the points under the highest cap of the grid.
struct CappedPoint {
  double x;     ///< 1 - P_i/P_max
  double loss;  ///< 1 - T_i/T_max
};
/// Capped points in the order of (cap, draw, speed); `caps_w` empty: every cap. Throws as measured_pfi does, and InputError where T_max is zero.
std::vector<CappedPoint> capped_points(PowerSpeedCurve const& curve, std::span<double const> caps_w = {});

/// The mean of x/loss over the points with loss > 0; +infinity if there is none.
double mean_ratio(std::span<CappedPoint const> points);

}  // namespace wattfill
