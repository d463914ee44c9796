#include "wattfill/scenario/contract_file.hpp"

#include "support/catch.hpp"
#include "support/folder.hpp"

namespace wattfill {
namespace {

using testing::Folder;

constexpr auto sample = R"(wattfill: 1
name: c
kind: contract
zone: {offset_h: -8, summer: us}
holidays: [2025-05-26]
baseline: {rule: measured-before, window_s: 1800}
committed_w: 1e6
interval_s: 900
events:
  - {start: 2025-05-01T17:00:00-07:00, end: 2025-05-01T18:00:00-07:00, notified: 2025-05-01T16:30:00-07:00, committed_w: 5e5}
  - {start: 2025-05-02T17:00:00-07:00, end: 2025-05-02T17:00:00-07:00}
meter: {start: 2025-05-01T00:00:00-07:00, where: {policy: oracle}}
)";

std::string with(std::string line, std::string const& other) {
  std::string changed = sample;
  changed.replace(changed.find(line), line.size(), other);
  return changed;
}

std::string refusal(std::string const& contract) {
  Folder const folder;
  try {
    read_contract(folder.write("c.yaml", contract));
  } catch (InputError const& error) {
    return folder.relative(error.what());
  }
  return "accepted";
}

std::string meter_refusal(std::string const& csv, std::string const& contract = sample) {
  Folder const folder;
  try {
    read_meter(folder.write("m.csv", csv), read_contract(folder.write("c.yaml", contract)));
  } catch (InputError const& error) {
    return folder.relative(error.what());
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a contract is read with its events, zone and baseline") {
  Folder const folder;
  auto const c = read_contract(folder.write("c.yaml", sample), {"baseline.gap_s=60"});
  CHECK(c.name == "c");
  CHECK(c.zone.summer == SummerTime::us);
  CHECK(c.holidays == std::vector<Day>{day_of(2025, 5, 26)});
  CHECK(c.baseline.rule == BaselineRule::measured_before);
  CHECK(c.baseline.window_s == 1800);
  CHECK(c.baseline.gap_s == 60);
  CHECK(c.interval_s == 900);
  REQUIRE(c.events.size() == 2);
  CHECK(c.events[0].start == read_instant("2025-05-02T00:00:00Z"));
  CHECK(c.events[0].notified == read_instant("2025-05-01T23:30:00Z"));
  CHECK(c.events[0].committed_w == 5e5);
  CHECK(c.events[1].start == c.events[1].end);
  auto const echo = to_flow(contract_format().echo(c));
  CHECK(echo.find("measured-before") != std::string::npos);
}

TEST_CASE("mistakes in a contract are named with their place") {
  CHECK(refusal(sample) == "accepted");
  CHECK(refusal(with("2025-05-26", "2025-02-30")) == "c.yaml:5:12: holidays.0: \"2025-02-30\" is not a date; write it as 2025-05-26");
  CHECK(refusal(with("start: 2025-05-01T17:00:00-07:00, end: 2025-05-01T18", "start: 2025-05-01T17:00:00, end: 2025-05-01T18")) ==
        "c.yaml:10:13: events.0.start: \"2025-05-01T17:00:00\" is not a time with its offset (without it an hour a year is told twice); write it as "
        "2025-05-01T17:00:00-07:00");
  CHECK(refusal(with("end: 2025-05-01T18", "end: 2025-05-01T16")) == "c.yaml:10:5: events.0: the event ends before it starts; exchange start and end");
  CHECK(refusal(with("end: 2025-05-01T18", "end: 2025-05-03T18")) ==
        "c.yaml:11:5: events.1: the event overlaps the one above it (a watt would be paid twice); join them into one or end the first earlier");
  CHECK(refusal(with("2025-05-02T17:00:00-07:00, end: 2025-05-02", "2025-04-02T17:00:00-07:00, end: 2025-04-02")) ==
        "c.yaml:11:5: events.1: the event starts before the one above it; put the events in order of time");
  CHECK(refusal(with("interval_s: 900", "interval_s: 901")) == "c.yaml:8:13: interval_s: \"901\" is not known here; did you mean \"900\"?");
  CHECK(refusal(with("measured-before, window_s: 1800", "firm-level")) ==
        "c.yaml:1:1: baseline: peak_load_w is missing (firm-level measures reductions from it); add it");
  CHECK(refusal(with("window_s: 1800", "before_from_s: 3600")) ==
        "c.yaml:1:1: baseline: before_to_s must be below before_from_s (the hours before would be none); make it smaller");
  CHECK(refusal(with("window_s: 1800", "after_to_s: 3600")) ==
        "c.yaml:1:1: baseline: after_from_s must be below after_to_s (the hours after would be none); make it smaller");
  CHECK(refusal(with("window_s: 1800", "weekdays: 3")) ==
        "c.yaml:1:1: baseline: the least number of similar days is above the number looked for (there would never be a baseline); make it smaller");
  CHECK(refusal(with("wattfill: 1", "wattfill: 7")).find("this contract has format version 7") != std::string::npos);
}

TEST_CASE("a meter's file is read by its own clock or from a start, and rows of one series only") {
  Folder const folder;
  auto const c = read_contract(folder.write("c.yaml", sample));
  auto const counted =
      read_meter(folder.write("p.csv", "policy,time_s,meter_w\noracle,0,100\nequal-split,0,7\noracle,60,200\nequal-split,60,7\noracle,120,300\n"), c);
  CHECK(counted.begin() == read_instant("2025-05-01T07:00:00Z"));
  CHECK(counted.mean(counted.begin(), counted.begin() + 180).mean_w == 200);
  auto told = c;
  told.meter.where.clear();
  told.meter.time_column = "timestamp";
  told.meter.power_column = "total_w";
  auto const stamped = read_meter(folder.write("t.csv", "timestamp,total_w\n2025-11-02 01:30:00-07:00,1\n2025-11-02 01:30:00-08:00,3\n"), told);
  CHECK(stamped.end() - stamped.begin() == 7200);  // the hour told twice is two hours
}

TEST_CASE("mistakes in a meter's file are named with their place") {
  CHECK(meter_refusal("policy,time_s,meter_w\noracle,0,1\n") == "accepted");
  CHECK(meter_refusal("policy,time_s,meter_w\nother,0,1\n") == "m.csv:1:1: there is no reading that meter.where lets through; check it");
  CHECK(meter_refusal("policy,when,meter_w\noracle,0,1\n") ==
        "m.csv:1:1: time: there is neither a column time nor time_s; the columns are: policy, when, meter_w");
  CHECK(meter_refusal("time_s,meter_w\n0,1\n") ==
        "m.csv:1:1: policy: there is no column of this name (columns are found by name only); the columns are: time_s, meter_w");
  CHECK(meter_refusal("policy,time_s,meter_w\noracle,0,1\noracle,0,2\n") ==
        "m.csv:3:8: time_s: this time is not after the one above it (a series holds each time once, in order); sort the rows, or choose one series with "
        "meter.where");
  CHECK(meter_refusal("policy,time_s,meter_w\noracle,0,-1\n") == "m.csv:2:10: meter_w: -1 is out of range (0 or more is possible); correct it");
  CHECK(meter_refusal("policy,time,meter_w\noracle,2025-05-01 17:00,1\n") ==
        "m.csv:2:8: time: \"2025-05-01 17:00\" is not a time with its offset; write it as 2025-05-01T17:00:00-07:00");
  CHECK(meter_refusal("policy,time_s,meter_w\noracle,0,1\n", with("start: 2025-05-01T00:00:00-07:00, ", "")).find("meter.start: this key is missing (") !=
        std::string::npos);
}

}  // namespace wattfill
