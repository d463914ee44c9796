#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "wattfill/scenario/scenario.hpp"

namespace wattfill::cli {

/// `wattfill validate` of a timeline scenario.
int validate_timeline(Scenario const& scenario, std::vector<std::string> const& operands, po::variables_map const& given);

/// Throws InputError where a sweep point does not have this replication.
void check_replication(Scenario const& scenario, std::optional<std::uint64_t> replication);

}  // namespace wattfill::cli
