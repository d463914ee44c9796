#pragma once
#include <optional>
#include <span>
#include <vector>

#include "wattfill/policy/tree_oracle.hpp"
#include "wattfill/sim/metering_spec.hpp"

namespace wattfill {

/// The jobs of one mix on racks of their own size.
struct RackedJobs {
  std::vector<PlacedJob> jobs;  ///< classes in order
  std::size_t racks = 0, pdus = 0;
};
/// `counts[c]` jobs of `gpus[c]` GPUs each. Largest jobs first, ties by class; a job that fits a rack goes into the first one with room, a larger one over
/// empty racks.
RackedJobs place_jobs(RackSpec const& racks, std::span<double const> counts, std::span<double const> gpus);

/// What every job draws.
struct RackedDraws {
  std::vector<double> draw_w;   ///< [job], one GPU [W]
  double power_w = 0;           ///< all GPUs [W]
  double shortfall_w = 0;       ///< largest excess of floors over a limit, in GPU watts
  std::optional<double> bound;  ///< oracle: the hull bound of sum V T/T_max
};
/// Under a limit of all GPUs, one of each rack and, where there are PDUs, one of each of them. `optimal`: the best there is instead of the plan's max-min fair
/// fill.
RackedDraws fill_racks(RackSpec const& racks, RackedJobs const& placed, FillPlan const& plan, std::span<Demand const> demands, double limit_w, bool optimal);

}  // namespace wattfill
