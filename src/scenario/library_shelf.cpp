#include "wattfill/scenario/library_shelf.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>
#include <system_error>

#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/job_library.hpp"
#include "wattfill/scenario/library_file.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {

namespace fs = std::filesystem;

std::vector<fs::path> curve_folders(std::vector<fs::path> const& given, fs::path const& scenario_folder) {
  auto folders = given;
  if (auto const* const listed_folders = std::getenv("WATTFILL_CURVES")) {
    for (std::string_view rest = listed_folders; !rest.empty();) {
      auto const colon = std::min(rest.find(':'), rest.size());
      if (colon > 0) folders.emplace_back(rest.substr(0, colon));
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  folders.push_back(scenario_folder / "curves");
  folders.push_back(scenario_folder / ".." / "curves");
  std::error_code unknown;  // an installation may have been moved: first what was installed with this very program
  if (auto const program = fs::read_symlink("/proc/self/exe", unknown); !unknown)
    for (auto const& beside : {program.parent_path().parent_path() / WATTFILL_DATADIR_BESIDE_BIN, program.parent_path().parent_path().parent_path()})
      folders.push_back(beside / "curves");  // the second: a program in build/PRESET of a checkout
  folders.emplace_back(WATTFILL_DATADIR "/curves");
  return folders;
}

LibraryShelf::LibraryShelf(std::vector<fs::path> folders, fs::path scenario_folder, FileReach reach)
    : folders_(std::move(folders)), scenario_folder_(std::move(scenario_folder)), reach_(std::move(reach)) {}

std::optional<fs::path> LibraryShelf::beside_scenario(Placed<std::string> const& name, Reading& reading) const {
  auto file = scenario_folder_ / name.value;
  auto const refused = reach_.refusal(name, file);
  if (!refused) return file;
  reading.problems.push_back(*refused);
  return std::nullopt;
}

std::vector<std::string> LibraryShelf::names() const {
  std::set<std::string> found;
  for (auto const& folder : folders_) {
    std::error_code error;
    for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
      auto file = entry->path();
      if (file.extension() == ".yaml" && fs::exists(file.replace_extension(".csv"))) found.insert(file.stem().string());
    }
  }
  return {found.begin(), found.end()};
}

fs::path LibraryShelf::find(Placed<std::string> const& name, Reading& reading) const {
  std::error_code error;
  auto const& wanted = name.value;
  auto const both_in_reach = [&](fs::path file) {  // points beside metadata: either may be a link
    for (auto const* ending : {".yaml", ".csv"})
      if (auto const refused = reach_.refusal(name, file.replace_extension(ending))) {
        reading.problems.push_back(*refused);
        return false;
      }
    return true;
  };
  if (wanted.find('/') != std::string::npos || wanted.ends_with(".yaml")) {
    auto file = scenario_folder_ / wanted;
    if (!wanted.ends_with(".yaml")) file += ".yaml";
    if (!both_in_reach(file)) return {};
    if (fs::exists(file, error)) return file;
    reading.refuse(name.place,
                   "there is no curve library file " + file.lexically_normal().string() + " (the path is relative to the scenario); check the path");
    return {};
  }
  std::vector<std::string> looked;
  for (auto const& folder : folders_) {
    auto const file = folder / (wanted + ".yaml");
    auto const came_with_scenario = folder == scenario_folder_ / "curves" || folder == scenario_folder_ / ".." / "curves";  // the others are the user's own
    if (fs::exists(file, error)) return !came_with_scenario || both_in_reach(file) ? file : fs::path();
    looked.push_back(folder.lexically_normal().string());
  }
  reading.refuse(name.place,
                 "there is no curve library " + quotation(wanted) + " (looked in " + listed(looked) + ")" + suggestion(wanted, names(), "found there"));
  return {};
}

CurveLibrary const* LibraryShelf::take(Placed<std::string> const& name, Reading& reading) {
  auto const file = find(name, reading).lexically_normal();
  if (file.empty()) return nullptr;
  if (auto const known = by_file_.find(file); known != by_file_.end()) return known->second;
  auto& shelved = by_file_[file] = nullptr;
  try {
    auto read = read_library(file);
    auto const same = std::ranges::find(libraries_, read.library.name, [](auto const& library) { return library->name; });
    if (same != libraries_.end()) {
      reading.refuse(name.place, "two curve libraries are called " + quotation(read.library.name) + " (LIBRARY/CURVE would mean either); rename one");
      return nullptr;
    }
    libraries_.push_back(std::make_unique<CurveLibrary const>(std::move(read.library)));
    files_.insert(files_.end(), read.files.begin(), read.files.end());
    notes_.insert(notes_.end(), read.notes.begin(), read.notes.end());
    shelved = libraries_.back().get();
  } catch (InputError const& error) {
    for (auto const& problem : error.problems()) reading.refuse(problem.at, problem.key, problem.what);
  }
  return shelved;
}

CurveLibrary const* LibraryShelf::derive(std::string const& name, Placed<std::string> const& file, Reading& reading) {
  auto const found = beside_scenario(file, reading);
  if (!found) return nullptr;
  auto const path = found->lexically_normal();
  auto const key = path / ("training." + name);  // no file has this name
  if (auto const known = by_file_.find(key); known != by_file_.end()) return known->second;
  auto& shelved = by_file_[key] = nullptr;
  if (std::ranges::find(libraries_, name, [](auto const& library) { return library->name; }) != libraries_.end()) {
    reading.refuse(file.place, "two curve libraries are called " + quotation(name) + " (LIBRARY/CURVE would mean either); rename one");
    return nullptr;
  }
  try {
    auto const scenario = load_pipeline(path, {}, reach_.outside());
    libraries_.push_back(std::make_unique<CurveLibrary const>(job_library(scenario, name)));
    files_.insert(files_.end(), scenario.files.begin(), scenario.files.end());
    shelved = libraries_.back().get();
    jobs_.emplace_back(name, scenario);
  } catch (InputError const& error) {
    for (auto const& problem : error.problems())
      reading.refuse(problem.at.file.empty() ? file.place.at : problem.at, problem.key.empty() ? file.place.key : problem.key, problem.what);
  }
  return shelved;
}

CurveLibrary const* LibraryShelf::varied(CurveLibrary const* library, SiliconSpec const& spec, Place const& place, Reading& reading) {
  if (library == nullptr) return nullptr;
  auto const known = std::ranges::find_if(variations_, [&](Variation const& v) { return v.of == library && v.spec == spec; });
  if (known != variations_.end()) return known->library;
  auto copy = *library;
  for (auto& curve : copy.curves) {
    try {
      curve.curve = with_silicon(curve.curve, curve.gpus, copy.tdp_w, spec);
    } catch (InputError const& error) {
      reading.refuse(place, "of " + curve.id() + " " + error.problems().front().what);
      return nullptr;
    }
    if (curve.provenance != Provenance::reconstructed) curve.provenance = Provenance::derived;
  }
  varied_.push_back(std::make_unique<CurveLibrary const>(std::move(copy)));
  variations_.push_back({library, spec, varied_.back().get()});
  return varied_.back().get();
}

}  // namespace wattfill
