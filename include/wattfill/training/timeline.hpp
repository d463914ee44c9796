#pragma once
#include <string>
#include <vector>

#include "wattfill/training/discrete_plan.hpp"

namespace wattfill {

/// Draw of all GPUs of a pipeline from `time_s` on, until the next entry or the iteration's end.
struct PowerStep {
  double time_s;
  double power_w;
  bool operator==(PowerStep const&) const = default;
};

/// Power over one iteration: every computation draws its measured energy / time, every waiting GPU blocking_w. The integral is the plan's energy x
/// gpus_per_rank.
std::vector<PowerStep> power_over_time(JobModel const& model, DiscretePlan const& plan);

/// Gantt: `rank,start_s,end_s,instruction,virtual_stage,microbatch,knob,power_w,energy_j` per instruction, power and energy of all GPUs of the rank.
std::string timeline_csv(JobModel const& model, DiscretePlan const& plan);
/// `time_s,power_w`: a row per change, the last one at the iteration's end.
std::string power_csv(JobModel const& model, DiscretePlan const& plan);

/// The schedule that a runtime carries out every iteration: for every rank the ordered list of (instruction, knob), as Zeus's Perseus client and the
/// Kareus runtime take them. Instructions are "forward", "backward" and "recomputation"; the knob is an SM clock [MHz] or a power limit [W].
std::string schedule_json(JobModel const& model, DiscretePlan const& plan);

}  // namespace wattfill
