#include "wattfill/curve/power_speed_curve.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

struct Pool {
  double value;
  double weight;
  std::size_t members;
};

/// Weighted isotonic regression, pool adjacent violators: the non-decreasing sequence nearest to `values` in weighted least squares.
std::vector<double> isotonic(std::vector<double> const& values, std::vector<double> const& weights) {
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < values.size(); ++i) {
    pools.push_back({values[i], weights[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].value > pools.back().value) {
      auto const last = pools.back();
      pools.pop_back();
      auto& pool = pools.back();
      auto const weight = pool.weight + last.weight;
      pool.value += (last.value - pool.value) * (last.weight / weight);
      pool.weight = weight;
      pool.members += last.members;
    }
  }
  std::vector<double> fitted;
  fitted.reserve(values.size());
  for (auto const& pool : pools) fitted.insert(fitted.end(), pool.members, pool.value);
  return fitted;
}

void check(std::vector<CurvePoint> const& points) {
  if (points.size() < 2)
    throw InputError("a curve needs at least two points, this one has " + std::to_string(points.size()) +
                     " (no slope can be read from one point); add the other caps of the sweep");
  for (auto const& p : points) {
    if (!(std::isfinite(p.cap_w) && p.cap_w > 0)) throw InputError("cap_w must be a positive, finite number of watts");
    if (!(std::isfinite(p.power_w) && p.power_w > 0)) throw InputError("power_w must be a positive, finite number of watts");
    if (!(std::isfinite(p.speed) && p.speed >= 0)) throw InputError("speed must be a finite number, zero or more");
  }
}

}  // namespace

PowerSpeedCurve::PowerSpeedCurve(std::vector<CurvePoint> points) : points_(std::move(points)) {
  check(points_);
  auto const by_cap = [](CurvePoint const& p) { return std::tuple(p.cap_w, p.power_w, p.speed); };
  std::ranges::sort(points_, {}, by_cap);

  std::size_t at_top = 0;
  for (auto const& p : points_) {
    if (p.power_w > p.cap_w) ++findings_.above_cap;
    if (p.cap_w == points_.back().cap_w) {
      ++at_top;
      top_power_w_ += p.power_w;
      top_speed_ += p.speed;
    }
  }
  top_power_w_ /= static_cast<double>(at_top);
  top_speed_ /= static_cast<double>(at_top);

  auto sorted = points_;
  std::ranges::sort(sorted, {}, [](CurvePoint const& p) { return std::tuple(p.power_w, p.cap_w, p.speed); });
  std::vector<double> weights;
  for (std::size_t i = 0; i < sorted.size();) {
    double cap = 0, speed = 0;
    auto j = i;
    for (; j < sorted.size() && sorted[j].power_w == sorted[i].power_w; ++j) {
      cap += sorted[j].cap_w;
      speed += sorted[j].speed;
    }
    auto const count = static_cast<double>(j - i);
    findings_.repeated_draws += j - i - 1;
    draws_.push_back(sorted[i].power_w);
    speeds_.push_back(speed / count);
    caps_.push_back(cap / count);
    weights.push_back(count);
    i = j;
  }
  auto const raw = speeds_;
  speeds_ = isotonic(speeds_, weights);
  caps_ = isotonic(caps_, weights);
  for (std::size_t i = 0; i < raw.size(); ++i) findings_.pooled += raw[i] != speeds_[i];
  if (!(speeds_.back() > 0)) throw InputError("no point has a positive speed (the job never runs); check the speed column");
  findings_.top_draw_below_top_cap =
      std::ranges::none_of(points_, [&](CurvePoint const& p) { return p.cap_w == points_.back().cap_w && p.power_w == draws_.back(); });
}

double PowerSpeedCurve::cap_for(double draw_w) const { return CurveView{draws_.data(), caps_.data(), static_cast<int>(draws_.size())}.speed(draw_w); }

std::vector<PowerSpeedCurve::Vertex> PowerSpeedCurve::hull(double floor_w) const {
  double const floor = std::clamp(floor_w, min_draw(), max_draw());
  std::vector<Vertex> vertices{{floor, speed(floor)}};
  for (std::size_t i = 0; i < draws_.size(); ++i) {
    Vertex const next{draws_[i], speeds_[i]};
    if (!(next.draw_w > vertices.front().draw_w)) continue;
    while (vertices.size() > 1) {
      auto const& a = vertices[vertices.size() - 2];
      auto const& b = vertices.back();
      if ((b.speed - a.speed) * (next.draw_w - b.draw_w) > (next.speed - b.speed) * (b.draw_w - a.draw_w)) break;
      vertices.pop_back();
    }
    vertices.push_back(next);
  }
  return vertices;
}

}  // namespace wattfill
