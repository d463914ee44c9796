#pragma once
#include <span>
#include <vector>

#include "sim/metered_path.hpp"
#include "wattfill/sim/snapshot.hpp"

namespace wattfill {

/// What snapshots with a facility add to the kernel's scores: what each target means to the GPUs on each path, and what IT load and meter then show.
class MeterScores {
 public:
  MeterScores(MeteringSpec const& spec, std::span<JobClass const> classes);

  MeteredPath along(PathView const& path) const { return {facility_, path, classes_}; }

  struct Reading {
    double limit_w, shortfall_w, it_w, meter_w, saved;
  };
  /// Of one replication: targets_w[path][target] and readings[path][target]. `metered[k]` belongs to `paths[k]`; paths vary where rules believe other things.
  void read(MixView const& mix, std::span<Target const> targets, std::span<PathView const> paths, std::span<MeteredPath const* const> metered,
            std::span<double> targets_w, std::span<Reading> readings) const;

  /// Puts the kernel's rows of one replication, [slot][target][score::count], with the readings, into rows of score::metered_count.
  static void widen(std::span<PathView const> paths, std::size_t targets, std::span<Reading const> readings, std::span<double const> rows,
                    std::span<double> wide);

 private:
  Facility facility_;
  LimitAt limit_at_;
  std::size_t classes_;
  LaneVector uncapped_;  // GPU watts, then IT watts, of one GPU of each class
};

}  // namespace wattfill
