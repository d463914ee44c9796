// The rules that look at watts alone: one ceiling, one fraction of the draw, one fraction of the headroom.
#include "policy/fills.hpp"
#include "policy/rules.hpp"

namespace wattfill {
namespace {

/// Each demand rises over an interval of the level that only depends on itself.
template <class Interval>
FillPlan fill_each(std::span<Demand const> demands, Interval interval) {
  std::vector<FillItem> items;
  for (std::size_t d = 0; d < demands.size(); ++d) {
    if (!demands[d].adjustable()) continue;
    auto const [start, full] = interval(demands[d]);
    items.push_back({d, start, full, demands[d].floor_w, demands[d].uncapped_w});
  }
  return plan_over(demands, std::move(items));
}

/// One draw ceiling per GPU for all, not below any floor: what one `nvidia-smi -pl` value for the whole cluster does. The level is the ceiling [W].
class EqualSplit final : public Policy {
 public:
  FillPlan prepare(std::span<Demand const> demands) const override {
    return fill_each(demands, [](Demand const& d) { return std::pair(d.floor_w, d.uncapped_w); });
  }
};

/// The same fraction of the uncapped draw for all (the paper's "equal weight"). The level is the fraction.
class Proportional final : public Policy {
 public:
  FillPlan prepare(std::span<Demand const> demands) const override {
    return fill_each(demands, [](Demand const& d) { return std::pair(d.floor_w / d.uncapped_w, 1.0); });
  }
};

/// The same fraction of every job's headroom, uncapped draw to floor (Emerald's "DVFS, fair", arXiv:2507.00909). The level is the fraction.
class HeadroomFair final : public Policy {
 public:
  FillPlan prepare(std::span<Demand const> demands) const override {
    return fill_each(demands, [](Demand const&) { return std::pair(0.0, 1.0); });
  }
};

}  // namespace

std::unique_ptr<Policy> make_equal_split(PolicySpec const&) { return std::make_unique<EqualSplit>(); }
std::unique_ptr<Policy> make_proportional(PolicySpec const&) { return std::make_unique<Proportional>(); }
std::unique_ptr<Policy> make_headroom_fair(PolicySpec const&) { return std::make_unique<HeadroomFair>(); }

}  // namespace wattfill
