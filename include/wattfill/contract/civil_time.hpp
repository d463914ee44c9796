#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wattfill {

/// An instant: seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
using Instant = double;

/// A date of the proleptic Gregorian calendar as days since 1970-01-01.
using Day = std::int64_t;

enum class Weekday { sunday, monday, tuesday, wednesday, thursday, friday, saturday };
Weekday weekday_of(Day day);
Day day_of(int year, int month, int date);
/// "2025-05-01"
std::string date_text(Day day);
/// The day that "2025-05-01" names; nothing if it is no date.
std::optional<Day> read_date(std::string_view text);

/// When summer time (clocks an hour ahead) holds.
enum class SummerTime {
  none,
  us,  ///< from the second Sunday in March, 2:00 standard time, to the first Sunday in November, 2:00 summer time (since 2007)
  eu   ///< from the last Sunday in March to the last Sunday in October, 1:00 UTC (since 1996)
};

/// Clocks of one place. Rules hold for all years; no database of time zones is read.
struct Zone {
  double offset_h = 0;  ///< standard time less UTC [h], in [-14, 14]
  SummerTime summer = SummerTime::none;

  /// What local clocks show less UTC [s].
  double offset_s(Instant at) const;
  /// Local date.
  Day day(Instant at) const;
  /// Seconds that local clocks show since midnight.
  double clock_s(Instant at) const;
  /// When local clocks show `clock_s` on `day`. Of two such instants the first; where clocks jump over it, as many seconds after the jump.
  Instant at(Day day, double clock_s) const;
};

/// ISO 8601: "2025-05-01T17:00:00-07:00", "...Z", seconds and their fraction optional, ' ' instead of 'T'. The offset is required: without it
/// an hour a year is told twice. Nothing if the text is no such time.
std::optional<Instant> read_instant(std::string_view text);
/// "2025-05-01T17:00:00-07:00" in the zone; fractions of a second only where there are some (milliseconds).
std::string instant_text(Instant at, Zone const& zone);

}  // namespace wattfill
