#pragma once
// The only place where tests say that they, or a part of them, could not run here: always in the same words, so that logs can be searched for them.
#include <filesystem>
#include <iostream>
#include <string>

namespace wattfill::testing {

/// `what` was not tried or compared, why, and what would help.
inline void say_skipped(std::string const& what) { std::cout << "SKIPPED: " << what << std::endl; }

/// A file or folder of the public measurements, which may lie beside the source tree.
inline std::filesystem::path public_data(std::string const& name) {
  return (std::filesystem::path(WATTFILL_SOURCE_DIR) / ".." / "shared" / "data" / name).lexically_normal();
}

/// Whether the measurements are there; says what is `left` out where they are not.
inline bool is_there(std::filesystem::path const& measurements, std::string const& left = "what is measured there is not compared") {
  if (std::filesystem::exists(measurements)) return true;
  say_skipped(measurements.string() + " is absent: " + left);
  return false;
}

}  // namespace wattfill::testing
