#include "wattfill/scenario/file_reach.hpp"

#include <algorithm>
#include <system_error>

#include "wattfill/core/quotation.hpp"

namespace wattfill {
namespace {

namespace fs = std::filesystem;

/// Without links and dots, as far as the path exists; empty where that cannot be told.
fs::path followed(fs::path const& path) {
  std::error_code unknown;
  auto found = fs::weakly_canonical(fs::absolute(path, unknown), unknown);
  return unknown ? fs::path() : found;
}

}  // namespace

FileReach::FileReach(std::vector<fs::path> const& folders, Outside outside) : outside_(outside) {
  for (auto const& folder : folders)
    if (auto found = followed(folder); !found.empty()) folders_.push_back(std::move(found));
}

bool FileReach::holds(fs::path const& file) const {
  if (outside_ == Outside::allowed) return true;
  auto const found = followed(file);
  for (auto const& folder : folders_)
    if (!found.empty() && std::mismatch(folder.begin(), folder.end(), found.begin(), found.end()).first == folder.end()) return true;
  return false;
}

std::optional<Problem> FileReach::refusal(Placed<std::string> const& name, fs::path const& file) const {
  if (name.place.at.file.starts_with("--set ") || holds(file)) return std::nullopt;
  return Problem{name.place.at, name.place.key,
                 quotation(name.value) +
                     " lies outside of this file's folder and of the folders of curves (a scenario from a stranger could read any file of "
                     "yours); move it there, or add --allow-outside if you trust the scenario"};
}

fs::path folder_of(fs::path const& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

}  // namespace wattfill
