#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/racks.hpp"
#include "sim/snapshot_kernel.hpp"
#include "wattfill/facility/facility.hpp"
#include "wattfill/policy/policy.hpp"
#include "wattfill/sim/snapshot.hpp"

namespace wattfill {

/// A rule as racks are filled by it: its path over the demands that it is told.
struct RackRule {
  std::vector<Demand> demands;
  FillPlan plan;
  bool optimal;      ///< the best under all limits by the curves it is told, not the path's fair fill
  std::size_t slot;  ///< its scores go to scores[slot][target][score]; no_slot: it is only a reference
};

/// Scores of mixes whose racks have limits. Jobs of one class may draw differently, by their rack: they are counted one by one. With a facility the limit of
/// the whole may be at the IT load or the meter: it is the largest limit of the GPUs, racks kept, under which the other is met.
class RackScores {
 public:
  /// `truth`: demands by the true curves.
  RackScores(RackSpec const& racks, std::optional<MeteringSpec> const& metering, std::vector<Demand> truth, std::span<JobClass const> classes);

  /// Throws InputError if a rule that seeks the best meets jobs larger than a rack and this build solves no linear programs.
  void check(std::string const& shown, RackRule const& rule) const;

  /// scores[slot][target][score] of one replication; the first rule is `proportional`, which all are compared with.
  void score(MixView const& mix, std::span<RackRule const* const> rules, std::span<Target const> targets, bool speeds_add_up, std::span<double> scores) const;
  /// Who gets what.
  std::vector<Allocation> allocate(MixView const& mix, RackRule const& rule, std::span<Target const> targets, std::size_t t) const;

 private:
  /// What everyone uncapped draws [W].
  struct Uncapped {
    double gpu_w = 0, it_w = 0, meter_w = 0, nodes = 0;
  };
  /// Draws under a target, and what it is [W].
  struct Held {
    RackedDraws draws;
    double limit_w = 0, it_w = 0;
  };
  RackedJobs place(MixView const& mix) const;
  Uncapped uncapped(MixView const& mix) const;
  Held hold(MixView const& mix, Uncapped const& all, RackedJobs const& placed, RackRule const& rule, std::span<Target const> targets, std::size_t t) const;
  RackedDraws fill(RackedJobs const& placed, RackRule const& rule, double limit_w) const;
  double it_w(RackedJobs const& placed, RackedDraws const& draws) const;
  std::vector<double> speeds(RackedJobs const& placed, RackedDraws const& draws) const;
  void score_one(MixView const& mix, RackedJobs const& placed, RackedDraws const& draws, std::vector<double> const& reference, double* out) const;

  RackSpec racks_;
  std::optional<Facility> facility_;
  LimitAt limit_at_ = LimitAt::gpu;
  std::vector<Demand> truth_;
  std::vector<JobClass> classes_;
  std::vector<double> gpus_;
};

}  // namespace wattfill
