#include "wattfill/contract/baseline.hpp"

#include <algorithm>
#include <cmath>

#include "contract/intervals.hpp"

namespace wattfill {
namespace {

/// Metering is whole up to rounding.
bool whole(Metered const& m) { return m.coverage >= 1 - 1e-9; }

/// Some event of the contract but this one touches [from, to).
bool other_event_in(ContractSpec const& contract, ContractEvent const& but, Instant from, Instant to) {
  return std::ranges::any_of(contract.events, [&](ContractEvent const& e) {
    bool const same = e.start == but.start && e.end == but.end;
    return !same && e.start < e.end && e.start < to && from < e.end;
  });
}

/// Some event of the contract touches this local day.
bool event_on(ContractSpec const& contract, Day day) {
  return std::ranges::any_of(
      contract.events, [&](ContractEvent const& e) { return e.start < e.end && e.start < contract.zone.at(day + 1, 0) && contract.zone.at(day, 0) < e.end; });
}

}  // namespace

bool is_weekend(ContractSpec const& contract, Day day) {
  auto const name = weekday_of(day);
  return name == Weekday::saturday || name == Weekday::sunday || std::ranges::find(contract.holidays, day) != contract.holidays.end();
}

Baseline::Baseline(ContractSpec const& contract, MeterSeries const& series, ContractEvent const& event) : series_(series), start_(event.start) {
  auto const& spec = contract.baseline;
  auto const before_from = event.start - spec.before_from_s, before_to = event.start - spec.before_to_s;
  switch (spec.rule) {
    case BaselineRule::firm_level: level_w_ = spec.peak_load_w; return;
    case BaselineRule::measured_before: {
      auto const to = event.start - spec.gap_s, from = to - spec.window_s;
      if (other_event_in(contract, event, from, to))
        problem_ = "another event is in the stretch before";
      else if (auto const seen = series.mean(from, to); whole(seen))
        level_w_ = seen.mean_w;
      else
        problem_ = "the meter has gaps in the stretch before";
      return;
    }
    case BaselineRule::pjm_3_plus_2: {
      auto const after_from = event.end + spec.after_from_s, after_to = event.end + spec.after_to_s;
      auto const before = series.mean(before_from, before_to), after = series.mean(after_from, after_to);
      if (other_event_in(contract, event, before_from, before_to) || other_event_in(contract, event, after_from, after_to))
        problem_ = "another event is in the hours before or after";
      else if (!whole(before) || !whole(after))
        problem_ = "the meter has gaps in the hours before or after";
      auto const b = before_to - before_from, a = after_to - after_from;
      level_w_ = (before.mean_w * b + after.mean_w * a) / (b + a);
      return;
    }
    case BaselineRule::caiso_10_of_10: break;
  }
  find_days(contract, event);
  if (!problem_.empty()) return;
  auto const today = series.mean(before_from, before_to);
  if (other_event_in(contract, event, before_from, before_to))
    problem_ = "another event is in the hours of the same-day factor";
  else if (!whole(today))
    problem_ = "the meter has gaps in the hours of the same-day factor";
  else if (auto const usual = days_mean(before_from, before_to); usual > 0)
    factor_ = std::clamp(today.mean_w / usual, spec.factor_low, spec.factor_high);
}

void Baseline::find_days(ContractSpec const& contract, ContractEvent const& event) {
  auto const& spec = contract.baseline;
  auto const& zone = contract.zone;
  auto const today = zone.day(event.start);
  auto const clock_s = zone.clock_s(event.start);
  bool const weekend = is_weekend(contract, today);
  auto const wanted = weekend ? spec.weekend_days : spec.weekdays;
  auto const least = weekend ? spec.least_weekend_days : spec.least_weekdays;
  for (Day day = today - 1; day >= today - static_cast<Day>(spec.look_back_days) && days_.size() < wanted; --day) {
    if (is_weekend(contract, day) != weekend) continue;
    auto const start = zone.at(day, clock_s), from = start - spec.before_from_s, to = start + (event.end - event.start);
    bool busy = false;
    for (Day d = zone.day(std::min(from, start)); d <= zone.day(to) && !busy; ++d) busy = event_on(contract, d);
    // A window that reaches into the day of the event itself would measure the event.
    if (busy || to > event.start || !whole(series_.mean(from, to))) continue;
    days_.push_back(day);
    starts_.push_back(start);
  }
  if (days_.size() < least)
    problem_ = "only " + std::to_string(days_.size()) + " similar days of at least " + std::to_string(least) + " were metered within " +
               std::to_string(spec.look_back_days) + " days";
}

double Baseline::days_mean(Instant from, Instant to) const {
  double sum = 0;
  for (auto const start : starts_) sum += series_.mean(start + (from - start_), start + (to - start_)).mean_w;
  return sum / static_cast<double>(starts_.size());
}

double Baseline::mean_w(Instant from, Instant to) const { return starts_.empty() ? level_w_ : factor_ * days_mean(from, to); }

std::vector<PlaceboError> placebos(ContractSpec const& contract, MeterSeries const& series, ContractEvent const& event) {
  std::vector<PlaceboError> errors;
  auto const length = event.end - event.start;
  if (series.empty() || !(length > 0)) return errors;
  auto const& zone = contract.zone;
  auto const clock_s = zone.clock_s(event.start);
  bool const weekend = is_weekend(contract, zone.day(event.start));
  for (Day day = zone.day(series.begin()); day <= zone.day(series.end()); ++day) {
    ContractEvent placebo;
    placebo.start = zone.at(day, clock_s);
    placebo.end = placebo.start + length;
    if (is_weekend(contract, day) != weekend || event_on(contract, day) || event_on(contract, zone.day(placebo.end))) continue;
    Baseline const baseline(contract, series, placebo);
    if (!baseline.exists() || !whole(series.mean(placebo.start, placebo.end))) continue;
    double squares = 0, expected = 0, seen = 0;
    for (auto const& [from, to] : intervals_of(placebo.start, placebo.end, contract.interval_s)) {
      auto const b = baseline.mean_w(from, to), m = series.mean(from, to).mean_w, share = (to - from) / length;
      squares += share * (b - m) * (b - m);
      expected += share * b;
      seen += share * m;
    }
    errors.push_back({placebo.start, expected, seen, std::sqrt(squares)});
  }
  return errors;
}

std::optional<double> rrmse(std::vector<PlaceboError> const& errors) {
  double squares = 0, seen = 0;
  for (auto const& e : errors) {
    squares += e.rms_w * e.rms_w;
    seen += e.metered_w;
  }
  auto const n = static_cast<double>(errors.size());
  return n > 0 && seen > 0 ? std::optional(std::sqrt(squares / n) / (seen / n)) : std::nullopt;
}

}  // namespace wattfill
