#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace wattfill {

/// What is reported of one mix under one policy at one target, in the order of the columns of replications.csv. T is a job's speed, v = T/T_max.
namespace score {
enum Index : std::size_t {
  target_w,          ///< the limit [W]
  power_w,           ///< total draw [W]
  shortfall_w,       ///< how much the floors alone exceed the limit [W]
  speed,             ///< sum of T; NaN (an empty cell) where the speed units differ or are not stated
  speed_per_job,     ///< mean of T; likewise
  speed_normalized,  ///< mean over jobs of v
  speed_gpu,         ///< GPU-weighted mean of v
  speed_p5,          ///< smallest v such that at least 5 % of the jobs have no more
  speed_min,         ///< v of the slowest job
  objective,         ///< the study's objective: sum (tokens, flops) or mean of V v
  hull_gap,          ///< oracle only: what the concave-hull bound of the objective is above it, in its unit; NaN for others
  share_worse,       ///< share of the jobs slower than under `proportional` (by more than 1e-9 of full speed)
  share_below_min,   ///< share of the jobs under their agreed minimum (by more than 1e-9 of full speed)
  jain_index,        ///< Jain's fairness index of v; insensitive: half the jobs at 1 and half at 0.7 give 0.97
  headroom_w,        ///< uncapped draw less the floors: what can be cut at all [W]
  rank_errors,       ///< share of the pairs of jobs that the PFIs the policy was told put in the wrong order
  count,             ///< of these
  // With a facility also:
  it_w = count,           ///< nodes and switches [W]
  meter_w,                ///< what the site's meter shows [W]
  meter_saved_per_gpu_w,  ///< meter watts saved for each GPU watt saved, against everyone uncapped; NaN where none is saved
  metered_count
};
}  // namespace score

struct ScoreInfo {
  std::string_view column;
  std::string_view meaning;
};
/// Column name and meaning of every score, indexed by score::Index.
std::array<ScoreInfo, score::metered_count> const& score_table();

}  // namespace wattfill
