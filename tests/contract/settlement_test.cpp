#include "wattfill/contract/settlement.hpp"

#include "contract/loads.hpp"
#include "support/catch.hpp"

namespace wattfill {
namespace {

using testing::event;
using testing::load;

/// 1 MW promised of a load that was 10 MW; no notice, no ramp.
ContractSpec contract() {
  ContractSpec c;
  c.zone = {-7, SummerTime::none};
  c.baseline.rule = BaselineRule::measured_before;
  c.committed_w = 1e6;
  c.interval_s = 900;
  c.performance_usd_per_mwh = 400;
  c.penalty_usd_per_mwh = 1000;
  return c;
}

}  // namespace

TEST_CASE("an event is settled interval by interval") {
  auto c = contract();
  c.events = {event("2025-05-01T17:00:00-07:00", "2025-05-01T18:00:00-07:00")};
  // Delivered in the four quarters: 1.5, 1, 0.4 and -0.2 MW.
  auto const series = load(c.zone, "2025-05-01", "2025-05-02", 900, [&](Instant t) {
    auto const quarter = (t - c.events[0].start) / 900;
    return quarter == 0 ? 8.5e6 : quarter == 1 ? 9e6 : quarter == 2 ? 9.6e6 : quarter == 3 ? 10.2e6 : 10e6;
  });
  auto const s = settle(c, series);
  REQUIRE(s.intervals.size() == 4);
  double const delivered[]{1.5e6, 1e6, 0.4e6, -0.2e6}, shortfall[]{0, 0, 0.6e6, 1.2e6}, payment[]{100, 100, 40, 0}, penalty[]{0, 0, 150, 300};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(s.intervals[i].baseline_w == 10e6);
    CHECK(s.intervals[i].required_w == 1e6);
    CHECK(s.intervals[i].delivered_w == Approx(delivered[i]));
    CHECK(s.intervals[i].shortfall_w == Approx(shortfall[i]).margin(1e-6));
    CHECK(s.intervals[i].payment_usd == Approx(payment[i]));
    CHECK(s.intervals[i].penalty_usd == Approx(penalty[i]).margin(1e-9));
  }
  CHECK(s.performance == Approx((1 + 1 + 0.4 + 0) / 4));
  CHECK(s.payment_usd == Approx(240));
  CHECK(s.penalty_usd == Approx(450));
  CHECK(s.events[0].least_delivered_w == Approx(-0.2e6));
  CHECK(s.events[0].required_wh == Approx(1e6));
  CHECK(s.events[0].delivered_wh == Approx(0.25 * 2.7e6));
  CHECK(s.events[0].shortfall_wh == Approx(0.25 * 1.8e6));

  c.paid_excess = 0.2;  // the first quarter is paid up to 1.2 MW
  c.tolerance = 0.5;    // only what is short by more than half is fined
  c.availability_usd_per_mw_h = 5;
  c.available_h = 100;
  auto const other = settle(c, series);
  CHECK(other.intervals[0].payment_usd == Approx(120));
  CHECK(other.intervals[2].penalty_usd == Approx(25));
  CHECK(other.availability_usd == Approx(500 * 0.6));
  CHECK(other.total_usd() == Approx(other.availability_usd + other.payment_usd - other.penalty_usd));
}

TEST_CASE("intervals are aligned to the clock; an event may begin within one") {
  auto c = contract();
  c.interval_s = 300;
  c.events = {event("2025-05-01T17:02:00-07:00", "2025-05-01T17:11:00-07:00")};
  auto const s = settle(c, load(c.zone, "2025-05-01", "2025-05-02", 60, [](Instant) { return 9e6; }));
  REQUIRE(s.intervals.size() == 3);
  CHECK(s.intervals[0].to - s.intervals[0].from == 180);
  CHECK(s.intervals[1].to - s.intervals[1].from == 300);
  CHECK(s.intervals[2].to - s.intervals[2].from == 60);
}

TEST_CASE("notice and ramp say what is owed when") {
  auto c = contract();
  auto e = event("2025-05-01T17:00:00-07:00", "2025-05-01T18:00:00-07:00");
  auto const owed = [&](double from_min, double to_min) { return required_w(c, e, e.start + 60 * from_min, e.start + 60 * to_min) / 1e6; };
  CHECK(owed(0, 15) == 1);
  c.ramp_s = 600;
  CHECK(owed(0, 10) == Approx(0.5));
  CHECK(owed(0, 15) == Approx((5 + 5) / 15.0));  // ten minutes at half on average, five in full
  CHECK(owed(2, 4) == Approx(0.3));
  CHECK(owed(10, 15) == Approx(1));
  c.notice_s = 1800;
  CHECK(owed(10, 15) == Approx(1));  // announced in time
  e.notified = e.start - 1200;       // ten minutes late: everything shifts by them
  CHECK(owed(0, 10) == 0);
  CHECK(owed(10, 20) == Approx(0.5));
  CHECK(owed(20, 60) == Approx(1));
  e.notified = e.start - 7200;
  CHECK(owed(0, 10) == Approx(0.5));
  e.committed_w = 3e6;
  CHECK(owed(10, 15) == Approx(3));
  CHECK(required_w(c, e, e.start, e.start) == 0);
}

TEST_CASE("an event without length owes nothing and is paid nothing") {
  auto c = contract();
  c.events = {event("2025-05-01T17:00:00-07:00", "2025-05-01T17:00:00-07:00")};
  auto const s = settle(c, load(c.zone, "2025-05-01", "2025-05-02", 900, [](Instant) { return 10e6; }));
  CHECK(s.intervals.empty());
  REQUIRE(s.events.size() == 1);
  CHECK(s.events[0].required_wh == 0);
  CHECK(s.performance == 1);
  CHECK(s.total_usd() == 0);
}

TEST_CASE("what was not metered was not delivered") {
  auto c = contract();
  c.events = {event("2025-05-01T17:00:00-07:00", "2025-05-01T17:30:00-07:00")};
  auto const series = [&](double seen_s) {  // of the second quarter
    return load(c.zone, "2025-05-01", "2025-05-02", 60, [&](Instant t) {
      return t < c.events[0].start ? 10e6 : t < c.events[0].start + 900 + seen_s ? 9e6 : 0;
    });
  };
  auto const cut = [](MeterSeries const& whole, Instant end) {
    std::vector<MeterSeries::Reading> readings;
    for (Instant t = whole.begin(); t < end; t += 60) readings.push_back({t, whole.mean(t, t + 60).mean_w});
    return MeterSeries(readings, 60);
  };
  auto const enough = settle(c, cut(series(480), c.events[0].start + 1380));
  CHECK(enough.intervals[1].coverage == Approx(480 / 900.0));
  CHECK(enough.intervals[1].delivered_w == Approx(1e6));
  auto const little = settle(c, cut(series(420), c.events[0].start + 1320));
  CHECK(little.intervals[1].coverage == Approx(420 / 900.0));
  CHECK(little.intervals[1].delivered_w == 0);
  CHECK(little.intervals[1].shortfall_w == 1e6);
  CHECK(little.performance == Approx(0.5));
}

TEST_CASE("without a baseline nothing counts as delivered, and the event says why") {
  auto c = contract();
  c.baseline.rule = BaselineRule::caiso_10_of_10;
  c.events = {event("2025-05-01T17:00:00-07:00", "2025-05-01T17:30:00-07:00")};
  auto const s = settle(c, load(c.zone, "2025-05-01", "2025-05-02", 900, [](Instant) { return 9e6; }));
  CHECK(s.events[0].problem == "only 0 similar days of at least 5 were metered within 45 days");
  CHECK(s.intervals[0].delivered_w == 0);
  CHECK(s.intervals[0].shortfall_w == 1e6);
  CHECK(s.events[0].rrmse == std::nullopt);
}

TEST_CASE("an event in the hour told twice is as long as its instants say") {
  auto c = contract();
  c.zone = {-8, SummerTime::us};
  c.events = {event("2025-11-02T01:00:00-07:00", "2025-11-02T02:00:00-08:00")};
  auto const s = settle(c, load(c.zone, "2025-11-01", "2025-11-03", 900, [&](Instant t) { return t < c.events[0].start ? 10e6 : 9e6; }));
  CHECK(s.intervals.size() == 8);
  CHECK(s.events[0].required_wh == Approx(2e6));
  CHECK(s.events[0].delivered_wh == Approx(2e6));
}

}  // namespace wattfill
