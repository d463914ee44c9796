#include <algorithm>
#include <utility>

#include "cli/inputs.hpp"
#include "cli/progress.hpp"
#include "cli/running.hpp"
#include "cli/stage_draws.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/version.hpp"
#include "wattfill/report/netcdf.hpp"
#include "wattfill/report/quantiles_csv.hpp"
#include "wattfill/report/study_files.hpp"

namespace wattfill::cli {
namespace {

namespace fs = std::filesystem;

/// A table that has rows goes into the folder.
void put(ResultFolder const& folder, char const* name, std::string const& header, std::string const& rows, std::vector<std::string>& outputs) {
  if (rows.empty()) return;
  write_file(folder.path() / name, header + rows);
  outputs.emplace_back(name);
}

std::vector<StudySpec const*> studies_of(Scenario const& scenario) {
  std::vector<StudySpec const*> studies;
  for (auto const& point : scenario.points) studies.push_back(&point.study);
  return studies;
}

std::vector<std::vector<std::string>> values_of(Scenario const& scenario) {
  std::vector<std::vector<std::string>> values;
  for (auto const& point : scenario.points) values.push_back(point.values);
  return values;
}

/// What a NetCDF file says of itself; the same for the same results.
NetcdfFile::Attributes provenance(Scenario const& scenario) {
  NetcdfFile::Attributes all{{"title", scenario.name},
                             {"source", "wattfill " + std::string(version) + " (" + std::string(revision) + ")"},
                             {"seed", std::to_string(scenario.points.front().study.seed)},
                             {"scenario", scenario.resolved}};
  std::string libraries, references;
  for (auto const& library : scenario.libraries) {
    libraries += (libraries.empty() ? "" : "; ") + library->name + " (" + std::string(to_string(library->provenance)) + ")";
    references += (references.empty() ? "" : "; ") + library->source.citation + " [" + library->source.licence + "]";
  }
  all.emplace_back("curve_libraries", libraries);
  all.emplace_back("references", references);
  return all;
}

bool is_metered(Scenario const& scenario) {
  return std::ranges::any_of(scenario.points, [](SweepPoint const& point) { return point.study.metering.has_value(); });
}

/// Nothing of these pieces is this process's.
bool is_elsewhere(Pieces* pieces, std::uint64_t first, std::uint64_t end) {
  if (pieces == nullptr || pieces->folds()) return false;
  for (auto piece = first; piece < end; ++piece)
    if (pieces->task(piece) != Pieces::Task::leave) return false;
  return true;
}

}  // namespace

std::string piece_rows_header(Scenario const& scenario, Running const& running) {
  if (scenario.kind == "timeline" || !running.rows || running.netcdf) return {};
  return ReplicationsCsv(std::nullopt, scenario.sweep_columns, is_metered(scenario)).header();
}

Written run_snapshot(Scenario const& scenario, Running const& running, ResultFolder const* folder) {
  RunOptions options;
  options.replication = running.replication;
  options.stop = running.stop;
  options.pieces = running.pieces;
  options.device = running.device;
  options.device_note = running.device_note;
  bool const folds = running.pieces == nullptr || running.pieces->folds();
  std::uint64_t total = 0;
  for (auto const& point : scenario.points) total += replications_of(point.study, options);
  auto const executor = make_executor(running.threads);
  bool const metered = is_metered(scenario);
  std::optional<ReplicationsCsv> rows;
  std::optional<OutputFile> summary;
  std::optional<NetcdfFile> netcdf;
  if (running.netcdf) {
    netcdf.emplace(folds ? std::optional(folder->path() / "results.nc") : std::nullopt, studies_of(scenario), scenario.sweep_columns, values_of(scenario),
                   running.rows, provenance(scenario));
  } else if (running.rows)
    rows.emplace(folds && !running.commit_rows ? std::optional(folder->path() / "replications.csv") : std::nullopt, scenario.sweep_columns, metered);
  if (folds) summary.emplace(folder->path() / "summary.csv").write(summary_header(scenario.sweep_columns, metered));
  std::optional<OutputFile> quantile_rows;
  if (folds && !running.quantiles.empty()) quantile_rows.emplace(folder->path() / "quantiles.csv").write(quantiles_header(scenario.sweep_columns, metered));
  std::string allocation, components, promises, stages;
  Written written;
  try {
    Progress progress(std::max<std::uint64_t>(1, total / running.parts), running.quiet);
    options.progress = [&](std::uint64_t done) { progress.add(done); };
    for (auto const& point : scenario.points) {
      std::uint64_t pieces = 0;
      for (auto const& group : pieces_of(point.study)) pieces += group.count;
      auto const first = std::exchange(options.first_piece, options.first_piece + pieces);
      if (is_elsewhere(running.pieces, first, first + pieces)) continue;
      if (rows) rows->start(point.study, point.values);
      auto here = options;
      here.first_piece = first;
      here.rows = rows ? &*rows : nullptr;
      if (netcdf) netcdf->start(static_cast<std::size_t>(&point - scenario.points.data()));
      if (netcdf && running.rows) here.rows = &*netcdf;
      std::optional<Quantiles> quantiles;
      if (!running.quantiles.empty()) here.rows = &quantiles.emplace(point.study, here.rows);
      std::optional<Capacity> capacity;
      if (point.study.capacity && !running.replication) here.rows = &capacity.emplace(point.study, *point.study.capacity, here.rows);
      auto const result = run_study(point.study, *executor, here);
      if (!folds) continue;
      if (netcdf) netcdf->summary(result);
      summary->write(summary_rows(point.study, result, point.values, metered));
      if (quantile_rows) quantile_rows->write(quantiles_rows(point.study, *quantiles, running.quantiles, point.values, metered));
      if (capacity) promises += capacity_rows(point.study, capacity->promises(), point.values);
      auto single = point.study;
      if (!running.replication) std::erase_if(single.mixes, [](MixSpec const& mix) { return mix.listed.empty(); });
      auto const given_out = allocations(single, running.replication.value_or(0));
      allocation += allocation_rows(given_out, point.values);
      StageDraws const shared(scenario, given_out);
      stages += stages_rows(given_out, point.values, [&](Allocation const& given) { return shared.of(given); });
      if (single.metering) components += facility_rows(single, given_out, point.values);
      constexpr std::size_t most_tables = 12;
      if (&point - scenario.points.data() < static_cast<std::ptrdiff_t>(most_tables))
        written.tables += point_line(scenario, point) + summary_table(point.study, result);
    }
  } catch (InputError const& error) {
    rethrow_with_file(error, running.scenario_file);
  }
  if (folder != nullptr) {
    if (running.stop != nullptr && *running.stop) throw Interrupted();  // the last moment at which nothing has changed; from here on files go to their places
    fs::remove(folder->path() / "manifest.json");                       // comes last: a folder without one holds a run that did not end
  }
  if (!folds) return written;
  if (rows) {
    auto const* const name = "replications.csv";
    written.outputs.emplace_back(name);
    written.digests[name] = running.commit_rows ? running.commit_rows(folder->path() / name) : rows->commit();
  }
  if (netcdf) {
    netcdf->commit();
    written.outputs.emplace_back("results.nc");
  }
  summary->commit();
  written.outputs.emplace_back("summary.csv");
  if (quantile_rows) {
    quantile_rows->commit();
    written.outputs.emplace_back("quantiles.csv");
  }
  put(*folder, "allocation.csv", allocation_header(scenario.sweep_columns), allocation, written.outputs);
  put(*folder, "stages.csv", stages_header(scenario.sweep_columns), stages, written.outputs);
  put(*folder, "facility.csv", facility_header(scenario.sweep_columns), components, written.outputs);
  put(*folder, "capacity.csv", capacity_header(scenario.sweep_columns), promises, written.outputs);
  return written;
}

}  // namespace wattfill::cli
