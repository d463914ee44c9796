#include "wattfill/contract/civil_time.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace wattfill {
namespace {

constexpr double day_s = 86400;

/// A date as people write it. Conversions as in H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
struct Civil {
  std::int64_t year;
  int month, date;
};

Civil civil(Day day) {
  auto const z = day + 719468;
  auto const era = (z >= 0 ? z : z - 146096) / 146097;
  auto const of_era = z - era * 146097;
  auto const year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  auto const of_year = of_era - (365 * year + year / 4 - year / 100);
  auto const shifted = (5 * of_year + 2) / 153;
  auto const date = static_cast<int>(of_year - (153 * shifted + 2) / 5 + 1);
  auto const month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
  return {year + era * 400 + (month <= 2 ? 1 : 0), month, date};
}

int days_in(std::int64_t year, int month) {
  constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool const leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : days[static_cast<std::size_t>(month - 1)];
}

/// The nth Sunday of a month; n = 0: the last.
Day sunday(std::int64_t year, int month, int n) {
  auto const first = day_of(static_cast<int>(year), month, 1);
  auto const first_sunday = first + (7 - static_cast<int>(weekday_of(first))) % 7;
  if (n > 0) return first_sunday + 7 * (n - 1);
  auto const last = first + days_in(year, month) - 1;
  return first_sunday + (last - first_sunday) / 7 * 7;
}

std::string padded(std::int64_t number, std::size_t width) {
  auto text = std::to_string(number);
  return std::string(text.size() < width ? width - text.size() : 0, '0') + text;
}

/// Reads digits off the start of a text.
class Digits {
 public:
  explicit Digits(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }
  bool skip(std::string_view any_of) {
    if (text_.empty() || any_of.find(text_.front()) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }
  /// Exactly `width` digits with a value in [low, high].
  bool number(std::size_t width, int low, int high, int& into) {
    if (text_.size() < width) return false;
    auto const [end, error] = std::from_chars(text_.data(), text_.data() + width, into);
    if (error != std::errc() || end != text_.data() + width || text_.front() == '-' || into < low || into > high) return false;
    text_.remove_prefix(width);
    return true;
  }
  bool fraction(double& into) {
    double unit = 1;
    std::size_t count = 0;
    for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; text_.remove_prefix(1), ++count) {
      unit /= 10;
      into += (text_.front() - '0') * unit;
    }
    return count > 0;
  }
  char front() const { return text_.empty() ? '\0' : text_.front(); }

 private:
  std::string_view text_;
};

bool read_day(Digits& text, Day& day) {
  int year = 0, month = 0, date = 0;
  if (!text.number(4, 1, 9999, year) || !text.skip("-") || !text.number(2, 1, 12, month) || !text.skip("-") || !text.number(2, 1, 31, date)) return false;
  if (date > days_in(year, month)) return false;
  day = day_of(year, month, date);
  return true;
}

}  // namespace

Weekday weekday_of(Day day) { return static_cast<Weekday>(((day + 4) % 7 + 7) % 7); }

Day day_of(int year, int month, int date) {
  std::int64_t const y = year - (month <= 2 ? 1 : 0);
  auto const era = (y >= 0 ? y : y - 399) / 400;
  auto const of_era = y - era * 400;
  auto const of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + date - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

std::string date_text(Day day) {
  auto const c = civil(day);
  return padded(c.year, 4) + "-" + padded(c.month, 2) + "-" + padded(c.date, 2);
}

std::optional<Day> read_date(std::string_view text) {
  Digits digits(text);
  Day day = 0;
  return read_day(digits, day) && digits.done() ? std::optional(day) : std::nullopt;
}

double Zone::offset_s(Instant at) const {
  auto const standard = offset_h * 3600;
  if (summer == SummerTime::none) return standard;
  auto const year = civil(static_cast<Day>(std::floor((at + standard) / day_s))).year;
  Instant from = 0, to = 0;
  if (summer == SummerTime::us) {
    from = static_cast<double>(sunday(year, 3, 2)) * day_s + 2 * 3600 - standard;
    to = static_cast<double>(sunday(year, 11, 1)) * day_s + 1 * 3600 - standard;  // 2:00 summer time
  } else {
    from = static_cast<double>(sunday(year, 3, 0)) * day_s + 3600;
    to = static_cast<double>(sunday(year, 10, 0)) * day_s + 3600;
  }
  return from <= at && at < to ? standard + 3600 : standard;
}

Day Zone::day(Instant at) const { return static_cast<Day>(std::floor((at + offset_s(at)) / day_s)); }

double Zone::clock_s(Instant at) const {
  auto const local = at + offset_s(at);
  return local - std::floor(local / day_s) * day_s;
}

Instant Zone::at(Day day, double clock_s) const {
  auto const local = static_cast<double>(day) * day_s + clock_s;
  auto const standard = local - offset_h * 3600;
  auto const in_summer = standard - 3600;
  if (offset_s(in_summer) > offset_h * 3600) return in_summer;  // also the first of two
  return standard;                                              // where clocks jump, standard time goes on: as many seconds after the jump
}

std::optional<Instant> read_instant(std::string_view text) {
  Digits digits(text);
  Day day = 0;
  int hour = 0, minute = 0, second = 0;
  double fraction = 0;
  if (!read_day(digits, day) || !digits.skip("T t") || !digits.number(2, 0, 23, hour) || !digits.skip(":") || !digits.number(2, 0, 59, minute)) return {};
  if (digits.skip(":")) {
    if (!digits.number(2, 0, 59, second)) return {};
    if (digits.skip(".") && !digits.fraction(fraction)) return {};
  }
  double offset = 0;
  if (!digits.skip("Zz")) {
    auto const sign = digits.front() == '-' ? -1.0 : 1.0;
    int hours = 0, minutes = 0;  // to +15: what instant_text writes of a zone 14 hours ahead in summer
    if (!digits.skip("+-") || !digits.number(2, 0, sign > 0 ? 15 : 14, hours)) return {};
    digits.skip(":");
    if (!digits.done() && !digits.number(2, 0, 59, minutes)) return {};
    offset = sign * (hours * 3600.0 + minutes * 60.0);
  }
  if (!digits.done()) return {};
  return static_cast<double>(day) * day_s + hour * 3600.0 + minute * 60.0 + second + fraction - offset;
}

std::string instant_text(Instant at, Zone const& zone) {
  auto const milliseconds = std::llround(at * 1000);
  at = static_cast<double>(milliseconds) / 1000;
  auto const offset = static_cast<std::int64_t>(std::llround(zone.offset_s(at)));
  auto const clock = static_cast<std::int64_t>(std::floor(zone.clock_s(at)));
  auto text = date_text(zone.day(at)) + "T" + padded(clock / 3600, 2) + ":" + padded(clock / 60 % 60, 2) + ":" + padded(clock % 60, 2);
  if (auto const rest = ((milliseconds % 1000) + 1000) % 1000; rest != 0) text += "." + padded(rest, 3);
  auto const minutes = std::abs(offset) / 60;
  return text + (offset < 0 ? "-" : "+") + padded(minutes / 60, 2) + ":" + padded(minutes % 60, 2);
}

}  // namespace wattfill
