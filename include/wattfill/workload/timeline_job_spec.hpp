#pragma once
#include <cstdint>
#include <limits>
#include <string>

#include "wattfill/workload/mix_spec.hpp"

namespace wattfill {

/// A stretch of a job's work that has a curve of its own: training, evaluation, generation, ...
struct JobPhase {
  Curve const* curve = nullptr;
  double work_s = 0;  ///< > 0, at this curve's full speed
};

/// One job of a timeline. Work is counted in seconds at full speed on the GPUs asked for.
struct TimelineJob {
  std::string id;  ///< unique
  Curve const* curve = nullptr;
  double gpus = 1;
  double work_s = 0;
  double submit_s = 0;
  JobTerms terms;
  double deadline_s = std::numeric_limits<double>::infinity();  ///< time by which it should be finished
  double mean_loss = 1;                                         ///< flex budget: mean loss of speed over its run that was agreed, in [0, 1]; 1: any
  std::uint32_t cycle = 0;         ///< its phases come again and again in this order: 1 + their index in the run; 0: it has `curve` throughout
  std::uint16_t rack = 0;          ///< where there are racks: 1 + the one that it must run in; 0: any
  bool stateless = false;          ///< nothing to save or load: pauses and resizes take no time, and it writes no checkpoints
  double since_checkpoint_s = -1;  ///< when it starts, its last own checkpoint began so long ago; below 0: it counts from its start
  double estimate_s = -1;          ///< run time at full speed that the scheduler is told; below 0: work_s
};

}  // namespace wattfill
