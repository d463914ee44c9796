#pragma once
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wattfill/curve/curve_library.hpp"
#include "wattfill/curve/silicon.hpp"
#include "wattfill/scenario/fields.hpp"
#include "wattfill/scenario/file_reach.hpp"
#include "wattfill/scenario/pipeline_file.hpp"

namespace wattfill {

/// Folders in which curve libraries are looked for, first to last: those given, $WATTFILL_CURVES (colon-separated), curves/ beside the scenario and
/// beside its folder, the installed ones.
std::vector<std::filesystem::path> curve_folders(std::vector<std::filesystem::path> const& given, std::filesystem::path const& scenario_folder);

/// The curve libraries of one scenario: each is read once and keeps its address.
class LibraryShelf {
 public:
  LibraryShelf(std::vector<std::filesystem::path> folders, std::filesystem::path scenario_folder, FileReach reach = {});

  /// The library of a name, or of a path (with '/' or ending in .yaml) relative to the scenario. nullptr and a problem if there is none or it is
  /// wrong.
  CurveLibrary const* take(Placed<std::string> const& name, Reading&);

  /// The library called `name` that the job of a pipeline scenario gives (job_library.hpp); its file is relative to the scenario.
  CurveLibrary const* derive(std::string const& name, Placed<std::string> const& file, Reading&);

  /// A library whose jobs run on GPUs that differ (silicon.hpp), under the same name. nullptr and a problem at `place` if it cannot be.
  CurveLibrary const* varied(CurveLibrary const* library, SiliconSpec const& spec, Place const& place, Reading&);

  std::vector<std::filesystem::path> const& files() const { return files_; }
  std::vector<std::string> const& notes() const { return notes_; }
  std::vector<std::unique_ptr<CurveLibrary const>> release() { return std::move(libraries_); }
  /// The jobs that derived libraries come from, by their names.
  std::vector<std::pair<std::string, PipelineScenario>> release_jobs() { return std::move(jobs_); }
  std::vector<std::unique_ptr<CurveLibrary const>> release_varied() { return std::move(varied_); }

  /// A path relative to the scenario; nothing and a problem if it is out of reach.
  std::optional<std::filesystem::path> beside_scenario(Placed<std::string> const& name, Reading&) const;
  /// Counts another file among those read, once.
  void count_file(std::filesystem::path const& file) {
    if (std::find(files_.begin(), files_.end(), file) == files_.end()) files_.push_back(file);
  }

  /// Names of the libraries in the folders, sorted.
  std::vector<std::string> names() const;

 private:
  std::filesystem::path find(Placed<std::string> const& name, Reading&) const;

  std::vector<std::filesystem::path> folders_;
  std::filesystem::path scenario_folder_;
  FileReach reach_;
  std::map<std::filesystem::path, CurveLibrary const*> by_file_;
  std::vector<std::unique_ptr<CurveLibrary const>> libraries_, varied_;
  struct Variation {
    CurveLibrary const* of;
    SiliconSpec spec;
    CurveLibrary const* library;
  };
  std::vector<Variation> variations_;
  std::vector<std::pair<std::string, PipelineScenario>> jobs_;
  std::vector<std::filesystem::path> files_;
  std::vector<std::string> notes_;
};

}  // namespace wattfill
