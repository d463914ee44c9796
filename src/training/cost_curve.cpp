#include "wattfill/training/cost_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

void check(std::vector<CostCurve::Knot> const& points) {
  if (points.empty()) throw InputError("a computation has no options (nothing says how long it takes); give at least one");
  for (auto const& p : points) {
    if (!(p.duration >= 0 && p.duration <= CostCurve::longest_duration))
      throw InputError("a duration of " + std::to_string(p.duration) + " time steps (allowed: 0 to " + std::to_string(CostCurve::longest_duration) +
                       "); choose another time step");
    if (!std::isfinite(p.energy_j)) throw InputError("an energy of " + std::to_string(p.duration) + " time steps is not finite; check the cost model");
  }
}

/// Whether `b` lies on or above the line from a to c.
bool above(CostCurve::Knot const& a, CostCurve::Knot const& b, CostCurve::Knot const& c) {
  return (b.energy_j - a.energy_j) * static_cast<double>(c.duration - b.duration) >= (c.energy_j - b.energy_j) * static_cast<double>(b.duration - a.duration);
}

}  // namespace

CostCurve::CostCurve(std::vector<Knot> points) {
  check(points);
  std::ranges::sort(points, [](Knot const& a, Knot const& b) { return a.duration != b.duration ? a.duration < b.duration : a.energy_j < b.energy_j; });
  for (auto const& p : points) {
    if (!knots_.empty() && p.energy_j >= knots_.back().energy_j) continue;  // longer for no less energy
    while (knots_.size() > 1 && above(knots_[knots_.size() - 2], knots_.back(), p)) knots_.pop_back();
    knots_.push_back(p);
  }
}

double CostCurve::energy_j(double duration) const {
  if (!(duration >= static_cast<double>(shortest()))) return std::numeric_limits<double>::infinity();
  if (duration >= static_cast<double>(longest())) return knots_.back().energy_j;
  auto const right = std::ranges::upper_bound(knots_, duration, {}, [](Knot const& k) { return static_cast<double>(k.duration); });
  auto const left = std::prev(right);
  auto const width = static_cast<double>(right->duration - left->duration);
  return left->energy_j + (right->energy_j - left->energy_j) * ((duration - static_cast<double>(left->duration)) / width);
}

}  // namespace wattfill
