#pragma once
#include <limits>

namespace wattfill {

/// From `time_s` on the limit is `limit_w` [W], up to the next step. Before the first step there is no limit.
struct LimitStep {
  double time_s;
  double limit_w;
  bool operator==(LimitStep const&) const = default;
};

/// What is agreed of falls of the limit, and when the fleet acts on them.
struct LimitTerms {
  double notice_s = 0;  ///< a fall is known so long before
  double ramp_s = 0;    ///< ramp deadline: the draw must be under it so long after
  double lead_s = 0;    ///< the fleet acts so long before it, in [-ramp_s, notice_s]
  bool operator==(LimitTerms const&) const = default;
};

/// Events that come at random: the limit is `base_w`, and falls to (1 - cut) base_w for a while.
struct LimitEventsSpec {
  double base_w = 0;
  double mean_gap_s = 86400;                ///< mean of the exponential time from the end of one (from 0) to the next
  double cut_low = 0.25, cut_high = 0.25;   ///< depth, uniform between the two, in [0, 1]
  double median_s = 10800, mean_s = 10800;  ///< length, lognormal; mean >= median > 0; equal: always that
  double until_s = 0;                       ///< events begin in [0, until_s)
};

}  // namespace wattfill
