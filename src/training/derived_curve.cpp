#include "wattfill/training/derived_curve.hpp"

#include <algorithm>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {

PowerSpeedCurve derived_curve(IterationEnergy const& energy, double gpus_per_rank, double gpus, double work, double least_speed, int points) {
  if (!(least_speed > 0 && least_speed <= 1)) throw InputError("a least speed of " + number_text(least_speed) + "; give a share of full speed above 0 up to 1");
  if (points < 2) throw InputError(std::to_string(points) + " points; give at least 2");
  auto const shortest = energy.shortest_s(), longest = energy.longest_s();
  std::vector<CurvePoint> result;
  auto const add = [&](double time_s) {
    auto const draw = energy.power_w(time_s) * gpus_per_rank / gpus;
    result.push_back({draw, draw, work / time_s});
  };
  if (longest > shortest) {
    for (int i = 0; i < points; ++i) add(shortest + (longest - shortest) * i / (points - 1));
  } else {
    add(shortest);
  }
  constexpr int tenths = 10;
  for (int i = tenths; i-- > 0;) {
    auto const speed = least_speed + (1 - least_speed) * i / tenths;
    if (shortest / speed > longest) add(shortest / speed);
  }
  return PowerSpeedCurve(std::move(result));
}

PowerSpeedCurve uniform_curve(std::vector<UniformPoint> const& settings, double gpus_per_rank, double gpus, double work) {
  std::vector<CurvePoint> result;
  for (auto const& s : settings) {
    auto const draw = s.energy_j / s.time_s * gpus_per_rank / gpus;
    result.push_back({draw, draw, work / s.time_s});
  }
  return PowerSpeedCurve(std::move(result));
}

}  // namespace wattfill
