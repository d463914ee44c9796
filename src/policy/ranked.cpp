// The rules that fill by marginal value: one class after the other by PFI, by the believed quadratic response, and the oracle by the true curve.
#include <algorithm>
#include <limits>
#include <tuple>

#include "policy/fills.hpp"
#include "policy/rules.hpp"

namespace wattfill {
namespace {

/// Classes in descending PFI (ties: curve id) go down to their floor one after the other; the marginal class shares evenly.
class PfiRanked final : public Policy {
 public:
  FillPlan prepare(std::span<Demand const> demands) const override {
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < demands.size(); ++d)
      if (demands[d].adjustable()) order.push_back(d);
    std::ranges::sort(order, [&](std::size_t l, std::size_t r) {  // restored: lowest PFI first, of equals the last in name first
      if (demands[l].pfi != demands[r].pfi) return demands[l].pfi < demands[r].pfi;
      return std::tuple(demands[l].believed->id(), l) > std::tuple(demands[r].believed->id(), r);
    });
    return fill_in_order(demands, order);
  }
};

/// Marginal filling on each class's believed response 1 - T/T_max = b x + a x^2, x = 1 - P/P_max: two numbers a job, no curve.
/// The level is minus the marginal loss of value per watt, V (b + 2 a x) / P_max, which is linear in the draw.
class Quadratic final : public Policy {
 public:
  FillPlan prepare(std::span<Demand const> demands) const override {
    std::vector<FillItem> items;
    for (std::size_t d = 0; d < demands.size(); ++d) {
      auto const& demand = demands[d];
      if (!demand.adjustable()) continue;
      auto const per_watt = demand.value / demand.job_uncapped_w();
      auto const deepest = 1 - demand.floor_w / demand.uncapped_w;
      items.push_back({d, -per_watt * (demand.b + 2 * demand.a * deepest), -per_watt * demand.b, demand.floor_w, demand.uncapped_w});
    }
    return plan_over(demands, std::move(items));
  }
};

/// Marginal filling on the concave hulls of the curves it is told, steepest segment first (ties: demand order): the optimum where they are the true ones.
class HullFilling final : public Policy {
 public:
  FillPlan prepare(std::span<Demand const> demands) const override {
    struct Segment {
      double gain;  // value per watt
      std::size_t demand;
      double from_w, to_w;
    };
    std::vector<Segment> segments;
    for (std::size_t d = 0; d < demands.size(); ++d) {
      auto const& demand = demands[d];
      if (!demand.adjustable()) continue;
      auto const& curve = demand.believed->curve;
      auto const hull = believed_hull(demand);
      auto last = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i + 1 < hull.size(); ++i) {
        auto gain =
            demand.loss_scale * demand.value / demand.gpus / curve.max_speed() * (hull[i + 1].speed - hull[i].speed) / (hull[i + 1].draw_w - hull[i].draw_w);
        last = gain = std::min(gain, last);  // a hull's slopes fall; rounding may not say otherwise
        segments.push_back({gain, d, hull[i].draw_w, hull[i + 1].draw_w});
      }
    }
    std::ranges::stable_sort(segments, [](Segment const& l, Segment const& r) { return l.gain > r.gain; });
    std::vector<FillItem> items;
    for (auto const& s : segments) {
      auto const level = static_cast<double>(items.size());
      items.push_back({s.demand, level, level + 1, s.from_w, s.to_w});
    }
    return plan_over(demands, std::move(items));
  }
  bool splits() const override { return true; }
};

}  // namespace

std::unique_ptr<Policy> make_pfi_ranked(PolicySpec const&) { return std::make_unique<PfiRanked>(); }
std::unique_ptr<Policy> make_quadratic(PolicySpec const&) { return std::make_unique<Quadratic>(); }
std::unique_ptr<Policy> make_curve_aware(PolicySpec const&) { return std::make_unique<HullFilling>(); }
std::unique_ptr<Policy> make_oracle(PolicySpec const&) { return std::make_unique<HullFilling>(); }

}  // namespace wattfill
