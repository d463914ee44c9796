#pragma once
#include <cmath>
#include <cstddef>

#include "wattfill/core/hostdevice.hpp"

namespace wattfill {

/// Share of full speed below which two speeds count as equal.
inline constexpr double speed_slack = 1e-9;

/// The slot of a path whose scores nobody wants.
inline constexpr std::size_t no_slot = static_cast<std::size_t>(-1);

/// How a split class stands between a knot and the next: `up` jobs at the upper draw, one at `middle_w`, `part` of the way, if part > 0, the rest at the
/// lower draw.
struct Split {
  double up;
  double part;
  double middle_w;
};
WATTFILL_HD inline Split split_class(double jobs, double theta, double lower_w, double upper_w) {
  double const level = theta * jobs;
  double const up = std::floor(level);
  double const part = level - up;
  return {up, part, lower_w + part * (upper_w - lower_w)};
}

}  // namespace wattfill
