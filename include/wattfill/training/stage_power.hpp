#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattfill/training/job.hpp"

namespace wattfill {

/// How one mean draw of a job is shared among the stages of its pipeline by the frontier, and what sharing it by one limit for all would cost.
struct StagePower {
  double power_w;                   ///< mean draw of one GPU over all stages
  double time_s;                    ///< of the frontier's iteration at this draw: the least possible
  std::optional<double> uniform_s;  ///< of the fastest iteration under one power limit for every pass (zeus_global) that draws no more; nothing: none does
  std::vector<double> stage_w;      ///< mean draw of one GPU of each rank, waiting included; their mean is power_w
};

/// `points` iteration times at even distances, from the shortest to that of least energy (one row if they are the same), and so draws from the highest down;
/// below the last, stages save by waiting, all alike. Draws are those of planned durations (JobModel's costs), which plans of measured knobs come near to.
/// Throws InputError for fewer than 2 points.
std::vector<StagePower> stage_power(JobModel const& model, IterationEnergy const& energy, int points);

/// Mean draw of one GPU of each rank [W] where all together draw `power_w[i]` on average [W of one GPU, any order]: at the least time that this draw allows,
/// beyond the frontier's end by waiting between iterations. Draws above that of the shortest time are read as it. Throws InputError for a draw that is not
/// above that of a waiting GPU.
std::vector<std::vector<double>> stages_at(JobModel const& model, IterationEnergy const& energy, std::span<double const> power_w);

/// `power_w,time_s,uniform_time_s,rank,stage_w,share`: a row per draw and rank; share of the job's draw.
std::string stage_power_csv(std::vector<StagePower> const& rows);

}  // namespace wattfill
