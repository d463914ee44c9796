#pragma once
#include <optional>
#include <string>
#include <vector>

#include "wattfill/training/device_model.hpp"
#include "wattfill/training/kareus.hpp"

namespace wattfill {

/// A kind of partition of the job: what it computes and sends, and how often in a pass (layers of a stage x nanobatches).
struct KareusPartition {
  std::string name;
  Direction direction = Direction::forward;
  double count = 1;
  PartitionShape shape;
  PartitionTable table{};  ///< what was measured; with it `shape` is not looked at, and its settings are all there are
};
/// What a pass does beside its partitions.
struct KareusOutside {
  Direction direction = Direction::forward;
  bool last_stage_only = false;
  double flop = 0, bytes = 0;
};

/// A job whose passes are made of partitions: measured ones, or on an analytic device. Plain data.
struct KareusSpec {
  DeviceModel device;
  std::vector<double> clocks_mhz;
  std::vector<int> sms, blocks;
  int default_sms = 20, default_block = 512;  ///< what communication gets where nothing schedules it
  std::vector<KareusPartition> partitions;
  std::vector<KareusOutside> outside;
  std::optional<SearchSize> search;  ///< nothing: every setting is measured
  std::uint64_t seed = 0;
};

/// One way to run the job, down to the profiles of its stages.
struct KareusSystem {
  std::string name;
  TrainingJob job;
  std::size_t measurements;  ///< settings measured, over all kinds of partitions
};

/// Every setting of a partition that can be chosen, with its cost: of a measured one its table's at the clocks of `spec`.
PartitionTable every_setting(KareusSpec const& spec, KareusPartition const& partition);

/// megatron-perseus: no overlap, default SMs, a clock per pass. nanobatching-perseus: communication beside all of the other nanobatch's computations,
/// default SMs. kareus: every knob, as far as the search has measured; kareus-no-clock: at the top clock; kareus-no-scheduling: default SMs and timing;
/// kareus-exhaustive: every setting measured. `job` gives schedule, time step and costs. In all of them a waiting GPU draws the device's static power. Where a
/// table holds no setting that is the default at a clock, that clock is left out; InputError where it is at none.
std::vector<KareusSystem> kareus_systems(KareusSpec const& spec, TrainingJob const& job);

/// `system,measurements,shortest_s,energy_j,static_j,dynamic_j,best_s,best_energy_j,iso_time,iso_energy,saving`: the frontier's ends with static and
/// dynamic energy apart (of all GPUs of a replica), gains over the first system, and the saving at the first system's shortest time against its
/// top-clock energy.
std::string kareus_csv(std::vector<KareusSystem> const& systems);

}  // namespace wattfill
