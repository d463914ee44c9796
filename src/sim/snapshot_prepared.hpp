#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/demands.hpp"
#include "sim/meter_scores.hpp"
#include "sim/path.hpp"
#include "sim/rack_scores.hpp"
#include "wattfill/sim/snapshot.hpp"

namespace wattfill {

/// What all threads of a snapshot study read: the mix, what is believed of it, and everything that is the same in each replication.
struct Snapshot::Prepared {
  /// A policy of the study, or `proportional`, which all are compared with.
  struct Rule {
    std::unique_ptr<Policy> policy;
    std::string shown;
    Knowledge knows;
    Looks looks;
    std::size_t slot;
    bool varies;                      // its path is another one in every replication
    std::optional<std::size_t> path;  // else
  };

  Mix mix;
  MixBeliefs beliefs;
  std::vector<Target> targets;
  std::uint64_t seed, key;
  std::size_t policies;
  bool mean_objective, speeds_add_up;
  std::vector<Rule> rules;  // the first is `proportional`, listed or not
  std::vector<Path> paths;  // of the rules that do not vary, in their order
  std::vector<PathView> views;
  std::vector<double> gpus, full_speed, value, min_speed;  // per job of each class
  LaneVector ends;                                         // true floors, then full draws [W, one GPU]
  std::optional<MeterScores> meter;
  std::vector<MeteredPath> metered;  // as paths, with a facility
  std::optional<RackScores> racks;
  std::vector<RackRule> rack_rules;  // as paths, with racks
  bool varies = false;

  Prepared(MixSpec const& spec, std::span<PolicySpec const> wanted, std::vector<Target> at, BeliefSpec const& belief, Objective objective,
           std::uint64_t of_study, std::optional<MeteringSpec> const& metering, std::optional<RackSpec> const& rack_limits);

  /// What a rule is told in a replication, and its path over it.
  RackRule tell(Rule const& rule, std::uint64_t replication) const;
  FillPlan plan_of(Rule const& rule, std::uint64_t replication) const { return tell(rule, replication).plan; }

  std::size_t width() const { return meter ? score::metered_count : score::count; }  ///< scores of one policy at one target

 private:
  void add(PolicySpec const& policy, std::size_t slot);
};

}  // namespace wattfill
