#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "wattfill/curve/power_speed_curve.hpp"
#include "wattfill/flexibility/quadratic.hpp"

namespace wattfill {

/// The six figures of how cheaply one job's power can be cut, all dimensionless. P_max and T_max are the means at the highest cap of the grid; a
/// figure that has no finite value is NaN (pfi may be +infinity) and `notes` says why.
///
/// The loss at a cut is the figure to compare jobs by. It is what an operator pays, it stays within its bounds for every job, and it names the depth
/// it holds for. PFI and the pooled ratio divide by losses of speed: for a job that runs at full speed under most caps they divide by the noise of
/// the measurement (kmeans on an A100: PFI 150 and a pooled ratio of 39 for losses of 0.2 %).
struct FlexibilityFigures {
  double pfi;                  ///< mean of x_i / loss_i over the capped points with loss_i > 0 (arXiv:2609.11542, eq. 1); x = 1 - P/P_max, loss = 1 - T/T_max
  double area;                 ///< integral of T/T_max - P/P_max over P/P_max in [0, 1], by trapezoids through the points and (0, 0)
  double elasticity;           ///< least-squares slope of log T over log P, all points
  double pooled;               ///< sum of x_i / sum of loss_i over the points that count in the PFI
  std::array<double, 3> loss;  ///< loss at 10, 20 and 30 % less draw, read off the usable curve
  QuadraticResponse response;  ///< loss = b x + a x^2
  double r2;                   ///< centred R^2 of the response over the capped points
  std::size_t n_used;          ///< points that count in the PFI
  std::vector<std::string> notes;
};

/// Cuts at which `loss` is given.
inline constexpr std::array<double, 3> reported_cuts{0.1, 0.2, 0.3};

/// `caps_w`: the caps to use [W], in any order; empty: every cap. Throws InputError as measured_pfi does.
FlexibilityFigures flexibility_figures(PowerSpeedCurve const& curve, std::span<double const> caps_w = {});

/// The curve of the points at `caps_w` alone (empty: all of them). Throws InputError for fewer than two distinct caps, or a cap at which nothing was
/// measured.
PowerSpeedCurve on_caps(PowerSpeedCurve const& curve, std::span<double const> caps_w);

/// The caps that were measured, ascending, each once [W].
std::vector<double> measured_caps(PowerSpeedCurve const& curve);

}  // namespace wattfill
