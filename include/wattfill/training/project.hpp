#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "wattfill/training/cost_curve.hpp"

namespace wattfill {

/// What must be done and what it may cost: computations that take time for energy, and which of them wait for which. Plain data.
struct Project {
  struct Edge {
    std::size_t before, after;  ///< `after` starts when `before` has ended
    bool operator==(Edge const&) const = default;
  };
  std::vector<CostCurve> curves;      ///< one per kind of computation
  std::vector<std::size_t> curve_of;  ///< of each computation
  std::vector<Edge> edges;
  std::vector<std::string> names;  ///< of the computations, for messages; may be empty
};

/// Checks indices and returns the computations in an order that every edge respects (of the possible ones, that of smallest index first, layer by
/// layer). Throws InputError that names a cycle.
std::vector<std::size_t> topological_order(Project const&);

}  // namespace wattfill
