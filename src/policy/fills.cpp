#include "policy/fills.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "wattfill/core/error.hpp"

namespace wattfill {

FillPlan plan_over(std::span<Demand const> demands, std::vector<FillItem> items) {
  std::vector<double> floors;
  floors.reserve(demands.size());
  for (auto const& d : demands) floors.push_back(d.floor_w);
  return FillPlan(floors, std::move(items));
}

FillPlan curtail_in_proportion(std::span<Demand const> demands, std::span<double const> weights) {
  // A job of weight w gives up kappa w watts. It is at its floor from kappa = headroom / w on. The level is -kappa, scaled so that the last
  // finite job reaches its floor at -1; zero weights move on [-2, -1], infinite ones on [0, 1].
  auto const finite = [&](std::size_t d) { return demands[d].adjustable() && weights[d] > 0 && std::isfinite(weights[d]); };
  double lightest = std::numeric_limits<double>::max(), deepest = 0;
  for (std::size_t d = 0; d < demands.size(); ++d)
    if (finite(d)) lightest = std::min(lightest, weights[d]);
  int exponent = 0;
  std::frexp(lightest, &exponent);
  auto const kappa = [&](std::size_t d) {  // weights as multiples of a power of two near the lightest: the same bits, and no overflow however small they are
    return demands[d].gpus * (demands[d].uncapped_w - demands[d].floor_w) / std::ldexp(weights[d], -exponent);
  };
  for (std::size_t d = 0; d < demands.size(); ++d)
    if (finite(d)) deepest = std::max(deepest, kappa(d));
  std::vector<FillItem> items;
  for (std::size_t d = 0; d < demands.size(); ++d) {
    auto const& demand = demands[d];
    if (!demand.adjustable()) continue;
    if (!(weights[d] >= 0))
      throw InputError("the share of the cut of " + demand.believed->id() +
                       " is negative or not a number (a job cannot give up less than nothing); "
                       "the rule's weight of a job must be 0 or more");
    FillItem item{d, 0, 1, demand.floor_w, demand.uncapped_w};
    if (weights[d] == 0) {
      item.start = -2;
      item.full = -1;
    } else if (std::isfinite(weights[d])) {
      item.start = -kappa(d) / deepest;
      item.full = 0;
    }
    items.push_back(item);
  }
  return plan_over(demands, std::move(items));
}

FillPlan fill_in_order(std::span<Demand const> demands, std::span<std::size_t const> order) {
  std::vector<FillItem> items;
  double level = 0;
  for (auto d : order) {
    if (demands[d].adjustable()) items.push_back({d, level, level + 1, demands[d].floor_w, demands[d].uncapped_w});
    level += 1;
  }
  return plan_over(demands, std::move(items));
}

std::vector<PowerSpeedCurve::Vertex> believed_hull(Demand const& demand) {
  auto hull = demand.believed->curve.hull(demand.floor_w);
  hull.back().draw_w = demand.uncapped_w;  // the very bits: a believed curve was scaled to it
  if (hull.front().draw_w > demand.floor_w && hull.size() > 1) {
    auto const slope = (hull[1].speed - hull[0].speed) / (hull[1].draw_w - hull[0].draw_w);
    hull.insert(hull.begin(), {demand.floor_w, hull[0].speed - slope * (hull[0].draw_w - demand.floor_w)});
  }
  return hull;
}

}  // namespace wattfill
