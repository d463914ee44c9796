#include <cstdio>

#include "cli/help.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill::cli {

int completion(std::vector<std::string> const& operands, po::variables_map const&) {
  expect_operands(operands, 1, 1, "bash, zsh, fish or man");
  auto const& what = operands.front();
  if (what != "bash" && what != "zsh" && what != "fish" && what != "man")
    throw InputError("there is no completion for \"" + what + "\"" + suggestion(what, {"bash", "zsh", "fish", "man"}));
  auto const text = what == "bash" ? bash_completion() : what == "zsh" ? zsh_completion() : what == "fish" ? fish_completion() : manual_page();
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace wattfill::cli
