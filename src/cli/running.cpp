#include "cli/running.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "cli/inputs.hpp"
#include "cli/keeping.hpp"
#include "wattfill/core/output_file.hpp"

namespace wattfill::cli {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

void on_signal(int number) {
  stop = true;
  std::signal(number, SIG_DFL);
}

/// "curves: a (measured), b (reconstructed)".
std::string provenance_line(Scenario const& scenario) {
  std::string line = "curves:";
  for (auto const& library : scenario.libraries)
    line += (line.back() == ':' ? " " : ", ") + library->name + " (" + std::string(to_string(library->provenance)) + ")";
  return line + "\n";
}

}  // namespace

std::string point_line(Scenario const& scenario, SweepPoint const& point) {
  std::string line;
  for (std::size_t i = 0; i < point.values.size(); ++i) line += (i == 0 ? "" : ", ") + scenario.sweep_columns[i] + " = " + point.values[i];
  return line.empty() ? line : line + "\n";
}

std::atomic<bool> const* stop_on_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGHUP, on_signal);
  return &stop;
}

bool is_single(Scenario const& scenario, std::optional<std::uint64_t> replication) {
  return replication || std::ranges::all_of(scenario.points, [](auto const& point) { return point.timeline.replications() == 1; });
}

Manifest manifest_of(std::string const& command, Scenario const& scenario, unsigned threads, std::vector<std::string> const& operands,
                     po::variables_map const& given) {
  Manifest manifest;
  manifest.scenario_name = scenario.name;
  manifest.kind = scenario.kind;
  manifest.resolved = scenario.resolved;
  auto const& first = scenario.points.front();
  manifest.seed = scenario.kind == "timeline" ? first.timeline.seed : first.study.seed;
  manifest.inputs = scenario.files;
  for (auto const& library : scenario.libraries) manifest.libraries.push_back(library.get());
  manifest.notes = scenario.notes;
  manifest.command = command_line(command, operands, given);
  manifest.threads = threads;
  return manifest;
}

void run_into(Scenario const& scenario, Running const& running, ResultFolder const& folder, Manifest manifest, std::function<void()> const& results_are_there) {
  auto const start = std::chrono::steady_clock::now();
  auto written = scenario.kind == "timeline" ? run_timeline(scenario, running, &folder) : run_snapshot(scenario, running, &folder);
  if (running.pieces != nullptr && !running.pieces->folds()) {
    written = {{pieces_name}, {}, "pieces of shard " + manifest.shard + "\n"};
    if (running.pieces->keeps_rows()) written.outputs.emplace_back(piece_rows_name);
  }
  manifest.outputs = written.outputs;
  manifest.digests = written.digests;
  if (results_are_there) results_are_there();
  folder.remove_others(manifest.outputs);
  manifest.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_file(folder.path() / "manifest.json", manifest_json(manifest, folder.path()));
  if (!running.quiet) std::fputs((provenance_line(scenario) + written.tables + "results in " + folder.path().string() + "\n").c_str(), stdout);
}

void run_rank(Scenario const& scenario, Running const& running) {
  scenario.kind == "timeline" ? run_timeline(scenario, running, nullptr) : run_snapshot(scenario, running, nullptr);
}

}  // namespace wattfill::cli
