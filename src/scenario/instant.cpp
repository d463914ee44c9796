#include "scenario/instant.hpp"

#include <charconv>

namespace wattfill {
namespace {

/// Takes a number of exactly `digits` digits in [low, high] off the text.
std::optional<int> take(std::string_view& text, std::size_t digits, int low, int high) {
  int value = 0;
  if (text.size() < digits) return std::nullopt;
  for (auto c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  text.remove_prefix(digits);
  return low <= value && value <= high ? std::optional(value) : std::nullopt;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// Days since 1970-01-01 in the Gregorian calendar (Howard Hinnant's days_from_civil).
long days(int year, int month, int day) {
  auto const y = static_cast<long>(year) - (month <= 2);
  auto const era = (y >= 0 ? y : y - 399) / 400;
  auto const of_era = y - era * 400;
  auto const of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

}  // namespace

std::optional<double> spelled_offset(std::string_view text) {
  if (text == "Z" || text == "z") return 0.0;
  auto const sign = take(text, '+') ? 1 : take(text, '-') ? -1 : 0;
  auto const hours = take(text, 2, 0, 14);
  if (sign == 0 || !hours) return std::nullopt;
  if (text.empty()) return sign * *hours * 3600.0;
  take(text, ':');
  auto const minutes = take(text, 2, 0, 59);
  if (!minutes || !text.empty()) return std::nullopt;
  return sign * (*hours * 3600.0 + *minutes * 60.0);
}

std::optional<double> spelled_instant(std::string_view text, std::optional<double> offset_s, bool& lacks_offset) {
  lacks_offset = false;
  auto const year = take(text, 4, 0, 9999);
  if (!year || !take(text, '-')) return std::nullopt;
  auto const month = take(text, 2, 1, 12);
  if (!month || !take(text, '-')) return std::nullopt;
  constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool const leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
  auto const day = take(text, 2, 1, lengths[*month - 1] + (leap && *month == 2 ? 1 : 0));
  if (!day || (!take(text, ' ') && !take(text, 'T'))) return std::nullopt;
  auto const hour = take(text, 2, 0, 23);
  if (!hour || !take(text, ':')) return std::nullopt;
  auto const minute = take(text, 2, 0, 59);
  if (!minute) return std::nullopt;
  double second = 0;
  if (take(text, ':')) {
    auto const whole = take(text, 2, 0, 59);
    if (!whole) return std::nullopt;
    second = *whole;
    if (!text.empty() && text.front() == '.') {
      double fraction = 0;
      auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), fraction, std::chars_format::fixed);
      if (error != std::errc()) return std::nullopt;
      second += fraction;
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
  }
  if (!text.empty()) {
    offset_s = spelled_offset(text);
    if (!offset_s) return std::nullopt;
  }
  lacks_offset = !offset_s;
  if (!offset_s) return std::nullopt;
  return static_cast<double>(days(*year, *month, *day)) * 86400 + *hour * 3600 + *minute * 60 + second - *offset_s;
}

}  // namespace wattfill
