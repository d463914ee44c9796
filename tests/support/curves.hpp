#pragma once
#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "support/draws.hpp"
#include "wattfill/curve/curve_library.hpp"

namespace wattfill::testing {

/// A curve of the library "lab". The caps are the draws.
inline Curve make_curve(std::string name, std::vector<std::pair<double, double>> const& draw_and_speed, double gpus = 1) {
  std::vector<CurvePoint> points;
  for (auto const& [draw, speed] : draw_and_speed) points.push_back({draw, draw, speed});
  return {.library = "lab",
          .name = std::move(name),
          .architecture = {},
          .task = {},
          .model = {},
          .gpus = gpus,
          .speed_unit = "tokens/s",
          .provenance = Provenance::measured,
          .flop_per_unit = {},
          .telemetry = {},
          .curve = PowerSpeedCurve(std::move(points))};
}

/// Measured sweeps of every kind that the loader accepts: smooth, noisy and not monotone, flat in speed, hardly reacting to caps, of two points only.
inline Curve random_curve(Draws& draws, std::string name) {
  auto const kind = draws.below(6);
  auto const top = draws.between(250, 700), low = top * draws.between(0.2, 0.7), full = draws.between(0.1, 5000);
  auto const count = kind == 4 ? 2 : 2 + draws.below(7);
  auto const bend = draws.between(0.2, 2.5), noise = kind == 1 ? 0.3 : 0.0;
  std::vector<CurvePoint> points;
  for (std::size_t i = 0; i < count; ++i) {
    auto const x = static_cast<double>(i) / static_cast<double>(count - 1);
    auto power = kind == 3 ? top * (1 - 0.015 * (1 - x)) : low + (top - low) * x;
    auto speed = full * (0.1 + 0.9 * (1 - bend * (1 - x) * (1 - x) * 0.35));
    if (kind == 2) speed = full * (x < 0.5 ? 0.4 : 1);    // steps: flat stretches
    if (kind == 5) speed = full * (0.05 + 0.95 * x * x);  // convex
    if (noise > 0) power *= 1 + noise * (draws.share() - 0.5), speed *= 1 + noise * (draws.share() - 0.5);
    points.push_back({low + (top - low) * x + 5, power, std::max(speed, 0.0)});
  }
  static constexpr double sizes[] = {1, 2, 8, 16, 48};
  auto curve = make_curve(std::move(name), {{1, 1}, {2, 2}}, sizes[draws.below(5)]);
  curve.curve = PowerSpeedCurve(std::move(points));
  static constexpr char const* models[] = {"small", "large"};
  static constexpr char const* tasks[] = {"pretraining", "fine-tuning"};
  curve.model = models[draws.below(2)];
  curve.task = tasks[draws.below(2)];
  curve.telemetry = {{"dram", draws.between(0.1, 1)}};
  curve.flop_per_unit = draws.between(1e9, 1e12);
  return curve;
}

/// `count` curves at addresses that stay.
inline std::deque<Curve> random_curves(Draws& draws, std::size_t count) {
  std::deque<Curve> curves;
  for (std::size_t i = 0; i < count; ++i) curves.push_back(random_curve(draws, "c" + std::to_string(i)));
  return curves;
}

inline std::vector<Curve const*> pointers(std::deque<Curve> const& curves) {
  std::vector<Curve const*> all;
  for (auto const& c : curves) all.push_back(&c);
  return all;
}

}  // namespace wattfill::testing
