#include <cstdio>
#include <filesystem>

#include "cli/command.hpp"
#include "cli/starters.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/output_file.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill::cli {

int init(std::vector<std::string> const& operands, po::variables_map const&) {
  namespace fs = std::filesystem;
  expect_operands(operands, 1, 2, "snapshot, timeline or pipeline");
  std::vector<std::string> kinds;
  Starter const* chosen = nullptr;
  for (auto const& starter : starters()) {
    kinds.emplace_back(starter.kind);
    if (starter.kind == operands[0]) chosen = &starter;
  }
  if (chosen == nullptr) throw InputError("there is no starter \"" + operands[0] + "\"" + suggestion(operands[0], kinds));
  fs::path const file = operands.size() > 1 ? operands[1] : operands[0] + ".yaml";
  auto const profile = fs::path(file).replace_filename("profile.csv");
  std::error_code failed;
  for (auto const& made : {file, chosen->profile.empty() ? file : profile})
    if (fs::exists(made, failed))
      throw InputError({{made.string()},
                        "",
                        "this file is there already (it would be overwritten); give another " + std::string(made == file ? "name" : "folder") +
                            ": wattfill init " + operands[0] + (made == file ? " FILE.yaml" : " FOLDER/FILE.yaml")});
  if (file.has_parent_path()) {
    fs::create_directories(file.parent_path(), failed);
    if (failed) throw MachineError(file.parent_path().string() + ": the folder cannot be made: " + failed.message());
  }
  if (!chosen->profile.empty()) write_file(profile, chosen->profile);
  write_file(file, chosen->text);
  std::printf("wrote %s%s; next: %s %s\n", file.c_str(), chosen->profile.empty() ? "" : (" and " + profile.string()).c_str(),
              operands[0] == "pipeline" ? "wattfill pipeline" : "wattfill run", file.c_str());
  return 0;
}

}  // namespace wattfill::cli
