#include "wattfill/contract/civil_time.hpp"

#include <cmath>

#include "support/catch.hpp"

namespace wattfill {

TEST_CASE("days are counted and named as calendars do") {
  CHECK(day_of(1970, 1, 1) == 0);
  CHECK(day_of(2000, 3, 1) == 11017);
  CHECK(weekday_of(0) == Weekday::thursday);
  CHECK(weekday_of(day_of(2025, 5, 1)) == Weekday::thursday);
  CHECK(weekday_of(day_of(1969, 12, 28)) == Weekday::sunday);
  CHECK(date_text(day_of(2024, 2, 29)) == "2024-02-29");
  for (Day d = -1000; d < 40000; d += 17) REQUIRE(read_date(date_text(d)) == d);
  CHECK(read_date("2023-02-29") == std::nullopt);
  CHECK(read_date("2023-2-9") == std::nullopt);
  CHECK(read_date("2023-02-09x") == std::nullopt);
}

TEST_CASE("instants are read with their offset, and only with it") {
  auto const utc = static_cast<double>(day_of(2025, 5, 2)) * 86400;
  CHECK(read_instant("2025-05-01T17:00:00-07:00") == utc);
  CHECK(read_instant("2025-05-02T00:00Z") == utc);
  CHECK(read_instant("2025-05-02 05:30:00.25+0530") == utc + 0.25);
  for (auto const* bad : {"2025-05-01T17:00:00", "2025-05-01", "2025-05-01T24:00:00Z", "2025-05-01T17:60:00Z", "2025-05-01T17:00:00-15:00",
                          "2025-05-01T17:00:00.Z", "2025-05-01T17:00:00Zx", "2025-13-01T17:00:00Z", "20250501T170000Z", "", "2025-05-01T-7:00:00Z"})
    CHECK(read_instant(bad) == std::nullopt);
}

TEST_CASE("summer time starts and ends when it does in the United States and in Europe") {
  Zone const california{-8, SummerTime::us}, berlin{1, SummerTime::eu}, arizona{-7, SummerTime::none};
  auto const at = [](char const* text) { return *read_instant(text); };
  CHECK(instant_text(at("2025-03-09T09:59:59Z"), california) == "2025-03-09T01:59:59-08:00");
  CHECK(instant_text(at("2025-03-09T10:00:00Z"), california) == "2025-03-09T03:00:00-07:00");
  CHECK(instant_text(at("2025-11-02T08:59:59Z"), california) == "2025-11-02T01:59:59-07:00");
  CHECK(instant_text(at("2025-11-02T09:00:00Z"), california) == "2025-11-02T01:00:00-08:00");
  CHECK(instant_text(at("2024-03-31T00:59:59Z"), berlin) == "2024-03-31T01:59:59+01:00");
  CHECK(instant_text(at("2024-03-31T01:00:00Z"), berlin) == "2024-03-31T03:00:00+02:00");
  CHECK(instant_text(at("2024-10-27T01:00:00Z"), berlin) == "2024-10-27T02:00:00+01:00");
  CHECK(instant_text(at("2025-07-01T12:00:00.125Z"), arizona) == "2025-07-01T05:00:00.125-07:00");
}

TEST_CASE("local clocks are turned into instants, also in the hour told twice and the hour left out") {
  Zone const zone{-8, SummerTime::us};
  auto const at = [&](int month, int date, double hour) { return instant_text(zone.at(day_of(2025, month, date), hour * 3600), zone); };
  CHECK(at(1, 15, 17) == "2025-01-15T17:00:00-08:00");
  CHECK(at(7, 15, 17) == "2025-07-15T17:00:00-07:00");
  CHECK(at(3, 9, 2.5) == "2025-03-09T03:30:00-07:00");   // left out: half an hour after the jump
  CHECK(at(11, 2, 1.5) == "2025-11-02T01:30:00-07:00");  // told twice: the first
  CHECK(at(11, 2, 2) == "2025-11-02T02:00:00-08:00");
  for (int h = 0; h < 24 * 400; ++h) {  // there and back but for the hour told twice
    auto const instant = h * 3600.0 + 1735689600.0;
    auto const back = zone.at(zone.day(instant), zone.clock_s(instant));
    REQUIRE((back == instant || (back == instant - 3600 && zone.offset_s(back) > zone.offset_s(instant))));
  }
}

TEST_CASE("every instant that is written is read back, in every zone there may be") {
  for (double const hours : {-14.0, -9.5, 0.0, 5.75, 14.0})
    for (auto const summer : {SummerTime::none, SummerTime::us, SummerTime::eu})
      for (double const at : {1746141000.25, 1735689599.999, -1e9, 0.0, 1e10}) {
        auto const text = instant_text(at, {hours, summer});
        INFO(text);
        auto const again = read_instant(text);
        REQUIRE(again);
        CHECK(std::abs(*again - at) < 1e-6);
      }
}

}  // namespace wattfill
