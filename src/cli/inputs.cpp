#include "cli/inputs.hpp"

#include <charconv>

#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"

namespace wattfill::cli {

Scenario scenario_of(std::vector<std::string> const& operands, po::variables_map const& given) {
  expect_operands(operands, 1, 1, "SCENARIO.yaml");
  LoadOptions options;
  if (given.count("set") > 0) options.sets = given["set"].as<std::vector<std::string>>();
  if (given.count("curves") > 0)
    for (auto const& dir : given["curves"].as<std::vector<std::string>>()) options.curve_dirs.emplace_back(dir);
  if (given.count("allow-outside") > 0) options.outside = Outside::allowed;
  options.seed = whole_number(given, "seed", 0, UINT64_MAX);
  return load_scenario(operands.front(), options);
}

std::optional<std::uint64_t> whole_number(po::variables_map const& given, std::string const& option, std::uint64_t least, std::uint64_t most) {
  if (given.count(option) == 0) return std::nullopt;
  auto const text = given[option].as<std::string>();
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw InputError({{}, "--" + option, quotation(text) + " is not a whole number from " + std::to_string(least) + " to " + std::to_string(most)});
  return value;
}

std::vector<std::string> command_line(std::string const& name, std::vector<std::string> const& operands, po::variables_map const& given) {
  std::vector<std::string> words{"wattfill", name};
  words.insert(words.end(), operands.begin(), operands.end());
  for (auto const& [option, value] : given) {
    if (value.defaulted() || option == "operand") continue;
    if (auto const* text = boost::any_cast<std::string>(&value.value())) words.push_back("--" + option + (text->empty() ? "" : "=" + *text));
    if (auto const* texts = boost::any_cast<std::vector<std::string>>(&value.value()))
      for (auto const& text : *texts) words.push_back("--" + option + "=" + text);
  }
  return words;
}

void rethrow_with_file(InputError const& error, std::string const& file) {
  auto problems = error.problems();
  for (auto& problem : problems)
    if (problem.at.file.empty() && !problem.key.starts_with("--")) problem.at.file = file;
  throw InputError(std::move(problems));
}

}  // namespace wattfill::cli
