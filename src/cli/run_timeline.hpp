#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "wattfill/report/manifest.hpp"
#include "wattfill/scenario/scenario.hpp"

namespace wattfill::cli {

/// `wattfill run` and `validate` of a timeline scenario. `stop_on_signals` is called once results are begun; it says when to stop.
int run_timeline(Scenario const& scenario, std::vector<std::string> const& operands, po::variables_map const& given, bool rows_wanted,
                 std::atomic<bool> const* (*stop_on_signals)());
int validate_timeline(Scenario const& scenario, std::vector<std::string> const& operands, po::variables_map const& given);

/// "curves: a (measured), b (reconstructed)", and the values of a sweep point.
std::string provenance_line(Scenario const& scenario);
std::string point_line(Scenario const& scenario, SweepPoint const& point);

/// What the manifest says of any run; outputs and time are still missing.
Manifest manifest_of(std::string const& command, Scenario const& scenario, std::uint64_t seed, unsigned threads, std::vector<std::string> const& operands,
                     po::variables_map const& given);

}  // namespace wattfill::cli
