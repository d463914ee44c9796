#include "wattfill/flexibility/pfi.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

std::string shortest(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// The points at `caps_w` (all where it is empty), sorted by cap.
std::vector<CurvePoint> on_grid(PowerSpeedCurve const& curve, std::span<double const> caps_w) {
  auto const all = curve.points();
  if (caps_w.empty()) return {all.begin(), all.end()};
  for (double const cap : caps_w)
    if (std::ranges::find(all, cap, &CurvePoint::cap_w) == all.end())
      throw InputError("nothing was measured at a cap of " + shortest(cap) + " W (points are not interpolated for PFI); choose caps of the sweep");
  std::vector<CurvePoint> chosen;
  std::ranges::copy_if(all, std::back_inserter(chosen), [&](CurvePoint const& p) { return std::ranges::find(caps_w, p.cap_w) != caps_w.end(); });
  if (chosen.front().cap_w == chosen.back().cap_w)
    throw InputError("a cap grid needs at least two different caps (flexibility compares a capped run with an uncapped one); add a cap");
  return chosen;
}

}  // namespace

std::vector<CappedPoint> capped_points(PowerSpeedCurve const& curve, std::span<double const> caps_w) {
  auto const points = on_grid(curve, caps_w);
  double const top = points.back().cap_w;
  double power = 0, speed = 0, count = 0;
  for (auto const& p : points)
    if (p.cap_w == top) {
      power += p.power_w;
      speed += p.speed;
      ++count;
    }
  power /= count;
  speed /= count;
  if (!(speed > 0)) throw InputError("the speed at the highest cap is zero (losses are fractions of it); check the speed column");
  std::vector<CappedPoint> capped;
  for (auto const& p : points)
    if (p.cap_w < top) capped.push_back({1 - p.power_w / power, 1 - p.speed / speed});
  return capped;
}

double mean_ratio(std::span<CappedPoint const> points) {
  double sum = 0, terms = 0;
  for (auto const& p : points)
    if (p.loss > 0) {
      sum += p.x / p.loss;
      ++terms;
    }
  return terms > 0 ? sum / terms : std::numeric_limits<double>::infinity();
}

double measured_pfi(PowerSpeedCurve const& curve) { return measured_pfi(curve, {}); }

double measured_pfi(PowerSpeedCurve const& curve, std::span<double const> caps_w) {
  auto const points = capped_points(curve, caps_w);
  return curve.unresponsive() ? std::numeric_limits<double>::quiet_NaN() : mean_ratio(points);
}

}  // namespace wattfill
