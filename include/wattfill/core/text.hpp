#pragma once
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace wattfill {

/// Most characters that append_number adds.
inline constexpr std::size_t longest_number = 32;

/// Writes the shortest text that reads back bit for bit, whatever the locale; nothing for NaN (an empty cell). `to` has room for longest_number.
inline char* put_number(char* to, double x) { return std::isnan(x) ? to : std::to_chars(to, to + longest_number, x).ptr; }

/// Shortest text that reads back to the same double.
inline std::string number_text(double x) {
  char buffer[longest_number];
  return {buffer, put_number(buffer, x)};
}

/// Bytes of the well-formed UTF-8 sequence at the start of `text` (Unicode 15, table 3-7), 0 if it is ill-formed or empty.
std::size_t utf8_length(std::string_view text);

/// A CSV cell (RFC 4180): quoted where it must be.
std::string csv_cell(std::string_view text);

/// A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string json_text(std::string_view text);

}  // namespace wattfill
