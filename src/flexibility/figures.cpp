#include "wattfill/flexibility/figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "wattfill/core/fixed_math.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/flexibility/pfi.hpp"

namespace wattfill {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double area_of(PowerSpeedCurve const& curve, std::vector<std::string>& notes) {
  struct Relative {
    double power, speed;
  };
  std::vector<Relative> points{{0, 0}};
  double top_sum = 0, top_count = 0;
  auto const top_cap = curve.points().back().cap_w;
  std::size_t beyond = 0;
  for (auto const& p : curve.points()) {
    double const power = p.power_w / curve.power_at_top_cap(), speed = p.speed / curve.speed_at_top_cap();
    if (p.cap_w == top_cap) {
      top_sum += speed;
      ++top_count;
    } else if (power > 1) {
      ++beyond;
    } else {
      points.push_back({power, speed});
    }
  }
  points.push_back({1, top_sum / top_count});
  if (beyond > 0)
    notes.push_back("area leaves out " + std::to_string(beyond) + (beyond == 1 ? " capped point that draws" : " capped points that draw") +
                    " more than the uncapped run");
  std::ranges::stable_sort(points, {}, &Relative::power);
  double area = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    auto const &a = points[i - 1], &b = points[i];
    area += (b.power - a.power) * ((a.speed - a.power) + (b.speed - b.power)) / 2;
  }
  return area;
}

double elasticity_of(PowerSpeedCurve const& curve, std::vector<std::string>& notes) {
  double n = 0, sum_x = 0, sum_y = 0;
  std::vector<std::pair<double, double>> logs;
  for (auto const& p : curve.points()) {
    if (!(p.speed > 0)) continue;
    logs.emplace_back(fixed_log(p.power_w), fixed_log(p.speed));
    sum_x += logs.back().first;
    sum_y += logs.back().second;
    ++n;
  }
  if (logs.size() < curve.points().size()) notes.push_back("elasticity leaves out points without speed (no logarithm)");
  double xx = 0, xy = 0;
  for (auto const& [x, y] : logs) {
    xx += (x - sum_x / n) * (x - sum_x / n);
    xy += (x - sum_x / n) * (y - sum_y / n);
  }
  return xx > 0 ? xy / xx : none;
}

std::string percent(double fraction) { return number_text(std::round(100 * fraction)) + " %"; }

void add_losses(PowerSpeedCurve const& curve, FlexibilityFigures& figures) {
  for (std::size_t i = 0; i < reported_cuts.size(); ++i) {
    double const draw = (1 - reported_cuts[i]) * curve.power_at_top_cap();
    if (draw < curve.min_draw()) {
      figures.loss[i] = none;
      figures.notes.push_back("no point is as low as " + percent(reported_cuts[i]) + " less draw");
    } else {
      figures.loss[i] = 1 - curve.speed(draw) / curve.speed_at_top_cap();
    }
  }
}

}  // namespace

std::vector<double> measured_caps(PowerSpeedCurve const& curve) {
  std::vector<double> caps;
  for (auto const& p : curve.points())
    if (caps.empty() || caps.back() != p.cap_w) caps.push_back(p.cap_w);
  return caps;
}

PowerSpeedCurve on_caps(PowerSpeedCurve const& curve, std::span<double const> caps_w) {
  if (caps_w.empty()) return curve;
  static_cast<void>(capped_points(curve, caps_w));  // refuses what is no grid
  std::vector<CurvePoint> points;
  std::ranges::copy_if(curve.points(), std::back_inserter(points), [&](CurvePoint const& p) { return std::ranges::find(caps_w, p.cap_w) != caps_w.end(); });
  return PowerSpeedCurve(std::move(points));
}

FlexibilityFigures flexibility_figures(PowerSpeedCurve const& whole, std::span<double const> caps_w) {
  auto const curve = on_caps(whole, caps_w);
  auto const points = capped_points(curve);
  FlexibilityFigures figures{none, none, none, none, {none, none, none}, {none, none}, none, 0, {}};
  if (whole.unresponsive()) {
    figures.notes.push_back("unresponsive: its draw moves by less than 2 % over the sweep");
    return figures;
  }
  double saved = 0, lost = 0;
  for (auto const& p : points)
    if (p.loss > 0) {
      saved += p.x;
      lost += p.loss;
      ++figures.n_used;
    }
  figures.pfi = mean_ratio(points);
  if (figures.n_used > 0)
    figures.pooled = saved / lost;
  else
    figures.notes.push_back("no capped point is slower than the uncapped run: PFI is infinite");
  if (figures.n_used > 0 && figures.n_used < points.size())
    figures.notes.push_back(std::to_string(points.size() - figures.n_used) + " of " + std::to_string(points.size()) +
                            " capped points are not slower than the uncapped run and do not count in the PFI");
  figures.area = area_of(curve, figures.notes);
  figures.elasticity = elasticity_of(curve, figures.notes);
  add_losses(curve, figures);
  figures.response = fit_quadratic(points);
  figures.r2 = centred_r2(figures.response, points);
  if (std::isnan(figures.r2)) figures.notes.push_back("the response has no R2: all losses are equal");
  return figures;
}

}  // namespace wattfill
