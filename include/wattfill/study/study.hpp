#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattfill/sim/snapshot.hpp"
#include "wattfill/study/executor.hpp"
#include "wattfill/study/gap_closed.hpp"
#include "wattfill/study/moments.hpp"
#include "wattfill/study/pieces.hpp"
#include "wattfill/study/study_spec.hpp"

namespace wattfill {

class DeviceDriver;

/// What is made of the scores of a stretch of replications; memory is used again from stretch to stretch.
struct RowText {
  std::string rows;   ///< for the file of rows, to which nothing else goes: it may travel there by another way than write()
  std::string aside;  ///< for write() alone, wherever that is called
};

/// Takes the scores of every replication, for a file. `format` is called by any thread, `write` by one, in the order of mixes and replications.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// `scores` holds `count` replications from `first` on, each [policy][target][score].
  virtual void format(std::size_t mix, std::uint64_t first, std::uint64_t count, std::span<double const> scores, RowText& text) const = 0;
  /// `aside` of one stretch or of several that follow one another; `rows` is empty where they reach their file by another way.
  virtual void write(std::string_view aside, std::string_view rows) = 0;
};

struct RunOptions {
  std::optional<std::uint64_t> replication;          ///< only this one
  RowSink* rows = nullptr;                           ///< nullptr: rows are not wanted
  std::function<void(std::uint64_t done)> progress;  ///< replications finished since the last call, from the calling thread
  std::atomic<bool> const* stop = nullptr;           ///< set: the run ends soon with Interrupted
  DeviceDriver const* device = nullptr;              ///< devices that make the replications of mixes, with the same bits; nullptr: the host does
  /// Set: what a device cannot do, or no longer, the host does, and this is told why, by any thread; else it is an error.
  std::function<void(std::string const&)> device_note;
  Pieces* pieces = nullptr;       ///< who makes which piece; nullptr: all are made here and none is kept. Not with `replication`
  std::uint64_t first_piece = 0;  ///< number of this study's first piece
};

/// Results of one mix. Columns of the moments: [policy][target][score].
struct MixResult {
  std::string name;
  std::uint64_t jobs = 0;
  Moments scores, vs_reference, vs_oracle;  ///< differences are paired: on the same mixes. Empty if there is no such policy
  std::vector<Estimate> gap_closed;         ///< [policy][target]; empty if there is no reference or no oracle
  std::vector<Estimate> gap_closed_outer;   ///< 95 % range over the outer bootstrap; empty if there is none
  std::vector<Estimate> objective_outer;    ///< likewise, of the mean objective
  std::vector<Estimate> below_min_outer;    ///< likewise, of the mean share of jobs under their agreed minimum
  std::vector<Estimate> shortfall_outer;    ///< likewise, of the mean shortfall [W]
  std::uint64_t outer_used = 0;             ///< outer draws that could be evaluated
};

struct StudyResult {
  std::vector<MixResult> mixes;
  std::size_t policies = 0, targets = 0;
  std::size_t scores = score::count;             ///< score::metered_count with a facility
  std::optional<std::size_t> reference, oracle;  ///< index of the policy
  std::size_t column(std::size_t policy, std::size_t target, std::size_t score) const { return (policy * targets + target) * scores + score; }
};

std::vector<Target> targets_of(StudySpec const& study);
/// Replications of all mixes, outer bootstrap included: what `progress` adds up to.
std::uint64_t replications_of(StudySpec const& study, RunOptions const& options);

/// How the study is cut into pieces: mix by mix, then the outer draws of each mix.
std::vector<PieceGroup> pieces_of(StudySpec const& study);

/// Runs a study. The result is a function of the spec alone: the same bits for any executor and wherever its pieces were made. Memory does not grow with
/// replications. If options.pieces does not fold, the result is not whole and of no use.
StudyResult run_study(StudySpec const& study, Executor const& executor, RunOptions const& options = {});

/// Who gets what in one replication of a mix.
struct MixAllocation {
  std::string mix, policy;
  Target target;
  std::vector<Allocation> classes;
};
/// Allocations of one replication, of every mix that has it, under every policy and target.
std::vector<MixAllocation> allocations(StudySpec const& study, std::uint64_t replication);

}  // namespace wattfill
