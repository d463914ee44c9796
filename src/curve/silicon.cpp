#include "wattfill/curve/silicon.hpp"

#include <algorithm>
#include <cmath>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {

std::vector<double> silicon_factors(double spread, double gpus) {
  constexpr double most = 1024;
  auto const n = std::clamp(std::floor(gpus), 1.0, most);
  std::vector<double> factors;
  for (double k = 1; k <= n; ++k) factors.push_back(1 + spread * (2 * k / (n + 1) - 1));
  return factors;
}

PowerSpeedCurve with_silicon(PowerSpeedCurve const& mean, double gpus, double tdp_w, SiliconSpec const& spec) {
  if (!(spec.spread >= 0 && spec.spread <= 0.5)) throw InputError("a spread of silicon of " + number_text(spec.spread) + "; give 0 to 0.5");
  if (!(spec.waiting_w >= 0 && std::isfinite(spec.waiting_w)))
    throw InputError("a waiting GPU that draws " + number_text(spec.waiting_w) + " W; give 0 or more");
  auto const factors = silicon_factors(spec.spread, gpus);
  auto const slowest = factors.back();
  if (!(slowest > 1)) return mean;
  auto const room_w = std::max(tdp_w, mean.max_draw()) / slowest;  // of a mean GPU, when the slowest is at its TDP (or above: what was measured was possible)
  std::vector<double> nominal;
  for (double const w : mean.draws())
    if (w < room_w) nominal.push_back(w);
  nominal.push_back(std::min(room_w, mean.max_draw()));
  if (nominal.size() < 2)
    throw InputError("the slowest of " + number_text(gpus) + " GPUs reaches its TDP of " + number_text(tdp_w) +
                     " W below the second point of the curve; lower the spread");
  std::vector<CurvePoint> points;
  for (double const w : nominal) {
    auto const speed = mean.speed(w), cap = slowest * w;
    double draw = 0;
    for (double const s : factors) {
      if (spec.held_by == HeldBy::clocks) {
        draw += s * w;
        continue;
      }
      auto const own = std::min(cap / s, mean.max_draw());  // what a mean GPU would draw at the clock that this one reaches
      auto const busy = speed / mean.speed(own);
      draw += s * own * busy + spec.waiting_w * (1 - busy);
    }
    auto const set = mean.cap_for(w);
    points.push_back({spec.held_by == HeldBy::clocks ? set : std::min(slowest * set, std::max(tdp_w, cap)), draw / static_cast<double>(factors.size()), speed});
  }
  return PowerSpeedCurve(std::move(points));
}

}  // namespace wattfill
