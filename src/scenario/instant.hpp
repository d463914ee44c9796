#pragma once
#include <optional>
#include <string_view>

namespace wattfill {

/// Offset from UTC that a text like +00:00, -07:00 or Z spells [s].
std::optional<double> spelled_offset(std::string_view text);

/// Seconds since 1970-01-01T00:00:00Z of a time like 2025-05-01 16:10:00-07:00 (blank or T; seconds, their fraction and the offset may be left out). Without
/// an offset of its own the given one holds; `lacks_offset` is set if there is none either. Instants have offsets, so that changes to and from summer time are
/// no matter.
std::optional<double> spelled_instant(std::string_view text, std::optional<double> offset_s, bool& lacks_offset);

}  // namespace wattfill
