#include "wattfill/sim/scores.hpp"

namespace wattfill {

std::array<ScoreInfo, score::count> const& score_table() {
  static constexpr std::array<ScoreInfo, score::count> table{{
      {"target_w", "power limit [W]"},
      {"power_w", "total draw of all GPUs [W]"},
      {"shortfall_w", "watts by which the floors alone exceed the limit; 0 if it is met"},
      {"speed", "sum of the jobs' speeds, in the libraries' speed unit; empty where units differ or are not stated"},
      {"speed_per_job", "mean speed of a job, in the libraries' speed unit; empty likewise"},
      {"speed_normalized", "mean over jobs of speed / full speed"},
      {"speed_gpu", "GPU-weighted mean of speed / full speed"},
      {"speed_p5", "5th percentile over jobs of speed / full speed: the smallest that at least 5 % of the jobs do not exceed"},
      {"speed_min", "speed / full speed of the slowest job"},
      {"objective_value", "the study's objective: a sum (tokens, flops) or a mean (gpu_speed, normalized, weighted)"},
      {"hull_gap", "oracle only: distance of the objective to its proven upper bound, in its unit"},
      {"share_worse", "share of the jobs that are slower than under proportional"},
      {"share_below_min", "share of the jobs below their agreed minimum speed"},
      {"jain_index", "Jain's fairness index of speed / full speed (insensitive: half at 1, half at 0.7 gives 0.97)"},
      {"headroom_w", "watts between everyone uncapped and everyone at the floor: what can be cut at all"},
      {"rank_errors", "share of the pairs of jobs of different PFI that the believed PFIs order the wrong way (Kendall distance; a believed tie counts half)"},
  }};
  return table;
}

}  // namespace wattfill
