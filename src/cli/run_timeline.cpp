#include "cli/run_timeline.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "cli/inputs.hpp"
#include "cli/progress.hpp"
#include "cli/result_folder.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/report/settlement_files.hpp"
#include "wattfill/report/timeline_files.hpp"

namespace wattfill::cli {

namespace fs = std::filesystem;

std::string provenance_line(Scenario const& scenario) {
  std::string line = "curves:";
  for (auto const& library : scenario.libraries)
    line += (line.back() == ':' ? " " : ", ") + library->name + " (" + std::string(to_string(library->provenance)) + ")";
  return line + "\n";
}

std::string point_line(Scenario const& scenario, SweepPoint const& point) {
  std::string line;
  for (std::size_t i = 0; i < point.values.size(); ++i) line += (i == 0 ? "" : ", ") + scenario.sweep_columns[i] + " = " + point.values[i];
  return line.empty() ? line : line + "\n";
}

Manifest manifest_of(std::string const& command, Scenario const& scenario, std::uint64_t seed, unsigned threads, std::vector<std::string> const& operands,
                     po::variables_map const& given) {
  Manifest manifest;
  manifest.scenario_name = scenario.name;
  manifest.kind = scenario.kind;
  manifest.resolved = scenario.resolved;
  manifest.seed = seed;
  manifest.inputs = scenario.files;
  for (auto const& library : scenario.libraries) manifest.libraries.push_back(library.get());
  manifest.notes = scenario.notes;
  manifest.command = command_line(command, operands, given);
  manifest.threads = threads;
  return manifest;
}

namespace {

/// settlement.csv and settled_events.csv of all replications, and what every replication could give.
class Asides {
 public:
  Asides(fs::path const& folder, Scenario const& scenario) {
    auto const& first = scenario.points.front().timeline;
    std::string head = "policy,replication";
    for (auto const& column : scenario.sweep_columns) head += "," + csv_cell(column);
    if (first.contract) {
      settlements_.emplace(folder / "settlement.csv").write(settlement_header(head + ","));
      events_.emplace(folder / "settled_events.csv").write(settled_events_header(head + ","));
    }
  }
  void start(TimelineStudySpec const& study) { given_.assign(study.policies.size(), {}); }
  void add(TimelineStudySpec const& study, SweepPoint const& point, std::uint64_t replication, TimelineAside const& aside) {
    for (std::size_t p = 0; p < aside.settlements.size() && settlements_; ++p) {
      auto head = csv_cell(study.policies[p].shown()) + "," + std::to_string(replication);
      for (auto const& value : point.values) head += "," + csv_cell(value);
      settlements_->write(settlement_rows(study.contract->terms, aside.settlements[p], head + ","));
      events_->write(settled_events_rows(study.contract->terms, aside.settlements[p], head + ","));
    }
    for (std::size_t p = 0; p < aside.given.size(); ++p) given_[p].push_back(aside.given[p]);
  }
  /// Gives the table to be printed.
  std::string finish(TimelineStudySpec const& study, SweepPoint const& point) {
    if (!study.firm) return {};
    auto const promises = firm_promises(*study.firm, given_);
    promises_ += firm_rows(study, promises, point.values);
    return firm_table(study, promises);
  }
  void commit(fs::path const& folder, Scenario const& scenario, std::vector<std::string>& outputs) {
    if (settlements_) {
      settlements_->commit();
      events_->commit();
      outputs.insert(outputs.end(), {"settlement.csv", "settled_events.csv"});
    }
    if (promises_.empty()) return;
    write_file(folder / "capacity.csv", firm_header(scenario.sweep_columns) + promises_);
    outputs.emplace_back("capacity.csv");
  }

 private:
  std::optional<OutputFile> settlements_, events_;
  std::vector<std::vector<std::vector<double>>> given_;
  std::string promises_;
};

}  // namespace

int run_timeline(Scenario const& scenario, std::vector<std::string> const& operands, po::variables_map const& given, bool rows_wanted,
                 std::atomic<bool> const* (*stop_on_signals)()) {
  auto const start = std::chrono::steady_clock::now();
  bool const quiet = given.count("quiet") > 0;
  auto const threads = static_cast<unsigned>(whole_number(given, "threads", 1, 4096).value_or(available_threads()));
  auto const replication = whole_number(given, "replication", 0, UINT64_MAX);
  if (given.count("verbose") > 0)
    for (auto const& note : scenario.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  std::uint64_t total = 0;
  for (auto const& point : scenario.points) {
    auto const there = point.timeline.replications();
    if (replication && *replication >= there)
      throw InputError(
          {{}, "--replication", "there is no replication " + std::to_string(*replication) + "; this study has " + std::to_string(there) + ", counted from 0"});
    total += replication ? 1 : there;
  }
  auto const usual = scenario.name + (replication ? "-replication-" + std::to_string(*replication) : "");
  ResultFolder const made(given.count("out") > 0 ? given["out"].as<std::string>() : (fs::path("out") / usual).string(), scenario.name, scenario.files);
  auto const& folder = made.path();
  auto const* const stop = stop_on_signals();
  auto const executor = make_executor(threads);
  bool const single = replication || std::ranges::all_of(scenario.points, [](auto const& point) { return point.timeline.replications() == 1; });
  std::optional<OutputFile> rows;
  std::optional<TimelineFiles> files;
  if (rows_wanted) {
    rows.emplace(folder / "replications.csv");
    rows->write(timeline_header(scenario.sweep_columns));
    if (single) files.emplace(folder, scenario.sweep_columns);
  }
  OutputFile summary(folder / "summary.csv");
  summary.write(timeline_summary_header(scenario.sweep_columns));
  Asides asides(folder, scenario);
  std::string tables;
  try {
    Progress progress(total, quiet, "runs");
    for (auto const& point : scenario.points) {
      auto const& study = point.timeline;
      TimelineOptions options;
      options.stop = stop;
      options.progress = [&](std::uint64_t done) { progress.add(done); };
      options.row = [&](std::uint64_t r, std::span<double const> metrics) {
        if (rows) rows->write(timeline_rows(study, r, metrics, point.values));
      };
      asides.start(study);
      options.aside = [&](std::uint64_t r, TimelineAside const& aside) { asides.add(study, point, r, aside); };
      std::optional<TimelineStudyResult> result;
      if (single) {
        auto const r = replication.value_or(0);
        TimelineAside aside;
        auto const look = [&](std::size_t p, Timeline const& timeline) -> TimelineObserver* {
          if (*stop) throw Interrupted();
          if (!files) return nullptr;
          files->start(study.policies[p].shown(), r, point.values, timeline);
          return &*files;
        };
        auto const metrics = run_replication(study, r, look, &aside);
        options.aside(r, aside);
        options.row(r, metrics);
        options.progress(1);
        result = result_of(study, metrics);
      } else {
        result = run_timelines(study, *executor, options);
      }
      summary.write(timeline_summary_rows(study, *result, point.values));
      constexpr std::ptrdiff_t most_tables = 12;
      auto const promised = asides.finish(study, point);
      if (&point - scenario.points.data() < most_tables) tables += point_line(scenario, point) + timeline_table(study, *result) + promised;
    }
  } catch (InputError const& error) {
    rethrow_with_file(error, operands.front());
  }

  auto manifest = manifest_of("run", scenario, scenario.points.front().timeline.seed, threads, operands, given);
  fs::remove(folder / "manifest.json");  // comes last: a folder without one holds a run that did not end
  if (files) {
    auto const written = files->commit();
    manifest.outputs.insert(manifest.outputs.end(), written.begin(), written.end());
  }
  if (rows) {
    rows->commit();
    manifest.outputs.emplace_back("replications.csv");
  }
  asides.commit(folder, scenario, manifest.outputs);
  summary.commit();
  manifest.outputs.emplace_back("summary.csv");
  made.remove_others(manifest.outputs);
  manifest.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_file(folder / "manifest.json", manifest_json(manifest, folder));
  if (!quiet) std::fputs((provenance_line(scenario) + tables + "results in " + folder.string() + "\n").c_str(), stdout);
  return 0;
}

int validate_timeline(Scenario const& scenario, std::vector<std::string> const& operands, po::variables_map const& given) {
  std::uint64_t runs = 0;
  try {
    for (auto const& point : scenario.points) runs += point.timeline.replications();
    timeline_of(scenario.points.front().timeline, 0);
  } catch (InputError const& error) {
    rethrow_with_file(error, operands.front());
  }
  auto const& first = scenario.points.front().timeline;
  std::fprintf(stdout, "%s: valid: %zu sweep points, %zu listed jobs%s, %zu policies, %llu runs of each\n", operands.front().c_str(), scenario.points.size(),
               first.run.jobs.size(), first.arrivals ? " and random arrivals" : "", first.policies.size(), static_cast<unsigned long long>(runs));
  for (auto const& note : scenario.notes) std::fprintf(stdout, "note: %s\n", note.c_str());
  return given.count("strict") > 0 && !scenario.notes.empty() ? 1 : 0;
}

}  // namespace wattfill::cli
