#include "cli/help.hpp"

#include <sstream>

#include "wattfill/core/version.hpp"
#include "wattfill/scenario/import/import.hpp"

namespace wattfill::cli {
namespace {

/// An option of a command, in words.
struct OptionWords {
  std::string name, value, what;  ///< value: the placeholder, empty for a switch
};

std::vector<OptionWords> words_of(po::options_description const& options) {
  std::vector<OptionWords> words;
  for (auto const& option : options.options()) {
    auto value = option->semantic()->max_tokens() == 0 ? std::string() : option->format_parameter();
    words.push_back({option->long_name(), value.substr(0, value.find(" (=")), option->description()});
  }
  return words;
}

/// Whether an option that starts its description with formats ("zeus, dcgm: ...") is one of this format's.
bool is_for(std::string const& description, std::string_view format) {
  auto const colon = description.find(": ");
  if (colon == std::string::npos) return true;
  auto rest = std::string_view(description).substr(0, colon);
  if (rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz-, ") != std::string_view::npos) return true;
  for (;;) {
    auto const comma = std::min(rest.find(", "), rest.size());
    if (rest.substr(0, comma) == format) return true;
    if (comma == rest.size()) return false;
    rest.remove_prefix(comma + 2);
  }
}

std::string import_help(Command const& command, std::string_view name) {
  auto const& format = import_format(name);
  std::ostringstream text;
  po::options_description options("options");
  auto const every = options_of(command);
  for (auto const& option : every.options())
    if (is_for(option->description(), name)) options.add(option);
  text << "usage: wattfill import " << name << " INPUT --out DIR/NAME [options]\n" << format.what << "\nINPUT: " << format.input << "\n\n" << options;
  text << "\nexample: " << format.example << "\n";
  return text.str();
}

/// roff takes a leading '.' or "'" and every '\' and '-' for its own.
std::string roff(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '\\' || c == '-') out += '\\';
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    out += c;
  }
  return out;
}

/// Inside single quotes of a shell.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (char const c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string joined(std::vector<std::string> const& words) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Words that a command's operand may be, from "[a|b|c]" or "a|b".
std::string operand_words(Command const& command) {
  if (command.name == "import") {
    std::vector<std::string> names;
    for (auto const& format : import_formats()) names.emplace_back(format.name);
    return joined(names);
  }
  if (command.operands.find('|') == std::string_view::npos) return "";
  std::string words;
  for (char const c : command.operands.substr(0, command.operands.find(' ')))
    if (c != '[' && c != ']') words += c == '|' ? ' ' : c;
  return words;
}

/// Words that the value of an option may be, from "all|summary".
std::string value_words(OptionWords const& option) {
  if (option.value.find('|') == std::string::npos) return "";
  auto words = option.value;
  for (auto& c : words)
    if (c == '|') c = ' ';
  return words;
}

bool takes_library(Command const& command) { return command.name == "curves" || command.name == "pfi" || command.name == "compare"; }

}  // namespace

po::options_description options_of(Command const& command) {
  po::options_description options("options");
  command.options(options);
  options.add_options()("help,h", "this text");
  return options;
}

std::string overview() {
  std::string text = "usage: wattfill COMMAND [operands] [options]\n\nSimulates AI training jobs that must live within less power than they want.\n\n";
  for (auto const& command : commands())
    text += "  " + std::string(command.name) + std::string(12 - command.name.size(), ' ') + std::string(command.summary) + "\n";
  return text + "\nwattfill COMMAND --help says more; example: wattfill run scenarios/paper.yaml\n";
}

std::string help_text(Command const& command, std::vector<std::string> const& operands) {
  if (command.name == "import" && !operands.empty()) return import_help(command, operands.front());
  std::ostringstream text;
  text << "usage: wattfill " << command.name << (command.operands.empty() ? "" : " ") << command.operands << " [options]\n" << command.summary << "\n\n";
  if (command.name == "import") {
    text << "formats (wattfill import FORMAT --help says more):\n";
    for (auto const& format : import_formats()) text << "  " << format.name << " " << format.input << ": " << format.what << "\n";
    text << "\n";
  }
  text << options_of(command) << "\nexample: " << command.example << "\n";
  return text.str();
}

std::string bash_completion() {
  std::string names, options, operands, values;
  for (auto const& command : commands()) {
    names += (names.empty() ? "" : " ") + std::string(command.name);
    std::vector<std::string> flags;
    for (auto const& option : words_of(options_of(command))) {
      flags.push_back("--" + option.name);
      if (auto const words = value_words(option); !words.empty())
        values += "    " + std::string(command.name) + ":--" + option.name + ") COMPREPLY=($(compgen -W " + in_quotes(words) + " -- \"$word\")); return ;;\n";
    }
    options += "    " + std::string(command.name) + ") options=" + in_quotes(joined(flags)) + " ;;\n";
    if (takes_library(command))
      operands += "    " + std::string(command.name) + ") words=$(wattfill curves 2>/dev/null | cut -d' ' -f1) ;;\n";
    else if (auto const words = operand_words(command); !words.empty())
      operands += "    " + std::string(command.name) + ") words=" + in_quotes(words) + " ;;\n";
  }
  return "# Completion of wattfill for bash; made by `wattfill completion bash`.\n"
         "_wattfill() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} options='' words=''\n"
         "  COMPREPLY=()\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W '" +
         names +
         " --help --version' -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case $command:$before in\n" +
         (values.empty() ? "    :) ;;\n" : values) +
         "  esac\n"
         "  case $command in\n" +
         options +
         "  esac\n"
         "  case $command in\n" +
         operands +
         "  esac\n"
         "  if [[ $word == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "  elif [[ -n $words && $before != -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _wattfill wattfill\n";
}

std::string zsh_completion() {
  std::string names, cases;
  auto const escaped = [](std::string text) {  // brackets and colons are syntax in _arguments
    std::string out;
    for (char const c : text) out += (c == '[' || c == ']' || c == ':') ? std::string("\\") + c : std::string(1, c);
    return out;
  };
  for (auto const& command : commands()) {
    names += "    " + in_quotes(std::string(command.name) + ":" + escaped(std::string(command.summary))) + "\n";
    cases += "    " + std::string(command.name) + ")\n      _arguments";
    for (auto const& option : words_of(options_of(command))) {
      auto const words = value_words(option);
      auto const value = option.value.empty() ? std::string() : ":" + escaped(option.value) + ":" + (words.empty() ? "_files" : "(" + words + ")");
      cases += " \\\n        " + in_quotes("*--" + option.name + "[" + escaped(option.what) + "]" + value);
    }
    auto const words = operand_words(command);
    cases += std::string(" \\\n        ") + (takes_library(command) ? "\"*:library:(${(f)$(wattfill curves 2>/dev/null | cut -d' ' -f1)})\""
                                             : words.empty()        ? "'*:file:_files'"
                                                                    : in_quotes("1:what:(" + words + ")") + " '*:file:_files'");
    cases += "\n      ;;\n";
  }
  return "#compdef wattfill\n# Completion of wattfill for zsh; made by `wattfill completion zsh`.\n"
         "_wattfill() {\n  local -a names=(\n" +
         names +
         "  )\n  if ((CURRENT == 2)); then\n    _describe command names\n    return\n  fi\n"
         "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n" +
         cases + "  esac\n}\n_wattfill \"$@\"\n";
}

std::string fish_completion() {
  std::string text = "# Completion of wattfill for fish; made by `wattfill completion fish`.\n";
  for (auto const& command : commands()) {
    auto const name = std::string(command.name);
    text += "complete -c wattfill -n __fish_use_subcommand -f -a " + name + " -d " + in_quotes(command.summary) + "\n";
    auto const here = "complete -c wattfill -n '__fish_seen_subcommand_from " + name + "' ";
    for (auto const& option : words_of(options_of(command))) {
      auto const words = value_words(option);
      text += here + "-l " + option.name +
              (option.value.empty() ? ""
               : words.empty()      ? " -r"
                                    : " -x -a " + in_quotes(words)) +
              " -d " + in_quotes(option.what) + "\n";
    }
    if (takes_library(command))
      text += here + "-f -a \"(wattfill curves 2>/dev/null | string split -f1 ' ')\"\n";
    else if (auto const words = operand_words(command); !words.empty())
      text += here + "-a " + in_quotes(words) + "\n";
  }
  return text;
}

std::string manual_page() {
  std::string text =
      ".TH WATTFILL 1 \"\" \"wattfill " + std::string(version) +
      "\" \"User Commands\"\n.SH NAME\nwattfill \\- simulate AI training jobs that must live within less power than they want\n"
      ".SH SYNOPSIS\n.B wattfill\n.I COMMAND\n[operands] [options]\n.SH DESCRIPTION\n"
      "Divides a power budget among AI training jobs under every policy from one cap for all to the proven optimum, on measured power\\-speed curves, and "
      "reports speed, fairness and the share of the possible gain. The same scenario, curves, seed and version give the same bytes.\n.SH COMMANDS\n";
  for (auto const& command : commands()) {
    text += ".SS \"wattfill " + roff(command.name) + (command.operands.empty() ? "" : " " + roff(command.operands)) + "\"\n" + roff(command.summary) + ".\n";
    for (auto const& option : words_of(options_of(command)))
      text += ".TP\n\\fB\\-\\-" + roff(option.name) + "\\fR" + (option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR") + "\n" + roff(option.what) +
              "\n";
    text += ".PP\nExample:\n.RS\n" + roff(command.example) + "\n.RE\n";
  }
  text +=
      ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\na check failed: something moved (regress), something was noted (validate \\-\\-strict)\n.TP\n2\nthe input is "
      "wrong; the "
      "message says where and what to do\n.TP\n3\nthe machine failed: disk full, file not writable, out of memory\n.TP\n4\na defect of "
      "wattfill\n.TP\n130\ninterrupted\n"
      ".SH ENVIRONMENT\n.TP\nWATTFILL_CURVES\nfolders that are searched for curve libraries, separated by colons\n.TP\nSLURM_CPUS_PER_TASK\nbounds the number "
      "of threads\n"
      ".SH FILES\nscenarios/README.md, installed in share/wattfill, explains every key and every column.\n";
  return text;
}

}  // namespace wattfill::cli
