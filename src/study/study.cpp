#include "wattfill/study/study.hpp"

#include <algorithm>

#include "study/mix_run.hpp"
#include "study/outer.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

std::optional<std::size_t> index_of(std::vector<PolicySpec> const& policies, auto matches) {
  auto const found = std::ranges::find_if(policies, matches);
  return found == policies.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - policies.begin()));
}

std::optional<std::size_t> reference_of(StudySpec const& study) {
  return index_of(study.policies, [&](PolicySpec const& p) { return p.shown() == study.reference; });
}

std::optional<std::size_t> oracle_of(StudySpec const& study) {
  return index_of(study.policies, [](PolicySpec const& p) { return p.name == "oracle"; });
}

/// Gaps closed are a piece of their own, unless which replications count is only known when they are folded.
bool keeps_gaps(StudySpec const& study) { return reference_of(study) && oracle_of(study) && !study.stop; }

std::uint64_t available(MixSpec const& mix) { return mix.listed.empty() ? mix.replications : 1; }

/// A single replication is asked for that this mix does not have.
bool left_out(MixSpec const& mix, RunOptions const& options) { return options.replication && *options.replication >= available(mix); }

}  // namespace

std::vector<Target> targets_of(StudySpec const& study) {
  std::vector<Target> targets;
  for (auto cut : study.cuts)
    if (study.limits_w.empty()) targets.push_back({Target::Kind::cut, cut});
  for (auto limit : study.limits_w) targets.push_back({Target::Kind::limit_w, limit});
  return targets;
}

std::uint64_t replications_of(StudySpec const& study, RunOptions const& options) {
  std::uint64_t total = 0;
  for (auto const& mix : study.mixes) {
    if (options.replication)
      total += left_out(mix, options) ? 0 : 1;
    else
      total += available(mix) * (1 + study.outer.draws);
  }
  return total;
}

std::vector<PieceGroup> pieces_of(StudySpec const& study) {
  std::vector<PieceGroup> groups;
  for (auto const& mix : study.mixes) {
    auto const more = pieces_of_mix(available(mix), keeps_gaps(study));
    groups.insert(groups.end(), more.begin(), more.end());
  }
  for (auto const& mix : study.mixes) groups.push_back({study.outer.draws, available(mix)});
  return groups;
}

StudyResult run_study(StudySpec const& study, Executor const& executor, RunOptions const& options) {
  StudyResult result;
  result.policies = study.policies.size();
  result.targets = targets_of(study).size();
  if (study.metering) result.scores = score::metered_count;
  result.reference = reference_of(study);
  result.oracle = oracle_of(study);
  if (options.replication && std::ranges::all_of(study.mixes, [&](MixSpec const& mix) { return left_out(mix, options); }))
    throw InputError(
        {{}, "--replication", std::to_string(*options.replication) + ": no mix has so many replications (they count from 0); choose a smaller one"});
  auto piece = options.first_piece;
  auto const stop_if_asked = [&] {  // plans may take long to prepare, and bootstraps to be drawn
    if (options.stop != nullptr && *options.stop) throw Interrupted();
  };
  for (std::size_t m = 0; m < study.mixes.size(); ++m) {
    if (left_out(study.mixes[m], options)) continue;
    stop_if_asked();
    result.mixes.push_back(run_mix(study, m, result, executor, options, piece));
    for (auto const& group : pieces_of_mix(available(study.mixes[m]), keeps_gaps(study))) piece += group.count;
  }
  stop_if_asked();
  if (study.outer.draws > 0 && !options.replication) run_outer(study, executor, options, piece, result);
  return result;
}

std::vector<MixAllocation> allocations(StudySpec const& study, std::uint64_t replication) {
  std::vector<MixAllocation> all;
  auto const targets = targets_of(study);
  for (auto const& mix : study.mixes) {
    if (replication >= available(mix)) continue;
    Snapshot const snapshot(mix, study.policies, targets, study.belief, study.objective, study.seed, study.metering, study.racks);
    for (std::size_t p = 0; p < study.policies.size(); ++p)
      for (std::size_t t = 0; t < targets.size(); ++t) all.push_back({mix.name, study.policies[p].shown(), targets[t], snapshot.allocate(replication, p, t)});
  }
  return all;
}

}  // namespace wattfill
