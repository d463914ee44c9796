#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "wattfill/contract/civil_time.hpp"

namespace wattfill {

/// What the load would have been.
enum class BaselineRule {
  caiso_10_of_10,  ///< mean of the last similar days at the same time, times a same-day factor (CAISO tariff 4.13.4)
  pjm_3_plus_2,    ///< mean of three hours before and two hours after, skipping one on either side (PJM Manual 11, Same Day)
  firm_level,      ///< a fixed peak load: the reduction is what the load is below it (firm service level)
  measured_before  ///< mean of a stretch just before
};

struct BaselineSpec {
  BaselineRule rule = BaselineRule::caiso_10_of_10;
  // caiso_10_of_10
  std::uint64_t weekdays = 10, weekend_days = 4;             ///< similar days looked for; holidays count as weekend
  std::uint64_t least_weekdays = 5, least_weekend_days = 4;  ///< fewer than this: there is no baseline
  std::uint64_t look_back_days = 45;
  double factor_low = 0.8, factor_high = 1.2;  ///< bounds of the same-day factor
  // caiso_10_of_10 and pjm_3_plus_2: [start - from, start - to] and, for the second, [end + after_from, end + after_to]
  double before_from_s = 4 * 3600, before_to_s = 3600, after_from_s = 3600, after_to_s = 3 * 3600;
  double peak_load_w = 0;  ///< firm_level
  double window_s = 3600;  ///< measured_before: length, and what lies between its end and the start
  double gap_s = 0;
};

/// A call for reduction.
struct ContractEvent {
  Instant start = 0, end = 0;         ///< start <= end
  std::optional<Instant> notified;    ///< when it was announced; absent: in time
  std::optional<double> committed_w;  ///< instead of the contract's
};

/// A contract as data. Prices may be 0.
struct ContractSpec {
  Zone zone;
  std::vector<Day> holidays;
  BaselineSpec baseline;
  double committed_w = 0;                ///< reduction that is promised
  double interval_s = 300;               ///< settlement interval, 300 or 900; intervals are aligned to the clock
  double notice_s = 0;                   ///< the obligation starts this long after the announcement at the earliest
  double ramp_s = 0;                     ///< and rises linearly over this time
  double least_coverage = 0.5;           ///< an interval of which less was metered counts as not delivered
  double availability_usd_per_mw_h = 0;  ///< for the promise, per hour of `available_h`, times the share of the obligation that was delivered
  double available_h = 0;
  double performance_usd_per_mwh = 0;  ///< for what is delivered, up to (1 + paid_excess) x obligation
  double paid_excess = 0;
  double penalty_usd_per_mwh = 0;  ///< for what is short by more than `tolerance` x obligation
  double tolerance = 0;
  std::vector<ContractEvent> events;  ///< ascending, not overlapping
};

}  // namespace wattfill
