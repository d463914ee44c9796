#pragma once
#include <string>
#include <vector>

#include "wattfill/training/job.hpp"
#include "wattfill/training/partition_search.hpp"

namespace wattfill {

/// Settings of one kind of partition with their costs (of one GPU), and how often it occurs in a pass of one microbatch through one stage: layers x
/// nanobatches.
struct PartitionKind {
  std::string name;
  double count = 1;
  std::vector<PartitionSetting> settings;
  std::vector<PartitionCost> costs;
};
/// What a pass does outside of its partitions, at each clock.
struct OutsideCost {
  double clock_mhz;
  PartitionCost cost;
};

/// A way to do one microbatch: one clock (switching takes milliseconds), one setting per kind of partition.
struct MicrobatchOption {
  double clock_mhz;
  PartitionCost cost;
  std::vector<std::size_t> setting;  ///< of each kind, an index of its settings
};

/// Kareus's composition (section 4.4): for each clock all sums over the kinds of partitions of count x (time, energy) and of what is outside, as far
/// as no other sum of any clock beats them in (time, energy - static_w x time). Time rises. Sums that are beaten are dropped kind by kind, which loses
/// none that matters: adding the same to both sides keeps what is beaten beaten. Clocks that a kind has no setting for are left out.
std::vector<MicrobatchOption> microbatch_frontier(std::vector<PartitionKind> const& kinds, std::vector<OutsideCost> const& outside, double static_w);

/// The options as a stage's profile for the solver: their knob is the clock.
std::vector<ProfilePoint> profile_of(std::vector<MicrobatchOption> const& options);

/// How two frontiers of the same job compare, other against base: the least energy within the base's shortest time (saving), and the least time within
/// the base's energy there (saving). Negative where the other is worse; nothing (NaN) where it has no such plan.
struct FrontierGain {
  double iso_time, iso_energy;
};
FrontierGain gain(IterationEnergy const& base, IterationEnergy const& other);

}  // namespace wattfill
