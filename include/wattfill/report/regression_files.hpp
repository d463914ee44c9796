#pragma once
#include <span>
#include <string>
#include <vector>

#include "wattfill/study/regression.hpp"

namespace wattfill {

/// What `wattfill regress` prints: a line for everything that moved, with direction, size and the p-value of the paired difference; at most `most` lines.
std::string moves_table(std::span<Move const> moves, std::size_t most = 50);

/// JUnit XML, as GitHub, GitLab and Jenkins read it: a test case for each record of the baseline, a failure for each move.
std::string junit_xml(std::string const& study, std::span<MetricRecord const> baseline, std::span<Move const> moves);

}  // namespace wattfill
