#pragma once
// A small valid scenario, and what is said when some of its lines are exchanged.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/scenario/scenario.hpp"

using TemporaryFolder = wattfill::testing::Folder;

inline std::filesystem::path test_data() { return std::filesystem::path(WATTFILL_SOURCE_DIR) / "tests/scenario/data"; }

struct Mistake {
  std::string name;
  std::map<std::size_t, std::string> lines;  ///< by number from 1
  std::vector<std::string> sets;
  std::string message;
};

inline std::string scenario_with(std::map<std::size_t, std::string> const& changes) {
  std::vector<std::string> lines{
      "wattfill: 1", "name: t", "kind: snapshot", "curves: [small]", "mixes:", "  m: {draw: {all: {where: {}}}}", "cuts: [0, 0.1]", "policies: [proportional]"};
  std::string text;
  for (auto const& [number, line] : changes) {
    if (lines.size() < number) lines.resize(number);
    lines[number - 1] = line;
  }
  for (auto const& line : lines) text += line + "\n";
  return text;
}

/// What load_scenario says of a file s.yaml with this text, beside the test libraries small, twin and unitless.
inline std::string refusal_of(std::string const& text, std::vector<std::string> sets = {}) {
  TemporaryFolder const folder;
  for (auto const* name : {"small", "twin", "unitless"})
    for (auto const* ending : {".yaml", ".csv"}) {
      std::filesystem::create_directories(folder.path() / "curves");
      std::filesystem::copy_file(test_data() / (std::string(name) + ending), folder.path() / "curves" / (std::string(name) + ending));
    }
  auto const file = folder.write("s.yaml", text);
  try {
    wattfill::LoadOptions options;
    options.sets = std::move(sets);
    wattfill::load_scenario(file, options);
  } catch (wattfill::InputError const& error) {
    return folder.relative(error.what());
  }
  return "accepted";
}

inline void check_mistakes(std::vector<Mistake> const& mistakes) {
  for (auto const& mistake : mistakes) {
    INFO(mistake.name);
    CHECK(refusal_of(scenario_with(mistake.lines), mistake.sets) == mistake.message);
  }
}
