#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace wattfill::cli {

/// The folder of a run's results, held by this run alone as long as the object lives. Refuses (InputError) a folder that another run is writing to, that
/// holds the results of another study, or whose files are inputs of this one; a folder that cannot be made is a MachineError. What a killed run left under
/// temporary names is removed; if nothing was put into it, what was made for it goes again.
class ResultFolder {
 public:
  ResultFolder(std::string const& path, std::string const& study, std::vector<std::filesystem::path> const& inputs);
  ~ResultFolder();
  ResultFolder(ResultFolder const&) = delete;
  ResultFolder& operator=(ResultFolder const&) = delete;

  std::filesystem::path const& path() const { return path_; }

  /// Removes what an earlier run left beside the files of this one: a folder never mixes the results of two runs.
  void remove_others(std::vector<std::string> const& outputs) const;

 private:
  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_;  // from the inside out
  int lock_ = -1;
};

}  // namespace wattfill::cli
