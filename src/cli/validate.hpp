#pragma once
#include <optional>

#include "cli/command.hpp"

namespace wattfill::cli {

/// Checks every kind of file that we read but studies: campaigns, contracts, pipelines, baselines, predictors, curve libraries. Nothing if it is none of them.
std::optional<int> validate_other(std::vector<std::string> const& operands, po::variables_map const& given);

}  // namespace wattfill::cli
