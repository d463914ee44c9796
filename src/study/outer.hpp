#pragma once
#include "wattfill/study/study.hpp"

namespace wattfill {

/// Outer bootstrap: fills gap_closed_outer, objective_outer and outer_used of every mix. Its pieces are the draws, numbered from `first_piece` on, mix by mix.
void run_outer(StudySpec const& study, Executor const& executor, RunOptions const& options, std::uint64_t first_piece, StudyResult& result);

/// The mix with its curve clusters (model x task) drawn anew with replacement inside each group; as many clusters as before.
MixSpec resample_clusters(MixSpec mix, std::uint64_t seed, std::uint64_t draw);

}  // namespace wattfill
