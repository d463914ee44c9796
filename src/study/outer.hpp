#pragma once
#include "wattfill/study/study.hpp"

namespace wattfill {

/// Outer bootstrap: fills gap_closed_outer, objective_outer and outer_used of every mix.
void run_outer(StudySpec const& study, Executor const& executor, RunOptions const& options, StudyResult& result);

/// The mix with its curve clusters (model x task) drawn anew with replacement inside each group; as many clusters as before.
MixSpec resample_clusters(MixSpec mix, std::uint64_t seed, std::uint64_t draw);

}  // namespace wattfill
