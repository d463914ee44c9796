#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/snapshot_kernel.hpp"
#include "wattfill/fill/fill_plan.hpp"
#include "wattfill/workload/mix.hpp"

namespace wattfill {

/// A policy's path with what the kernel reads along it.
class Path {
 public:
  /// `splits`: the path moves one class at a time and splits it. `slot`: where its scores go, see PathView.
  Path(FillPlan const& plan, bool splits, std::span<JobClass const> classes, std::size_t slot);

  PathView view() const;

 private:
  void add_place(FillPlan const& plan, std::span<JobClass const> classes, FillPlan::Place place);

  LaneVector draws_, speeds_;
  std::vector<std::size_t> rises_first_, first_, lanes_first_;
  std::vector<PathView::Rise> rises_;
  std::vector<double> theta_, theta_next_, theta_lanes_;
  std::vector<std::uint32_t> by_speed_;
  std::vector<PathView::Move> moves_;
  std::size_t stride_, knots_, slot_;
};

}  // namespace wattfill
