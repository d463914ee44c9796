#pragma once
#include <string>

#include "cli/command.hpp"
#include "wattfill/scenario/library_shelf.hpp"

namespace wattfill::cli {

/// The curve libraries that --curves, $WATTFILL_CURVES and the working folder give.
LibraryShelf library_shelf(po::variables_map const& given);

/// Throws InputError if there is none of this name, or it is wrong.
CurveLibrary const& take(LibraryShelf& shelf, std::string const& name);

}  // namespace wattfill::cli
