#pragma once
#include <functional>
#include <string>
#include <vector>

#include "wattfill/contract/contract_spec.hpp"
#include "wattfill/contract/meter_series.hpp"

namespace wattfill::testing {

inline Instant at(std::string const& text) { return *read_instant(text); }

/// Readings of `step_s` from `from` to `to` [dates, local midnight]; `watts` knows the instant.
inline MeterSeries load(Zone const& zone, char const* from, char const* to, double step_s, std::function<double(Instant)> const& watts) {
  std::vector<MeterSeries::Reading> readings;
  for (Instant t = zone.at(*read_date(from), 0); t < zone.at(*read_date(to), 0); t += step_s) readings.push_back({t, watts(t)});
  return MeterSeries(std::move(readings), step_s);
}

inline ContractEvent event(std::string const& start, std::string const& end) {
  ContractEvent e;
  e.start = at(start);
  e.end = at(end);
  return e;
}

}  // namespace wattfill::testing
