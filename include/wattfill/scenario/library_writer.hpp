#pragma once
#include <filesystem>
#include <string>

#include "wattfill/curve/curve_library.hpp"

namespace wattfill {

/// A curve library as the texts of its two files. Strings are quoted, numbers read back bit for bit, points are in the order (cap, draw, speed): the
/// same library gives the same bytes.
struct LibraryText {
  std::string yaml;  ///< metadata: NAME.yaml
  std::string csv;   ///< points: NAME.csv, columns curve,cap_w,power_w,speed
};

LibraryText library_text(CurveLibrary const& library);

/// Writes STEM.yaml and STEM.csv, each under a temporary name and renamed when whole. Throws MachineError naming the file that could not be written.
void save_library(CurveLibrary const& library, std::filesystem::path const& stem);

}  // namespace wattfill
