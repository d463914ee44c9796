#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/result_folder.hpp"
#include "wattfill/report/manifest.hpp"
#include "wattfill/scenario/scenario.hpp"
#include "wattfill/study/device.hpp"
#include "wattfill/study/pieces.hpp"

namespace wattfill::cli {

/// How a study is run: by what options say, or from shards that are merged.
struct Running {
  std::string scenario_file;  ///< for messages
  unsigned threads = 1;
  bool rows = true, quiet = false;
  std::vector<double> quantiles;  ///< for quantiles.csv; empty: none
  bool netcdf = false;            ///< results.nc instead of replications.csv
  std::optional<std::uint64_t> replication;
  DeviceDriver const* device = nullptr;                      ///< as in RunOptions
  std::function<void(std::string const&)> device_note = {};  ///< likewise
  Pieces* pieces = nullptr;
  std::function<std::string(std::filesystem::path const&)> commit_rows = {};  ///< gives the rows that pieces keep their name; returns their SHA-256
  std::uint64_t parts = 1;                                                    ///< the study is made in so many parts, this process makes one of them
  std::atomic<bool> const* stop = nullptr;
};

/// What a run has put into its folder, and what it prints.
struct Written {
  std::vector<std::string> outputs;
  std::map<std::string, std::string> digests;  ///< of outputs, where known
  std::string tables;
};

/// Run the study of a scenario and write its files, all but the manifest. Where running.pieces does not fold, only pieces are made, and no file:
/// then there may be no folder.
Written run_snapshot(Scenario const& scenario, Running const& running, ResultFolder const* folder);
Written run_timeline(Scenario const& scenario, Running const& running, ResultFolder const* folder);
/// The first line of the rows that pieces of this run bring; empty: they bring none.
std::string piece_rows_header(Scenario const& scenario, Running const& running);

/// Every replication of a timeline is one of a kind, so that power, jobs and events over time are written, too.
bool is_single(Scenario const& scenario, std::optional<std::uint64_t> replication);

/// What the manifest says of any run; outputs and time are still missing.
Manifest manifest_of(std::string const& command, Scenario const& scenario, unsigned threads, std::vector<std::string> const& operands,
                     po::variables_map const& given);
/// Runs, finishes the folder with the manifest, and prints the tables unless quiet. `results_are_there` is called when all files but the manifest are in place.
void run_into(Scenario const& scenario, Running const& running, ResultFolder const& folder, Manifest manifest,
              std::function<void()> const& results_are_there = {});

/// The values of a sweep point.
std::string point_line(Scenario const& scenario, SweepPoint const& point);

/// Only makes this rank's pieces.
void run_rank(Scenario const& scenario, Running const& running);

/// The first signal (SIGINT, SIGTERM, SIGHUP) sets this, a second one ends the process.
std::atomic<bool> const* stop_on_signals();

}  // namespace wattfill::cli
