#pragma once
#include <string>
#include <vector>

#include "wattfill/curve/curve_library.hpp"

namespace wattfill {

/// Adds a line for everything in the points that was accepted and that a user should know.
void note_findings(Curve const& curve, std::vector<std::string>& notes);

}  // namespace wattfill
