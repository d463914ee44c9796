#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "wattfill/core/error.hpp"

namespace wattfill::testing {

/// Equal to the last bit; NaN equals the same NaN.
inline bool same_bits(std::span<double const> a, std::span<double const> b) {
  return std::ranges::equal(a, b, [](double x, double y) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y); });
}
inline bool same_bits(double a, double b) { return same_bits(std::span(&a, 1), std::span(&b, 1)); }

/// The text of the InputError that `act` throws; empty if it throws none.
template <class Act>
std::string refusal(Act act) {
  try {
    act();
  } catch (InputError const& error) {
    return error.what();
  }
  return {};
}

inline bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace wattfill::testing
