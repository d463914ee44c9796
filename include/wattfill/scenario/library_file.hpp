#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "wattfill/curve/curve_library.hpp"

namespace wattfill {

/// A curve library as read from NAME.yaml (metadata) and NAME.csv (points) beside it.
struct LibraryFile {
  CurveLibrary library;                      ///< called NAME
  std::vector<std::string> notes;            ///< what was accepted but a user should know, "FILE: CURVE: ..." each
  std::vector<std::filesystem::path> files;  ///< both, for hashing
};

/// Throws InputError with file, line and column of every mistake, several together.
LibraryFile read_library(std::filesystem::path const& yaml_file);

}  // namespace wattfill
