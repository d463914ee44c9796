#pragma once
#include "wattfill/curve/curve_library.hpp"
#include "wattfill/scenario/pipeline_file.hpp"
#include "wattfill/training/job.hpp"

namespace wattfill {

/// The curves that a pipeline scenario's job can have, of provenance `derived`: `job` under one power limit for all (as far as its profile has settings
/// enough), `job-perseus` on its time-energy frontier; of a job made of partitions also `job-kareus`, while the other two have no scheduling.
/// Throws InputError as the solver does.
CurveLibrary job_library(PipelineScenario const& scenario, std::string name);

/// The job behind one of the optimised curves above, whose frontier the curve is. Throws InputError if the job has no such curve.
JobModel job_behind(PipelineScenario const& scenario, std::string_view curve_name);

/// The twin of a curve that an optimiser gives: NAME-perseus or NAME-kareus. Whether a name is one.
inline constexpr std::string_view optimisers[]{"perseus", "kareus"};
bool is_optimised(std::string_view curve_name);

}  // namespace wattfill
