#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "wattfill/scenario/file_reach.hpp"
#include "wattfill/scenario/library_shelf.hpp"
#include "wattfill/scenario/snapshot_builder.hpp"
#include "wattfill/scenario/timeline_spec.hpp"
#include "wattfill/study/timeline_study_spec.hpp"

namespace wattfill {

/// The files that a timeline scenario names beside its curves: where they are looked for, those read so far, and what was accepted in them.
struct InputFiles {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> read;
  std::vector<std::string> notes;
  FileReach reach = {};

  /// Throws InputError if the file is out of reach.
  std::filesystem::path take(Placed<std::string> const& name);
};

/// Time 0 as seconds since 1970 in UTC; nothing if it is not said.
using StartTime = std::optional<double>;

/// A series in seconds of the run, ascending; what holds before the run begins is held at its last value.
std::vector<SeriesStep> read_series(SeriesFields const&, std::string const& usual_column, StartTime, InputFiles&, Reading&);
/// The jobs of a trace.
std::vector<TimelineJob> read_trace(TraceFields const&, Pool const&, StartTime, InputFiles&, Reading&);
/// The actions of a list, on these jobs.
std::vector<ActionSpec> read_actions(Placed<std::string> const& file, std::vector<TimelineJob> const& jobs, StartTime, InputFiles&, Reading&);
/// The steps that a limit means.
std::vector<LimitStep> build_limit(LimitFields const&, StartTime, InputFiles&, Reading&);

/// The contract and the capacity study of a timeline, whose run is built but for its jobs.
void build_contract(TimelineFields const&, StartTime, InputFiles&, TimelineStudySpec&, Reading&);

/// The study that a timeline scenario means. Problems go to the reading; the result is complete only if there are none.
TimelineStudySpec build_timeline(TimelineFields const&, LibraryShelf&, InputFiles&, Reading&);

}  // namespace wattfill
