#pragma once
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace wattfill::cli {

/// `wattfill run FILE.yaml` of kind campaign.
int run_campaign(std::vector<std::string> const& operands, po::variables_map const& given);

}  // namespace wattfill::cli
