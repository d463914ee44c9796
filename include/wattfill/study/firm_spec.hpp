#pragma once
#include <cstdint>
#include <vector>

#include "wattfill/contract/contract_spec.hpp"

namespace wattfill {

/// What is asked of a capacity study over time: what can be promised for so many hours from an hour of one day of the run on.
struct FirmSpec {
  std::vector<double> speed_losses;     ///< of the objective, in (0, 1)
  std::vector<double> confidences;      ///< in (0, 1)
  std::vector<double> durations_h;      ///< > 0
  std::vector<double> hours;            ///< of the day, when events begin
  double day_s = 0;                     ///< time of the run at which that day begins [s]
  std::vector<BaselineRule> baselines;  ///< what settles it, with the numbers of the study's contract; empty: nothing is settled
  double interval_s = 900;              ///< settlement interval [s]

  double from_s() const;  ///< of the part of the run that is looked at
  double to_s() const;
};

}  // namespace wattfill
