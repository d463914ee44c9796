#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "wattfill/training/project.hpp"

namespace wattfill {

/// When every computation of a project starts and how long it takes [time steps].
struct Plan {
  double time = 0;  ///< when the last one ends; at most the deadline
  std::vector<double> start, duration;
};

/// Plans of least energy within deadlines [time steps, any order, whole or not]. A whole deadline gives whole durations. Made on demand by solving
/// again down to the shortest deadline, which costs no more than the frontier did; plans of equal energy are many, and any one is given (always the
/// same). Throws InputError where a deadline is below the shortest possible time, and as Frontier::of.
std::vector<Plan> plans(Project const& project, std::span<double const> deadlines);

/// Energy [J] of a plan.
double energy_j(Project const& project, Plan const& plan);

}  // namespace wattfill
