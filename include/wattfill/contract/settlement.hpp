#pragma once
#include <optional>
#include <string>
#include <vector>

#include "wattfill/contract/baseline.hpp"
#include "wattfill/contract/contract_spec.hpp"
#include "wattfill/contract/meter_series.hpp"

namespace wattfill {

/// One settlement interval of one event.
struct SettledInterval {
  std::size_t event;
  Instant from, to;
  double coverage;     ///< share that was metered
  double baseline_w;   ///< mean; 0 without a baseline
  double metered_w;    ///< mean over what was metered
  double required_w;   ///< obligation after notice and ramp, mean over the interval
  double delivered_w;  ///< baseline - metered, negative where the load rose; 0 where nothing can be proven (no baseline, too little metered)
  double shortfall_w;  ///< required - delivered if positive
  double payment_usd, penalty_usd;
  double hours() const { return (to - from) / 3600; }
};

/// One event as a whole.
struct SettledEvent {
  double committed_w;
  double factor;        ///< same-day factor of the baseline
  std::size_t days;     ///< similar days it was taken from
  std::string problem;  ///< why there is no baseline; empty if there is one
  double required_wh, delivered_wh, shortfall_wh;
  double least_delivered_w;  ///< of the intervals with the full obligation; 0 if there are none
  double payment_usd, penalty_usd;
  std::optional<double> rrmse;  ///< of placebo events at its time
  std::size_t placebos;
};

struct Settlement {
  std::vector<SettledInterval> intervals;
  std::vector<SettledEvent> events;
  double performance = 1;  ///< delivered (at most the obligation) over obligation, all events; 1 if nothing was called
  double availability_usd = 0, payment_usd = 0, penalty_usd = 0;
  double total_usd() const { return availability_usd + payment_usd - penalty_usd; }
};

/// Watts that are owed, mean over [from, to): none before max(start, notified + notice), then rising linearly over the ramp to what was committed.
double required_w(ContractSpec const& contract, ContractEvent const& event, Instant from, Instant to);

/// Settles every event of the contract on what the meter saw.
Settlement settle(ContractSpec const& contract, MeterSeries const& series);

}  // namespace wattfill
