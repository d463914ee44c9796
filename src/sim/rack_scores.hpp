#pragma once
#include <span>
#include <vector>

#include "sim/racks.hpp"
#include "sim/snapshot_kernel.hpp"
#include "wattfill/policy/policy.hpp"
#include "wattfill/sim/snapshot.hpp"

namespace wattfill {

/// Scores of mixes whose racks have limits. Jobs of one class may draw differently, by their rack: they are counted one by one.
class RackScores {
 public:
  /// Throws InputError if the oracle meets jobs larger than a rack and this build solves no linear programs.
  RackScores(RackSpec const& racks, std::span<PolicySpec const> policies, std::span<Demand const> demands, std::span<JobClass const> classes);

  /// scores[policy][target][score] of one replication.
  void score(MixView const& mix, bool speeds_add_up, std::span<double> scores) const;
  /// Who gets what.
  std::vector<Allocation> allocate(MixView const& mix, std::size_t policy, std::size_t target) const;

 private:
  RackedJobs place(MixView const& mix) const;
  RackedDraws fill(RackedJobs const& placed, std::size_t plan, double limit_w) const;
  std::vector<double> speeds(RackedJobs const& placed, RackedDraws const& draws) const;
  void score_one(MixView const& mix, RackedJobs const& placed, RackedDraws const& draws, std::vector<double> const& reference, double* out) const;

  RackSpec racks_;
  std::vector<Demand> demands_;
  std::vector<JobClass> classes_;
  std::vector<double> gpus_;
  std::vector<FillPlan> plans_;  // of every policy; the last is `proportional`
  std::vector<bool> optimal_;
};

}  // namespace wattfill
