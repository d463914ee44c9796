#pragma once
#include <string>
#include <vector>

#include "wattfill/flexibility/reconstruct.hpp"

namespace wattfill {

/// A group with the draws that the spec gives it.
struct GroupDraws {
  PublishedGroup const* group;
  std::vector<double> own;     ///< draw at each of the group's own caps, ascending [W]
  std::vector<double> coarse;  ///< draw at 200, 500, 600, 700 W [W]

  bool both() const { return group->pfi.has_value(); }
};

/// T / T_max at each own cap, ascending (the last is 1), and why a published PFI is missed (empty: no reason known).
struct ShapedGroup {
  std::vector<double> relative_speed;
  std::string reason;
};

/// Smallest T(200 W) / T_max that a reconstruction may have: a job under its lowest cap still runs.
inline constexpr double least_relative_speed = 0.05;

std::vector<ShapedGroup> shape_quadratic(std::vector<GroupDraws> const& groups);
std::vector<ShapedGroup> shape_roofline(std::vector<GroupDraws> const& groups, double static_power_w);

/// Median of the values that belong to the class (architecture, and task for MoE) of `group`, over the groups with both PFIs.
double class_median_of(std::vector<GroupDraws> const& groups, std::vector<double> const& values, PublishedGroup const& group);

/// Where `rising` (non-decreasing) passes `target` on [low, high]; the end that is nearest where it does not.
template <class Function>
double bisect(Function const& rising, double target, double low, double high) {
  if (!(rising(high) > target)) return high;
  if (!(rising(low) < target)) return low;
  for (int i = 0; i < 200; ++i) {
    double const middle = low + (high - low) / 2;
    (rising(middle) > target ? high : low) = middle;
  }
  return low;
}

}  // namespace wattfill
