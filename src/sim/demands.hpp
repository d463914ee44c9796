#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wattfill/flexibility/believer.hpp"
#include "wattfill/policy/demand.hpp"
#include "wattfill/policy/policy_spec.hpp"
#include "wattfill/sim/objective.hpp"
#include "wattfill/workload/mix.hpp"

namespace wattfill {

/// What is believed of the classes of one mix, and the demands that policies are handed accordingly. Immutable. The mix outlives it.
class MixBeliefs {
 public:
  MixBeliefs(MixSpec const& spec, Mix const& mix, BeliefSpec const& belief, Objective objective);

  bool varies() const { return believer_.varies(); }
  bool perfect() const { return believer_.perfect(); }

  /// One belief per curve.
  std::vector<Belief> beliefs(Knowledge knows, std::uint64_t seed, std::uint64_t replication) const;
  /// One demand per class. Watts and values are true; floors are what agreed speeds are believed to need.
  std::vector<Demand> demands(std::vector<Belief> const& beliefs, Knowledge knows) const;
  std::vector<Demand> truth() const;
  /// Share of the pairs of jobs of different PFI that these beliefs order the wrong way; a believed tie counts half (Fagin et al., SIAM J. Discrete Math.
  /// 17, 2003). 0 where there is no pair.
  double rank_errors(std::vector<Belief> const& beliefs, std::span<double const> jobs) const;

 private:
  std::vector<Demand> demands(std::vector<Belief> const& beliefs, double epsilon) const;

  std::string name_;
  std::span<JobClass const> classes_;
  std::vector<std::size_t> curve_of_;  // of every class
  Objective objective_;
  double epsilon_;
  Believer believer_;
};

}  // namespace wattfill
