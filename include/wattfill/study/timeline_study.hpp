#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "wattfill/contract/settlement.hpp"
#include "wattfill/sim/timeline.hpp"
#include "wattfill/study/executor.hpp"
#include "wattfill/study/moments.hpp"
#include "wattfill/study/pieces.hpp"
#include "wattfill/study/timeline_study_spec.hpp"

namespace wattfill {

/// Replications x policies of a timeline study. Columns of the moments: [policy][metric].
struct TimelineStudyResult {
  std::size_t policies = 0;
  std::optional<std::size_t> reference;  ///< index of the policy
  Moments metrics, vs_reference;         ///< differences are paired: of the same jobs
  std::size_t column(std::size_t policy, std::size_t m) const { return policy * metric::count + m; }
};

/// What a replication gives beside its metrics, policy by policy.
struct TimelineAside {
  std::vector<Settlement> settlements;     ///< of the study's contract
  std::vector<std::vector<double>> given;  ///< of its capacity study: FirmProbe::given()
};

struct TimelineOptions {
  std::function<void(std::uint64_t replication, std::span<double const> metrics)> row;  ///< [policy][metric], in order of replications; may be empty
  std::function<void(std::uint64_t done)> progress;                                     ///< replications finished since the last call
  std::atomic<bool> const* stop = nullptr;
  std::function<void(std::uint64_t replication, TimelineAside const& aside)> aside = {};  ///< before its row; may be empty
  /// Who makes which piece; nullptr: all are made here and none is kept. Not for studies with a contract or a capacity, whose asides are in no piece.
  Pieces* pieces = nullptr;
  std::uint64_t first_piece = 0;  ///< number of this study's first piece
};

/// A piece a replication.
std::vector<PieceGroup> pieces_of(TimelineStudySpec const& study);

/// The jobs and everything else of one replication. Throws InputError for jobs that can never run.
Timeline timeline_of(TimelineStudySpec const& study, std::uint64_t replication);

/// What can be said of a study before it runs: throws InputError for jobs that can never run, and for a policy that cannot act under the limits.
void check_policies(TimelineStudySpec const& study);

/// Runs all replications, each under every policy. The result is a function of the spec alone: the same bits for any executor and wherever its pieces were made
/// (not whole if options.pieces does not fold). Throws InputError naming the policy that cannot be made, Interrupted when stopped.
TimelineStudyResult run_timelines(TimelineStudySpec const& study, Executor const& executor, TimelineOptions const& options = {});

/// One replication under every policy, with an observer for each; [policy][metric].
std::vector<double> run_replication(TimelineStudySpec const& study, std::uint64_t replication,
                                    std::function<TimelineObserver*(std::size_t policy, Timeline const&)> const& observer, TimelineAside* aside = nullptr);
/// The result of a study of that one replication.
TimelineStudyResult result_of(TimelineStudySpec const& study, std::span<double const> metrics);

}  // namespace wattfill
