#pragma once
#include <optional>
#include <span>
#include <vector>

#include "wattfill/policy/demand.hpp"
#include "wattfill/policy/tree_fill.hpp"

namespace wattfill {

/// The best draws under all limits at once, for the concave hulls of the curves that the demands know. By the true ones it is an upper bound of the objective,
/// met where no job stands inside of a hull's chord.
struct TreeOptimum {
  std::vector<double> draw_w;  ///< [job], one GPU [W]
  double objective = 0;        ///< sum over jobs of V x hull speed / full speed
};

/// `demands[job.cls]` knows the curve, the floor and the value of each job. While no job spans, the limits are a laminar family and segments are taken
/// steepest first (a polymatroid: Edmonds 1970), in O(segments (log + depth)). With jobs that span greed is wrong (limits of 100 and 200 W: 250 where 275 is
/// possible) and a linear program is solved; nothing if this build has no solver for it or floors alone break a limit.
std::optional<TreeOptimum> best_in_tree(PowerTree const& tree, std::span<Demand const> demands, std::span<PlacedJob const> jobs);

/// The same by the linear program whether jobs span or not.
std::optional<TreeOptimum> best_in_tree_by_program(PowerTree const& tree, std::span<Demand const> demands, std::span<PlacedJob const> jobs);

/// Built with GLPK.
bool linear_programs_are_solved();

}  // namespace wattfill
