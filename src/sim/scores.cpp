#include "wattfill/sim/scores.hpp"

namespace wattfill {

std::array<ScoreInfo, score::metered_count> const& score_table() {
  static constexpr std::array<ScoreInfo, score::metered_count> table{{
      {"target_w", "power limit [W], where it is meant (limit.at)"},
      {"power_w", "total draw of all GPUs [W]"},
      {"shortfall_w", "watts by which the floors alone exceed the limit, where it is meant; 0 if it is met"},
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
      {"it_w", "with a facility: draw of nodes and switches [W]"},
      {"meter_w", "with a facility: what the site's meter shows [W]"},
      {"meter_saved_per_gpu_w", "with a facility: meter watts saved for each GPU watt saved, against everyone uncapped; empty where none is saved"},
  }};
  return table;
}

}  // namespace wattfill
