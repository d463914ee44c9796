#include "wattfill/flexibility/quadratic.hpp"

#include <algorithm>
#include <limits>

namespace wattfill {
namespace {

double squared_error(QuadraticResponse const& response, std::span<CappedPoint const> points) {
  double sum = 0;
  for (auto const& p : points) sum += (p.loss - response.loss(p.x)) * (p.loss - response.loss(p.x));
  return sum;
}

}  // namespace

QuadraticResponse fit_quadratic(std::span<CappedPoint const> points) {
  double x2 = 0, x3 = 0, x4 = 0, xy = 0, x2y = 0;
  for (auto const& [x, y] : points) {
    x2 += x * x;
    x3 += x * x * x;
    x4 += x * x * x * x;
    xy += x * y;
    x2y += x * x * y;
  }
  if (!(x2 > 0)) return {};
  double const determinant = x2 * x4 - x3 * x3;
  QuadraticResponse const linear{std::max(0.0, xy / x2), 0}, square{0, std::max(0.0, x2y / x4)};
  if (!(determinant > 1e-12 * x2 * x4)) return linear;  // every x is the same: b and a cannot be told apart, the straight line is the simpler story
  QuadraticResponse const free{(xy * x4 - x2y * x3) / determinant, (x2y * x2 - xy * x3) / determinant};
  if (free.b >= 0 && free.a >= 0) return free;
  // The problem is convex: where the free solution is infeasible the best one lies on an edge.
  return squared_error(linear, points) <= squared_error(square, points) ? linear : square;
}

double centred_r2(QuadraticResponse const& response, std::span<CappedPoint const> points) {
  double mean = 0, total = 0;
  for (auto const& p : points) mean += p.loss / static_cast<double>(points.size());
  for (auto const& p : points) total += (p.loss - mean) * (p.loss - mean);
  return total > 0 ? 1 - squared_error(response, points) / total : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace wattfill
