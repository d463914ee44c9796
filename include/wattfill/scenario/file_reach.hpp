#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "wattfill/scenario/fields.hpp"

namespace wattfill {

/// Whether files that an input names may lie outside of where it has a right to look.
enum class Outside { refused, allowed };

/// Which files a scenario may name. Scenarios are passed around: one from a stranger must not read whatever its user can read (what is read shows in messages
/// and in results). So the files that it names lie below its own folder or below the folders of curves, after `..` and links are followed. A path that
/// the user gives with --set is the user's own.
class FileReach {
 public:
  /// Everything may be named.
  FileReach() = default;
  FileReach(std::vector<std::filesystem::path> const& folders, Outside outside);

  Outside outside() const { return outside_; }
  bool holds(std::filesystem::path const& file) const;
  /// Why `file`, which is what `name` means, is not read; nothing if it is.
  std::optional<Problem> refusal(Placed<std::string> const& name, std::filesystem::path const& file) const;

 private:
  std::vector<std::filesystem::path> folders_;  ///< without links
  Outside outside_ = Outside::allowed;
};

/// The folder that paths in a file are relative to.
std::filesystem::path folder_of(std::filesystem::path const& file);

}  // namespace wattfill
