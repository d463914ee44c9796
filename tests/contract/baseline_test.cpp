#include "wattfill/contract/baseline.hpp"

#include <cmath>

#include "contract/loads.hpp"
#include "support/catch.hpp"

namespace wattfill {
namespace {

using testing::event;
using testing::load;

ContractSpec contract(BaselineRule rule) {
  ContractSpec c;
  c.zone = {-8, SummerTime::us};
  c.baseline.rule = rule;
  return c;
}

/// 1000 W per day of May at any hour, 100 W more in each hour of the clock.
double by_day_and_hour(Zone const& zone, Instant t) {
  auto const day = static_cast<double>(zone.day(t) - day_of(2025, 5, 1));
  return 100000 + 1000 * day + 100 * std::floor(zone.clock_s(t) / 3600);
}

}  // namespace

TEST_CASE("10 of 10 takes the last ten similar days without events, and the same-day factor") {
  auto c = contract(BaselineRule::caiso_10_of_10);
  // Event on Thursday 2025-05-22, 17:00 to 18:00. Weekdays before it: 21 20 19 | 16 15 14 13 12 | 9 8 7 6 5 | 2 1.
  auto const e = event("2025-05-22T17:00:00-07:00", "2025-05-22T18:00:00-07:00");
  c.events = {e};
  auto const series = load(c.zone, "2025-05-01", "2025-05-23", 900, [&](Instant t) {
    auto const usual = by_day_and_hour(c.zone, t);
    return c.zone.day(t) == day_of(2025, 5, 22) ? usual * 1.1 : usual;
  });
  Baseline const plain(c, series, e);
  REQUIRE(plain.problem() == "");
  REQUIRE(plain.days().size() == 10);
  CHECK(date_text(plain.days().front()) == "2025-05-21");
  CHECK(date_text(plain.days().back()) == "2025-05-08");
  // Days of May used, counted from the 1st: 20 19 18 15 14 13 12 11 8 7: mean 13.7. Hours 13, 14 and 15 for the factor: mean 1400 W; hour 17 for the event.
  auto const today = 1.1 * (100000 + 21000 + 1400), usual = 100000.0 + 13700 + 1400;
  CHECK(plain.factor() == Approx(today / usual));
  CHECK(plain.factor() < 1.2);
  CHECK(plain.mean_w(e.start, e.end) == Approx(today / usual * (100000 + 13700 + 1700)));

  // A holiday on the 20th and an event in the night from the 15th to the 16th take three days out; 7, 6 and 5 come in.
  c.holidays = {day_of(2025, 5, 20)};
  c.events.insert(c.events.begin(), event("2025-05-15T23:00:00-07:00", "2025-05-16T01:00:00-07:00"));
  Baseline const less(c, series, e);
  std::string days;
  for (auto d : less.days()) days += date_text(d).substr(8) + " ";
  CHECK(days == "21 19 14 13 12 09 08 07 06 05 ");
}

TEST_CASE("the same-day factor stays within 20 %") {
  auto c = contract(BaselineRule::caiso_10_of_10);
  auto const e = event("2025-05-22T17:00:00-07:00", "2025-05-22T18:00:00-07:00");
  c.events = {e};
  for (double scale : {0.5, 0.79, 0.9, 1.3, 3.0}) {
    auto const series = load(c.zone, "2025-05-01", "2025-05-23", 3600, [&](Instant t) { return c.zone.day(t) == day_of(2025, 5, 22) ? 1000 * scale : 1000.0; });
    CHECK(Baseline(c, series, e).factor() == Approx(std::clamp(scale, 0.8, 1.2)));
  }
  // The hour before the event does not count: what is done in expectation of it changes nothing.
  auto const ducked = load(c.zone, "2025-05-01", "2025-05-23", 3600, [&](Instant t) { return e.start - 3600 <= t && t < e.end ? 0 : 1000.0; });
  CHECK(Baseline(c, ducked, e).factor() == 1);
}

TEST_CASE("weekends and holidays are measured against each other: four of them") {
  auto c = contract(BaselineRule::caiso_10_of_10);
  c.holidays = {day_of(2025, 5, 26)};  // Memorial Day, a Monday
  auto const e = event("2025-05-26T17:00:00-07:00", "2025-05-26T18:00:00-07:00");
  c.events = {e};
  auto const series = load(c.zone, "2025-05-01", "2025-05-27", 3600, [](Instant) { return 1000.0; });
  Baseline const b(c, series, e);
  std::string days;
  for (auto d : b.days()) days += date_text(d).substr(8) + " ";
  CHECK(days == "25 24 18 17 ");
}

TEST_CASE("too few similar days give no baseline and say how many there were") {
  auto c = contract(BaselineRule::caiso_10_of_10);
  auto const e = event("2025-05-08T17:00:00-07:00", "2025-05-08T18:00:00-07:00");
  c.events = {e};
  auto const series = [&](char const* from) { return load(c.zone, from, "2025-05-09", 3600, [](Instant) { return 1000.0; }); };
  CHECK(Baseline(c, series("2025-05-01"), e).days().size() == 5);  // 7 6 5 2 1
  CHECK(Baseline(c, series("2025-05-02"), e).problem() == "only 4 similar days of at least 5 were metered within 45 days");
  // A gap of a quarter of an hour in the hours that count takes a day out.
  std::vector<MeterSeries::Reading> holed;
  for (Instant t = c.zone.at(day_of(2025, 5, 1), 0); t < c.zone.at(day_of(2025, 5, 9), 0); t += 900)
    if (t != testing::at("2025-05-02T14:30:00-07:00")) holed.push_back({t, 1000});
  CHECK(Baseline(c, MeterSeries(holed, 900), e).problem() == "only 4 similar days of at least 5 were metered within 45 days");
  // A gap on the day of the event itself.
  holed.clear();
  for (Instant t = c.zone.at(day_of(2025, 5, 1), 0); t < c.zone.at(day_of(2025, 5, 9), 0); t += 900)
    if (t != testing::at("2025-05-08T14:30:00-07:00")) holed.push_back({t, 1000});
  CHECK(Baseline(c, MeterSeries(holed, 900), e).problem() == "the meter has gaps in the hours of the same-day factor");
}

TEST_CASE("days are matched by local time over a change of the clocks, and an event may cross midnight") {
  auto c = contract(BaselineRule::caiso_10_of_10);
  // Summer time began on Sunday 2025-03-09: 17:00 is 0:00 UTC the next day after it, 1:00 UTC before.
  auto const e = event("2025-03-12T23:00:00-07:00", "2025-03-13T01:00:00-07:00");
  c.events = {e};
  auto const series = load(c.zone, "2025-02-10", "2025-03-14", 900, [&](Instant t) { return 1000 + c.zone.clock_s(t) / 3600; });
  Baseline const b(c, series, e);
  REQUIRE(b.problem() == "");
  CHECK(b.factor() == Approx(1).epsilon(1e-12));
  for (Instant t = e.start; t < e.end; t += 900) REQUIRE(b.mean_w(t, t + 900) == Approx(1000 + c.zone.clock_s(t) / 3600).epsilon(1e-12));
}

TEST_CASE("3 + 2 is the mean of five hours around the event, as in PJM's own example") {
  // Event in hours ending 13 to 17: hours ending 9 to 11, 19 and 20 (PJM Manual 11, Same Day). In those hours the load is 10, 20, 30, 40, 50 kW.
  auto c = contract(BaselineRule::pjm_3_plus_2);
  c.zone = {-5, SummerTime::us};
  auto const e = event("2025-07-10T12:00:00-04:00", "2025-07-10T17:00:00-04:00");
  c.events = {e};
  auto const series = load(c.zone, "2025-07-10", "2025-07-11", 3600, [&](Instant t) {
    auto const ending = c.zone.clock_s(t) / 3600 + 1;
    return ending >= 9 && ending <= 11 ? 10000 * (ending - 8) : ending >= 19 && ending <= 20 ? 10000 * (ending - 15) : 777;
  });
  Baseline const b(c, series, e);
  CHECK(b.problem() == "");
  CHECK(b.mean_w(e.start, e.end) == Approx(30000));
  CHECK(b.factor() == 1);
  c.events.push_back(event("2025-07-10T18:30:00-04:00", "2025-07-10T18:40:00-04:00"));
  CHECK(Baseline(c, series, e).problem() == "another event is in the hours before or after");
  auto const evening = event("2025-07-10T21:00:00-04:00", "2025-07-10T22:00:00-04:00");  // the hours after it are not metered
  CHECK(Baseline(c, series, evening).problem() == "another event is in the hours before or after");
  c.events = {evening};
  CHECK(Baseline(c, series, evening).problem() == "the meter has gaps in the hours before or after");
}

TEST_CASE("a firm level needs no metering; what was measured just before needs only that") {
  auto c = contract(BaselineRule::firm_level);
  c.baseline.peak_load_w = 5e6;
  auto const e = event("2025-07-10T12:00:00-07:00", "2025-07-10T13:00:00-07:00");
  c.events = {e};
  CHECK(Baseline(c, MeterSeries({}), e).mean_w(e.start, e.end) == 5e6);
  c.baseline.rule = BaselineRule::measured_before;
  c.baseline.window_s = 600;
  c.baseline.gap_s = 300;
  MeterSeries const series({{e.start - 900, 100}, {e.start - 600, 300}, {e.start - 300, 9999}, {e.start, 50}});
  CHECK(Baseline(c, series, e).mean_w(e.start, e.end) == 200);
  CHECK(Baseline(c, MeterSeries({{e.start - 600, 100}, {e.start, 50}}), e).problem() == "the meter has gaps in the stretch before");
  c.events.insert(c.events.begin(), event("2025-07-10T11:40:00-07:00", "2025-07-10T11:50:00-07:00"));
  CHECK(Baseline(c, series, e).problem() == "another event is in the stretch before");
}

TEST_CASE("placebo events give the baseline's own error") {
  auto c = contract(BaselineRule::measured_before);
  c.baseline.window_s = 3600;
  auto const e = event("2025-05-22T17:00:00-07:00", "2025-05-22T18:00:00-07:00");
  c.events = {e};
  // The load is 1000 W, and d W more than that from 17:00 on on the d-th of May: the stretch before misses exactly that.
  auto const series = load(c.zone, "2025-05-01", "2025-05-23", 900,
                           [&](Instant t) { return 1000 + (c.zone.clock_s(t) >= 17 * 3600 ? static_cast<double>(c.zone.day(t) - day_of(2025, 4, 30)) : 0); });
  auto const errors = placebos(c, series, e);
  REQUIRE(errors.size() == 15);  // 16 weekdays, one with the event
  double squares = 0, seen = 0;
  for (double d : {1, 2, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 19, 20, 21}) {
    squares += d * d;
    seen += 1000 + d;
  }
  CHECK(errors.front().rms_w == Approx(1));
  CHECK(errors.back().baseline_w - errors.back().metered_w == Approx(-21));
  CHECK(*rrmse(errors) == Approx(std::sqrt(squares / 15) / (seen / 15)));
  CHECK(rrmse({}) == std::nullopt);
  CHECK(placebos(c, MeterSeries({}), e).empty());
  CHECK(placebos(c, series, event("2025-05-22T17:00:00-07:00", "2025-05-22T17:00:00-07:00")).empty());
}

}  // namespace wattfill
