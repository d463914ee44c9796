#pragma once
#include <string>

#include "wattfill/training/frontier.hpp"

namespace wattfill {

/// `time_s,effective_energy_j,energy_j` at every whole time step from the shortest to the longest time, both included. energy_j is what the stages
/// draw: effective energy + waiting_w x time, waiting_w = P_blocking x stages.
std::string frontier_csv(Frontier const& frontier, double tau_s, double waiting_w);

}  // namespace wattfill
