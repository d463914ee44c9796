#pragma once
#include "wattfill/curve/curve_library.hpp"

namespace wattfill {

/// All that a policy may know of one class of equal jobs. Never the true curve unless it is also the believed one (the oracle is handed the true ones).
struct Demand {
  Curve const* believed = nullptr;  ///< the curve one believes the jobs have, with what is known of them
  double gpus = 1;                  ///< of one job
  double floor_w = 0;               ///< lowest draw allowed, one GPU [W]
  double uncapped_w = 0;            ///< draw without a cap, one GPU [W]; >= floor_w
  double value = 1;                 ///< V: what a job at full speed is worth under the objective, >= 0
  double priority = 1;
  double pfi = 1;         ///< believed PFI; +infinity: first to be cut; NaN: unresponsive
  double b = 0, a = 0;    ///< believed quadratic response
  double loss_scale = 1;  ///< believed losses of speed are this many times those of the believed curve

  double job_uncapped_w() const { return gpus * uncapped_w; }
  bool adjustable() const { return floor_w < uncapped_w; }
};

}  // namespace wattfill
