#include "flexibility/reconstruct_shapes.hpp"

namespace wattfill {
namespace {

// The response b x + a x^2 is written s ((1 - t) x + t x^2): t in [0, 1] bends it, and at a given t the scale s follows from one PFI,
// because PFI = mean_i 1 / (b + a x_i) = bend(t) / s. PFI4 / PFI depends on t alone and grows with it.

/// mean_i 1 / ((1 - t) + t x_i) over the capped points.
double bend(std::vector<double> const& draws, double t) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < draws.size(); ++i) sum += 1 / ((1 - t) + t * (1 - draws[i] / draws.back()));
  return sum / static_cast<double>(draws.size() - 1);
}

double published(GroupDraws const& g) { return g.both() ? *g.group->pfi : g.group->pfi4; }

double loss(GroupDraws const& g, double t, double x) { return bend(g.own, t) / published(g) * ((1 - t) * x + t * x * x); }

}  // namespace

std::vector<ShapedGroup> shape_quadratic(std::vector<GroupDraws> const& groups) {
  std::vector<double> ratios;  // a/b of the groups with both PFIs; 0 for the others
  std::vector<double> bends;
  for (auto const& g : groups) {
    auto const ratio = [&](double t) { return bend(g.coarse, t) / bend(g.own, t); };
    double const t = g.both() ? bisect(ratio, g.group->pfi4 / *g.group->pfi, 0, 1) : 0;
    bends.push_back(t);
    ratios.push_back(t / (1 - t));
  }
  std::vector<ShapedGroup> shaped;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    auto const& g = groups[i];
    double t = bends[i];
    std::string reason;
    if (!g.both()) {
      double const ratio = class_median_of(groups, ratios, *g.group);
      t = ratio / (1 + ratio);
    } else if (g.group->pfi4 < *g.group->pfi) {
      reason = "its PFI rises with depth, which no response with a, b >= 0 does; the straight line that meets the PFI of its own caps is used";
    }
    double const deepest = 1 - g.own.front() / g.own.back();
    double const allowed = (1 - least_relative_speed) * (1 - 1e-6);  // the margin covers the rounding of the points
    if (loss(g, t, deepest) > allowed) {
      t = bisect([&](double bent) { return loss(g, bent, deepest); }, allowed, 0, t);
      reason = "a/b lowered, with the PFI of its own caps kept, until the speed at 200 W is 5 % of full speed";
    }
    std::vector<double> speeds;
    for (double const draw : g.own) speeds.push_back(1 - loss(g, t, 1 - draw / g.own.back()));
    shaped.push_back({std::move(speeds), std::move(reason)});
  }
  return shaped;
}

}  // namespace wattfill
