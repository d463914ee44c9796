#pragma once
#include <string>
#include <vector>

#include "wattfill/training/discrete_plan.hpp"

namespace wattfill {

/// A way to run a pipeline that others have proposed.
struct PlanBaseline {
  std::string name;    ///< top-clock, zeus-global, zeus-per-stage, envpipe
  double setting = 0;  ///< the power limit [W, one GPU] of zeus; of zeus-per-stage that of the heaviest stage; 0 for the others
  DiscretePlan plan;
};

/// Everything at its highest knob.
DiscretePlan top_clock(JobModel const& model);

/// ZeusGlobal (the baseline of Perseus, section 6.1): one power limit for all, in steps of 25 W. Where the profile's knob is a clock, a limit lets every
/// computation run at the fastest clock whose mean draw keeps it. Limits that change nothing are left out; highest first.
std::vector<PlanBaseline> zeus_global(JobModel const& model);
/// ZeusPerStage: at each limit of the rank with the longest forward passes, the others have the lowest limit at which theirs are no longer.
std::vector<PlanBaseline> zeus_per_stage(JobModel const& model);

/// EnvPipe (Choi et al., ATC'23), as Perseus describes it: the envelope (the last stage, and the first forward and last backward pass of every other)
/// stays at the highest knob. All else starts at its least effective energy and is raised knob by knob where it lies on a critical path, until all
/// critical computations that can be raised belong to the envelope.
DiscretePlan envpipe(JobModel const& model);

}  // namespace wattfill
