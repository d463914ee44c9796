#include "cli/result_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array names{"replications.csv", "summary.csv", "allocation.csv", "facility.csv", "capacity.csv",  "power.csv",     "jobs.csv",
                           "events.csv",       "pieces.bin",  "pieces.csv",     "results.nc",   "quantiles.csv", "manifest.json", "stages.csv"};

[[noreturn]] void refuse(std::string what) { throw InputError({{}, "--out", std::move(what)}); }

/// NAME.PID.tmp of a run that was killed.
bool is_leftover(fs::path const& file) {
  auto const name = file.filename().string();
  return name.ends_with(".tmp") && std::ranges::any_of(names, [&](std::string const& output) { return name.starts_with(output + "."); });
}

}  // namespace

ResultFolder::ResultFolder(std::string const& path, std::string const& study, std::vector<fs::path> const& inputs) : path_(path) {
  if (path.empty()) refuse("the name of the folder is empty; name one");
  if (fs::exists(path_) && !fs::is_directory(path_)) refuse(path + " is not a folder (results are several files); name a folder");
  for (auto part = path_; !part.empty() && !fs::exists(part); part = part.parent_path()) made_.push_back(part);
  std::error_code failed;
  fs::create_directories(path_, failed);
  if (failed) throw MachineError(path + ": this folder could not be made: " + failed.message() + "; choose another with --out");

  lock_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ >= 0 && flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(lock_);
    refuse(path + ": another run is writing its results there (they would be mixed); wait for it or choose another folder");
  }
  try {
    for (auto const& input : inputs)
      for (auto const* name : names)
        if (fs::equivalent(path_ / name, input, failed) && !failed)
          refuse(input.string() + " is an input of this run and would be overwritten by its " + name + "; choose another folder");
    std::ifstream in(path_ / "manifest.json");
    std::string const text(std::istreambuf_iterator<char>(in), {});
    if (!text.empty() && text.find("\"scenario\": " + json_text(study) + ",") == std::string::npos)
      refuse(path + " holds the results of another study (they would be lost); choose another folder or empty this one");
    for (auto const& entry : fs::directory_iterator(path_, failed))
      if (is_leftover(entry.path())) fs::remove(entry.path(), failed);
  } catch (...) {
    if (lock_ >= 0) close(lock_);
    throw;
  }
}

ResultFolder::~ResultFolder() {
  std::error_code failed;
  for (auto part = made_.begin(); part != made_.end() && !failed; ++part) fs::remove(*part, failed);
  if (lock_ >= 0) close(lock_);
}

void ResultFolder::remove_others(std::vector<std::string> const& outputs) const {
  for (std::string const name : names)
    if (name != "manifest.json" && std::ranges::find(outputs, name) == outputs.end()) fs::remove(path_ / name);
}

}  // namespace wattfill::cli
