#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "wattfill/facility/power_tree.hpp"
#include "wattfill/fill/fill_plan.hpp"

namespace wattfill {

/// A job of the plan's class `cls` at its places in the tree. More than one place: it spans, and all its GPUs draw the same.
struct PlacedJob {
  std::size_t cls;
  std::vector<JobPiece> pieces;  ///< at least one
};

/// What every job draws under all limits at once.
struct TreeFill {
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  std::vector<double> draw_w;          ///< [job], one GPU [W]
  std::vector<FillPlan::Place> level;  ///< [job]: how far it came on the plan's path
  std::vector<std::size_t> held_by;    ///< [job]: the node whose limit stopped it; nobody: it came to the end of the path
  double shortfall_w = 0;              ///< largest excess of floors over a limit [W at that node]; 0 if all limits are met
};

/// Progressive filling with freezing: all jobs rise along the policy's path together; where a node comes to its limit, the jobs below it stay, the others rise
/// on. The result is max-min fair in the level (Bertsekas and Gallager, Data Networks, 2nd ed., section 6.5.2): no job can come further without taking from one
/// that is not further. With every job under one leaf it is the composition of fills, min(limit, sum of children). A limit on all watts is one on the tops.
///
/// Nodes are looked at in the order of their levels; a level is computed again only when something below it was frozen since, and only if it is the lowest.
/// Cost near-linear in nodes and jobs (bench/tree_bench.cpp).
TreeFill fill_tree(PowerTree const& tree, FillPlan const& plan, std::span<PlacedJob const> jobs);

}  // namespace wattfill
