#pragma once
#include <string>

#include "wattfill/training/frontier.hpp"
#include "wattfill/training/savings.hpp"

namespace wattfill {

/// `time_s,effective_energy_j,energy_j` at every whole time step from the shortest to the longest time, both included. energy_j is what the stages
/// draw: effective energy + waiting_w x time, waiting_w = P_blocking x stages.
std::string frontier_csv(Frontier const& frontier, double tau_s, double waiting_w);

/// The same of a whole pipeline, with mean power: `time_s,effective_energy_j,energy_j,power_w`. Energies of all its GPUs (gpus_per_rank on every rank),
/// power_w the mean draw of one GPU: a power-speed curve.
std::string frontier_csv(IterationEnergy const& energy, double gpus_per_rank, int stages);

}  // namespace wattfill
