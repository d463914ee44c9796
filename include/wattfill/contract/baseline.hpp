#pragma once
#include <string>
#include <vector>

#include "wattfill/contract/contract_spec.hpp"
#include "wattfill/contract/meter_series.hpp"

namespace wattfill {

/// The load that one event's reduction is measured against. Sources: CAISO Fifth Replacement Tariff 4.13.4.1 (ten similar non-event days out of 45,
/// weekends and holidays four; same-day factor of the three hours that end an hour before, within 20 %); PJM Manual 11 section 10 ("Same Day (3+2)").
/// Hours are counted from the event's start and end; for events on whole hours that is the tariffs' hour-ending arithmetic.
class Baseline {
 public:
  /// `event` need not be one of the contract's: a placebo has a baseline, too. Days on which another event is, are passed over.
  Baseline(ContractSpec const& contract, MeterSeries const& series, ContractEvent const& event);

  /// Nothing is wrong; else why there is no baseline.
  bool exists() const { return problem_.empty(); }
  std::string const& problem() const { return problem_; }
  double factor() const { return factor_; }               ///< same-day factor; 1 for the other rules
  std::vector<Day> const& days() const { return days_; }  ///< similar days used, latest first
  /// Mean over [from, to) within the event [W].
  double mean_w(Instant from, Instant to) const;

 private:
  void find_days(ContractSpec const& contract, ContractEvent const& event);
  double days_mean(Instant from, Instant to) const;

  MeterSeries const& series_;
  Instant start_;
  std::vector<Day> days_;
  std::vector<Instant> starts_;  // the event's local start on these days
  double level_w_ = 0;           // of rules that know only one
  double factor_ = 1;
  std::string problem_;
};

/// The baseline's own error: as if there had been an event on a day without one.
struct PlaceboError {
  Instant start;
  double baseline_w, metered_w;  ///< means over the placebo
  double rms_w;                  ///< root mean square over intervals of baseline - metered
};
/// Placebos of the length and local time of `event` on every similar day of the series without an event that has a baseline and full metering.
std::vector<PlaceboError> placebos(ContractSpec const& contract, MeterSeries const& series, ContractEvent const& event);
/// Relative root mean square error: sqrt(mean of squares) / mean metered load. Nothing without placebos.
std::optional<double> rrmse(std::vector<PlaceboError> const& errors);

/// Weekend or holiday.
bool is_weekend(ContractSpec const& contract, Day day);

}  // namespace wattfill
