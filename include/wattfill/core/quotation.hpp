#pragma once
#include <string>
#include <string_view>

namespace wattfill {

/// Most characters of an input that a message repeats.
inline constexpr int most_quoted = 40;

/// The text in quotation marks, for messages: at most 40 characters of it, then "...". Control characters, which could steer a terminal or break the line,
/// become '?'; what is not UTF-8, too.
std::string quotation(std::string_view text);

/// The same without the quotation marks, and with another bound.
std::string shortened(std::string_view text, int most = most_quoted);

}  // namespace wattfill
