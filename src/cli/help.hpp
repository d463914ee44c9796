#pragma once
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace wattfill::cli {

/// The options of a command with --help, as boost prints and reads them.
po::options_description options_of(Command const& command);

/// What `wattfill --help` prints.
std::string overview();
/// What `wattfill COMMAND --help` prints; `operands`: what stood before --help (a format of import narrows the text to it).
std::string help_text(Command const& command, std::vector<std::string> const& operands);

/// Completion scripts and the manual page, from the table of commands.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();
std::string manual_page();

}  // namespace wattfill::cli
