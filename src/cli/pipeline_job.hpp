#pragma once
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace wattfill::cli {

/// `wattfill pipeline FILE.yaml`: a job described in Megatron-LM's words.
int pipeline_job(std::vector<std::string> const& operands, po::variables_map const& given);

}  // namespace wattfill::cli
