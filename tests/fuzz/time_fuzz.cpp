// Civil times: both readers agree where both read, and what is read is written to the same instant.
#include <cmath>

#include "fuzz/fuzz.hpp"
#include "scenario/instant.hpp"
#include "wattfill/contract/civil_time.hpp"

using namespace wattfill;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  auto const offset = spelled_offset(text);
  fuzz::require(!offset || std::abs(*offset) < 15 * 3600, "an offset is below 15 h");
  if (auto const day = read_date(text)) fuzz::require(date_text(*day) == text, "a date is written as it was read");
  bool lacks_offset = false;
  auto const spelled = spelled_instant(text, std::nullopt, lacks_offset);
  auto const read = read_instant(text);
  fuzz::require(!spelled || (std::isfinite(*spelled) && std::abs(*spelled) < 1e12), "an instant is finite");
  fuzz::require(!spelled || !read || std::abs(*spelled - *read) < 1e-4, "the two readers of instants agree");
  if (read) {
    for (auto const summer : {SummerTime::none, SummerTime::us, SummerTime::eu})
      for (double const hours : {-14.0, -3.5, 0.0, 14.0}) {
        Zone const zone{hours, summer};
        auto const written = instant_text(*read, zone);
        auto const again = read_instant(written);
        if (*read > -6e10 && *read < 2.5e11) fuzz::require(again && std::abs(*again - *read) < 1.001e-3, "an instant reads back as it was written");
      }
  }
  return 0;
}
