#pragma once
#include "wattfill/study/study.hpp"

namespace wattfill {

/// The pieces of a mix of so many replications: stretches of at least 1024 of them, and the gaps closed if they are made from several.
std::vector<PieceGroup> pieces_of_mix(std::uint64_t replications, bool gaps);

/// One mix of a study, from replications to results. `shape` says what the study's rows are; the mix's pieces are numbered from `first_piece` on.
MixResult run_mix(StudySpec const& study, std::size_t mix, StudyResult const& shape, Executor const& executor, RunOptions const& options,
                  std::uint64_t first_piece);

}  // namespace wattfill
