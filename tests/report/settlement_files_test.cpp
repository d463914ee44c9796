#include "wattfill/report/settlement_files.hpp"

#include "support/catch.hpp"

namespace wattfill {

TEST_CASE("a settlement is written as a row per interval and a row per event") {
  ContractSpec c;
  c.zone = {-7, SummerTime::none};
  c.baseline.rule = BaselineRule::measured_before;
  c.baseline.window_s = 900;
  c.committed_w = 1e6;
  c.interval_s = 900;
  c.performance_usd_per_mwh = 400;
  c.penalty_usd_per_mwh = 1000;
  auto const start = *read_instant("2025-05-01T17:00:00-07:00");
  ContractEvent event;
  event.start = start;
  event.end = start + 2700;
  c.events = {event};
  event.start = start + 86400;  // nobody metered then
  event.end = start + 86400 + 900;
  c.events.push_back(event);
  MeterSeries const series({{start - 900, 10e6}, {start, 9e6}, {start + 900, 9.5e6}}, 900);
  auto const s = settle(c, series);
  CHECK(settlement_header() + settlement_rows(c, s) ==
        "event,start,end,status,coverage,baseline_w,metered_w,required_w,delivered_w,shortfall_w,payment_usd,penalty_usd\n"
        "0,2025-05-01T17:00:00-07:00,2025-05-01T17:15:00-07:00,delivered,1,1e+07,9e+06,1e+06,1e+06,0,100,0\n"
        "0,2025-05-01T17:15:00-07:00,2025-05-01T17:30:00-07:00,short,1,1e+07,9500000,1e+06,5e+05,5e+05,50,125\n"
        "0,2025-05-01T17:30:00-07:00,2025-05-01T17:45:00-07:00,not metered,0,1e+07,0,1e+06,0,1e+06,0,250\n"
        "1,2025-05-02T17:00:00-07:00,2025-05-02T17:15:00-07:00,no baseline,0,0,0,1e+06,0,1e+06,0,250\n");
  CHECK(settled_events_header() + settled_events_rows(c, s) ==
        "event,start,end,committed_w,same_day_factor,baseline_days,required_wh,delivered_wh,shortfall_wh,least_delivered_w,payment_usd,penalty_usd,placebos,"
        "placebo_rrmse,problem\n"
        "0,2025-05-01T17:00:00-07:00,2025-05-01T17:45:00-07:00,1e+06,1,0,750000,375000,375000,0,150,375,0,,\n"
        "1,2025-05-02T17:00:00-07:00,2025-05-02T17:15:00-07:00,1e+06,1,0,250000,0,250000,0,0,250,0,,the meter has gaps in the stretch before\n");
  auto const table = settlement_table(c, s);
  CHECK(table.find("delivered 37.50 % of what was owed; availability 0.00, performance 150.00, penalties 625.00, total -475.00 USD") != std::string::npos);
  CHECK(table.find("! no baseline: the meter has gaps") != std::string::npos);
}

}  // namespace wattfill
