#pragma once
#include <vector>

#include "wattfill/training/job.hpp"
#include "wattfill/training/plan.hpp"

namespace wattfill {

/// What a pipeline can be told to do: one measured knob for every instruction, with the times and energies that were measured there.
struct DiscretePlan {
  std::vector<ProfilePoint> choice;  ///< of each instruction
  std::vector<double> start_s;       ///< each starts as soon as it may
  double time_s = 0;                 ///< of the iteration
  double energy_j = 0;               ///< of all stages (one GPU each), their waiting included
  double power_w() const { return energy_j / time_s; }
};

/// Times and energy of a choice of knobs. `choice` holds a point per instruction.
DiscretePlan realise(JobModel const& model, std::vector<ProfilePoint> choice);

/// Perseus's rule: a planned duration becomes the slowest option whose whole time steps fit it, so that no planned iteration gets longer in time steps.
/// Measured times are longer than whole time steps by up to one tau each; time_s says what that comes to.
DiscretePlan rounded(JobModel const& model, Plan const& plan);

/// Spends what rounding left over: in the order of the work, every computation takes the measured point of least effective energy that keeps the
/// iteration within `limit_s` (or its present time, if that is longer) with everything after it as it is. Never longer, never more energy.
DiscretePlan with_slack_used(JobModel const& model, DiscretePlan plan, double limit_s);

/// Instructions of the pipeline as a list of successors, in an order that every edge respects; for passes over real times.
struct WorkOrder {
  explicit WorkOrder(Project const& project);
  std::vector<std::size_t> order;
  std::vector<std::vector<std::size_t>> before, after;
};

}  // namespace wattfill
