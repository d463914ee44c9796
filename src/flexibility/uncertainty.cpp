#include "wattfill/flexibility/uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "wattfill/core/error.hpp"
#include "wattfill/core/normal_random.hpp"
#include "wattfill/flexibility/figures.hpp"

namespace wattfill {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Reading {
  double power, speed;
};

/// The readings of a sweep, those at the highest cap last.
struct Sweep {
  std::vector<Reading> readings;
  std::size_t capped;

  Reading top() const {
    Reading sum{0, 0};
    for (std::size_t i = capped; i < readings.size(); ++i) {
      sum.power += readings[i].power;
      sum.speed += readings[i].speed;
    }
    auto const n = static_cast<double>(readings.size() - capped);
    return {sum.power / n, sum.speed / n};
  }
};

/// Eq. 1 of arXiv:2609.11542; +infinity where a point of `counted` loses no speed.
double pfi_of(Sweep const& sweep, std::vector<bool> const& counted) {
  auto const top = sweep.top();
  double sum = 0, terms = 0;
  for (std::size_t i = 0; i < sweep.capped; ++i) {
    double const loss = 1 - sweep.readings[i].speed / top.speed;
    if (loss > 0) {
      sum += (1 - sweep.readings[i].power / top.power) / loss;
      ++terms;
    } else if (counted[i]) {
      return infinity;
    }
  }
  return terms > 0 ? sum / terms : infinity;
}

}  // namespace

std::optional<MeasurementNoise> noise_of_repeats(PowerSpeedCurve const& whole, std::span<double const> caps_w) {
  auto const curve = on_caps(whole, caps_w);
  double power = 0, speed = 0;
  std::size_t freedom = 0;
  for (double const cap : measured_caps(curve)) {
    Reading mean{0, 0};
    double n = 0;
    for (auto const& p : curve.points())
      if (p.cap_w == cap) {
        mean.power += p.power_w;
        mean.speed += p.speed;
        ++n;
      }
    mean = {mean.power / n, mean.speed / n};
    if (n < 2 || !(mean.speed > 0)) continue;
    freedom += static_cast<std::size_t>(n) - 1;
    for (auto const& p : curve.points())
      if (p.cap_w == cap) {
        power += (p.power_w / mean.power - 1) * (p.power_w / mean.power - 1);
        speed += (p.speed / mean.speed - 1) * (p.speed / mean.speed - 1);
      }
  }
  if (freedom < least_freedom) return std::nullopt;
  auto const n = static_cast<double>(freedom);
  return MeasurementNoise{std::sqrt(power / n), std::sqrt(speed / n)};
}

PfiInterval pfi_interval(PowerSpeedCurve const& whole, std::span<double const> caps_w, MeasurementNoise const& noise, std::uint64_t seed, std::string_view name,
                         std::size_t draws) {
  WATTFILL_ASSERT(draws >= 40);
  if (whole.unresponsive()) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(), 0};
  auto const curve = on_caps(whole, caps_w);
  double const top_cap = curve.points().back().cap_w;
  Sweep measured{{}, 0};
  for (auto const& p : curve.points()) {
    measured.readings.push_back({p.power_w, p.speed});
    measured.capped += p.cap_w < top_cap;
  }
  std::vector<bool> counted;
  for (std::size_t i = 0; i < measured.capped; ++i) counted.push_back(measured.readings[i].speed < measured.top().speed);

  std::vector<double> values;
  auto drawn = measured;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    NormalRandom normal({seed, name, draw, Stream::measurement});
    for (std::size_t i = 0; i < drawn.readings.size(); ++i) {
      drawn.readings[i].power = measured.readings[i].power * (1 + noise.power * normal());
      drawn.readings[i].speed = measured.readings[i].speed * (1 + noise.speed * normal());
    }
    values.push_back(pfi_of(drawn, counted));
  }
  std::ranges::sort(values);
  auto const unbounded = values.end() - std::ranges::lower_bound(values, infinity);
  auto const tail = static_cast<std::size_t>(0.025 * static_cast<double>(draws));
  return {values[tail], values[draws - 1 - tail], static_cast<double>(unbounded) / static_cast<double>(draws)};
}

}  // namespace wattfill
