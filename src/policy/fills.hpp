#pragma once
#include <limits>
#include <span>
#include <vector>

#include "wattfill/policy/policy.hpp"

namespace wattfill {

/// A plan over `demands` from the floors upwards; `items` lists what rises when.
FillPlan plan_over(std::span<Demand const> demands, std::vector<FillItem> items);

/// The curtailment rule: every job gives up watts in proportion to its weight; a job that hits its floor stops there and the rest is spread by the same rule.
/// weights[d] is for one whole job of demand d, >= 0. Infinite weights go first, straight to their floors, together; zero weights go last.
FillPlan curtail_in_proportion(std::span<Demand const> demands, std::span<double const> weights);

/// One demand after the other: demands[order[0]] rises from floor to uncapped before order[1] starts.
FillPlan fill_in_order(std::span<Demand const> demands, std::span<std::size_t const> order);

/// Concave hull of the curve that an adjustable demand is believed to have, from its floor to its full draw. Below the lowest draw it was measured at, a
/// believed curve is taken to fall as steeply as at its steepest: nobody is sent there for being unknown.
std::vector<PowerSpeedCurve::Vertex> believed_hull(Demand const& demand);

/// One job's weight from a formula of its demand, for rules of the curtailment kind.
using WeightOf = double (*)(Demand const&);

}  // namespace wattfill
