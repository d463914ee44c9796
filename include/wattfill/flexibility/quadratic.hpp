#pragma once
#include <span>

#include "wattfill/flexibility/pfi.hpp"

namespace wattfill {

/// Quadratic response of a job's speed to curtailment: 1 - T/T_max = b x + a x^2, x = 1 - P/P_max in [0, 1], a, b >= 0 (dimensionless). Two numbers
/// that describe depth, where PFI hides it; centred R^2 0.973-0.997 on the six curves of the A100 sweep of arXiv:2507.00909 (0.984-0.997 if b may be
/// negative, as three of them would have it).
struct QuadraticResponse {
  double b = 0;
  double a = 0;

  double loss(double x) const { return x * (b + a * x); }
  /// x / loss(x): the flexibility at depth x; +infinity without loss.
  double pfi_at(double x) const { return 1 / (b + a * x); }
};

/// Least squares of loss on x and x^2 with a, b >= 0, exactly: the free solution where it is feasible, else the better of the two edges. Points with
/// a negative x or loss take part as they are. No points, or x = 0 throughout: a = b = 0.
QuadraticResponse fit_quadratic(std::span<CappedPoint const> points);

/// 1 - SSE / (SSE around the mean loss) over `points`: can be negative; NaN where all losses are equal.
double centred_r2(QuadraticResponse const& response, std::span<CappedPoint const> points);

}  // namespace wattfill
