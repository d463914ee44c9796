#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "wattfill/scenario/scenario.hpp"

namespace wattfill::cli {

/// The scenario that the operands and the common options name.
Scenario scenario_of(std::vector<std::string> const& operands, po::variables_map const& given);

/// A whole number of an option, or nothing if it is not given. Throws InputError that names the option.
std::optional<std::uint64_t> whole_number(po::variables_map const& given, std::string const& option, std::uint64_t least, std::uint64_t most);

/// The command as it was given: name, operands, then the options in the order of their names.
std::vector<std::string> command_line(std::string const& name, std::vector<std::string> const& operands, po::variables_map const& given);

/// Gives mistakes that know no file the scenario's.
[[noreturn]] void rethrow_with_file(InputError const& error, std::string const& file);

}  // namespace wattfill::cli
