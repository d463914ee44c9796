#include <algorithm>

#include "flexibility/reconstruct_shapes.hpp"
#include "wattfill/core/fixed_math.hpp"

namespace wattfill {
namespace {

constexpr double least_exponent = 1, greatest_exponent = 3;  // of dynamic power in the clock: voltage at its floor, voltage proportional to the clock

// With y = f0/f and k = 1 / (1 - m): x / (1 - T) = x + k x / (y - 1), so that a PFI is linear in k: PFI = mean x + k mean x/(y - 1).
struct Means {
  double x;
  double x_per_stretch;  ///< mean of x / (y - 1)
};

double stretch(double draw, double uncapped, double static_w, double alpha) { return fixed_pow((uncapped - static_w) / (draw - static_w), 1 / alpha); }

Means means(std::vector<double> const& draws, double static_w, double alpha) {
  Means sum{0, 0};
  auto const n = static_cast<double>(draws.size() - 1);
  for (std::size_t i = 0; i + 1 < draws.size(); ++i) {
    double const x = 1 - draws[i] / draws.back();
    sum.x += x / n;
    sum.x_per_stretch += x / (stretch(draws[i], draws.back(), static_w, alpha) - 1) / n;
  }
  return sum;
}

struct Roofline {
  GroupDraws const& g;
  double static_w;

  /// The k that gives the PFI of the group's own caps.
  double k(double alpha) const {
    auto const own = means(g.own, static_w, alpha);
    return ((g.both() ? *g.group->pfi : g.group->pfi4) - own.x) / own.x_per_stretch;
  }
  double pfi4(double alpha) const {
    auto const coarse = means(g.coarse, static_w, alpha);
    return coarse.x + k(alpha) * coarse.x_per_stretch;
  }
  /// The largest exponent with m >= 0, that is k >= 1; k falls as alpha grows.
  double top_exponent() const {
    return bisect([&](double alpha) { return -k(alpha); }, -1, least_exponent, greatest_exponent);
  }
};

}  // namespace

std::vector<ShapedGroup> shape_roofline(std::vector<GroupDraws> const& groups, double static_power_w) {
  std::vector<double> exponents;
  for (auto const& g : groups) {
    Roofline const roofline{g, static_power_w};
    auto const falling = [&](double alpha) { return -roofline.pfi4(alpha); };  // PFI4 falls as alpha grows
    exponents.push_back(g.both() ? bisect(falling, -g.group->pfi4, least_exponent, roofline.top_exponent()) : 0);
  }
  std::vector<ShapedGroup> shaped;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    auto const& g = groups[i];
    Roofline const roofline{g, static_power_w};
    double const alpha = g.both() ? exponents[i] : std::min(class_median_of(groups, exponents, *g.group), roofline.top_exponent());
    double const k = roofline.k(alpha);
    std::vector<double> speeds;
    for (double const draw : g.own) speeds.push_back(1 / (1 + (stretch(draw, g.own.back(), static_power_w, alpha) - 1) / k));
    std::string reason =
        alpha == least_exponent ? "a roofline with alpha >= 1 cannot bend that much" : "a roofline with m >= 0 and alpha <= 3 cannot be that straight";
    shaped.push_back({std::move(speeds), std::move(reason)});
  }
  return shaped;
}

}  // namespace wattfill
