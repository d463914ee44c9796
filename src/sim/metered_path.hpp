#pragma once
#include <span>
#include <vector>

#include "sim/snapshot_kernel.hpp"
#include "wattfill/core/lanes.hpp"
#include "wattfill/facility/facility.hpp"

namespace wattfill {

/// IT load along a policy's path. Rows of IT watts per GPU at the knots find the stretch that a limit lies in as GPU watts do; within it the load of each node
/// is evaluated, as it is not linear. Nodes that draw differently are summed node by node: fans and supplies make uneven cuts dearer at the meter than even
/// ones.
class MeteredPath {
 public:
  MeteredPath(Facility const& facility, PathView const& path, std::size_t classes);

  /// IT load at a place on the path. `jobs` and `gpus` count the jobs and GPUs of every class, as the kernel's mix does.
  double it_w(Facility const& facility, PathView const& path, MixView const& mix, FillPosition const& at) const;

  /// The last place whose IT load is not above the limit; the path's start, with the excess in `shortfall_w`, if there is none. `power_w` is the GPUs' draw.
  FillPosition locate(Facility const& facility, PathView const& path, MixView const& mix, double limit_it_w) const;

 private:
  FillView rows_view() const { return {rows_.data(), stride_, knots_}; }

  LaneVector rows_;  // [knot][class], IT watts for each GPU
  std::size_t stride_, knots_, classes_;
};

}  // namespace wattfill
