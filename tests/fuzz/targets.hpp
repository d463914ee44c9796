#pragma once
// Every fuzz target, as the driver without a fuzzer calls them (every_target.cpp).
#include <cstddef>
#include <cstdint>
#include <span>

namespace wattfill::fuzz {

struct Target {
  char const* name;  ///< that of its corpus
  int (*run)(std::uint8_t const* data, std::size_t size);
};

extern std::span<Target const> const targets;

}  // namespace wattfill::fuzz
