#pragma once
#include <string>
#include <vector>

#include "wattfill/training/baselines.hpp"

namespace wattfill {

/// A plan of the frontier made discrete, or a baseline, beside everything at its top knob.
struct Compared {
  std::string name;
  double setting;   ///< power limit [W, one GPU] of the zeus baselines, deadline [s] of the frontier's plans, else 0
  double time_s;    ///< of the iteration, from measured times
  double energy_j;  ///< of all GPUs
  double saving;    ///< 1 - energy / that of top-clock
  double slowdown;  ///< time / that of top-clock - 1
};

/// top-clock; perseus (the fastest plan, realised) and perseus-slack (with what rounding left over spent); perseus-best (at T*, the least energy);
/// envpipe; zeus-per-stage and zeus-global at every limit.
std::vector<Compared> comparisons(JobModel const& model, IterationEnergy const& energy);
/// `plan,setting,time_s,energy_j,saving,slowdown`.
std::string comparison_csv(std::vector<Compared> const& rows);

/// `slowdown,time_s,saving`: a straggler's slowdown, the time T_opt that the other replicas take, and what that saves over all replicas of which one is
/// the straggler. E0 and T as in the paper's emulation: measured top-clock energies, T the frontier's shortest time.
std::string straggler_csv(JobModel const& model, IterationEnergy const& energy, int replicas, std::vector<double> const& slowdowns);

/// `rank,busy,power_w`: share of the iteration in which a rank works, and the mean draw of one of its GPUs.
std::string ranks_csv(JobModel const& model, DiscretePlan const& plan);

}  // namespace wattfill
