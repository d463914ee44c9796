#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattfill/core/output_file.hpp"
#include "wattfill/study/firm_capacity.hpp"
#include "wattfill/study/timeline_study.hpp"

namespace wattfill {

/// power.csv, jobs.csv and events.csv (and, with a facility, facility.csv) of single replications: written as the run goes on, so that memory does not grow
/// with it.
class TimelineFiles final : public TimelineObserver {
 public:
  TimelineFiles(std::filesystem::path const& folder, std::vector<std::string> const& sweep_columns);

  /// What follows belongs to this run. `timeline` must outlive it.
  void start(std::string const& policy, std::uint64_t replication, std::vector<std::string> const& sweep_values, Timeline const& timeline);
  void power(PowerRow const& row) override;
  void event(double time_s, EventKind kind, std::uint32_t job, double value) override;
  void job(std::uint32_t job, JobRow const& row) override;
  void components(std::array<double, component_count> const& energy_j) override;
  /// Names of the files written.
  std::vector<std::string> commit();

 private:
  void write(OutputFile& file, std::string& text, bool all);

  OutputFile power_, jobs_, events_;
  std::optional<OutputFile> facility_;
  std::filesystem::path folder_;
  std::string facility_header_;
  std::string power_text_, jobs_text_, events_text_, head_;
  Timeline const* timeline_ = nullptr;
};

/// replications.csv of a timeline: a row per policy, replication and sweep point.
std::string timeline_header(std::vector<std::string> const& sweep_columns);
std::string timeline_rows(TimelineStudySpec const& study, std::uint64_t replication, std::span<double const> metrics,
                          std::vector<std::string> const& sweep_values);

/// summary.csv of a timeline.
std::string timeline_summary_header(std::vector<std::string> const& sweep_columns);
std::string timeline_summary_rows(TimelineStudySpec const& study, TimelineStudyResult const& result, std::vector<std::string> const& sweep_values);

/// The short table that `wattfill run` prints.
std::string timeline_table(TimelineStudySpec const& study, TimelineStudyResult const& result);

/// capacity.csv of a timeline: a row per policy, place of measurement, loss, hour, duration and confidence.
std::string firm_header(std::vector<std::string> const& sweep_columns);
std::string firm_rows(TimelineStudySpec const& study, std::vector<FirmPromise> const& promises, std::vector<std::string> const& sweep_values);
std::string firm_table(TimelineStudySpec const& study, std::vector<FirmPromise> const& promises);

}  // namespace wattfill
