#include "cli/libraries.hpp"

#include "wattfill/core/error.hpp"

namespace wattfill::cli {

LibraryShelf library_shelf(po::variables_map const& given) {
  std::vector<std::filesystem::path> dirs;
  if (given.count("curves") > 0)
    for (auto const& dir : given["curves"].as<std::vector<std::string>>()) dirs.emplace_back(dir);
  return {curve_folders(dirs, "."), "."};
}

CurveLibrary const& take(LibraryShelf& shelf, std::string const& name) {
  Reading reading;
  auto const* library = shelf.take({name, {{}, "curves"}}, reading);
  if (library == nullptr) throw InputError(reading.problems);
  return *library;
}

}  // namespace wattfill::cli
