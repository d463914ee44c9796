#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wattfill/curve/curve_library.hpp"
#include "wattfill/scenario/file_reach.hpp"
#include "wattfill/scenario/library_shelf.hpp"
#include "wattfill/study/study_spec.hpp"
#include "wattfill/study/timeline_study_spec.hpp"

namespace wattfill {

/// What the command line adds to a scenario file.
struct LoadOptions {
  std::vector<std::string> sets;                  ///< "path.to.key=value", carried out in order
  std::vector<std::filesystem::path> curve_dirs;  ///< searched for curve libraries before all others
  std::optional<std::uint64_t> seed;              ///< instead of the scenario's
  Outside outside = Outside::refused;             ///< may the scenario name files outside of its folder and the folders of curves?
};

/// One combination of the sweep's values (the only one, without values, if there is no sweep).
struct SweepPoint {
  std::vector<std::string> values;  ///< as text, in the order of Scenario::sweep_columns
  StudySpec study;                  ///< of a snapshot scenario
  TimelineStudySpec timeline;       ///< of a timeline scenario
};

/// A scenario file as understood: complete and checked. Movable; the studies point into `libraries`.
struct Scenario {
  std::string name;
  std::string kind;                          ///< snapshot or timeline
  std::string resolved;                      ///< every key with its value, defaults too, as YAML that loads to the same scenario
  std::vector<std::filesystem::path> files;  ///< every file read, for hashing
  std::vector<std::unique_ptr<CurveLibrary const>> libraries;
  std::vector<std::unique_ptr<CurveLibrary const>> varied;     ///< copies of them whose GPUs differ (`silicon:`)
  std::vector<std::pair<std::string, PipelineScenario>> jobs;  ///< behind the libraries of `training:`, by their names
  std::vector<std::string> notes;                              ///< what was accepted but the user should know
  std::vector<std::string> sweep_columns;                      ///< key paths, in the order written
  std::vector<SweepPoint> points;                              ///< cross product, the last column changing fastest
};

/// Most combinations that a sweep may have.
inline constexpr std::size_t most_sweep_points = 100'000;

/// Throws InputError that lists every mistake found.
Scenario load_scenario(std::filesystem::path const& file, LoadOptions const& options = {});

}  // namespace wattfill
