#include "cli/run_timeline.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "cli/inputs.hpp"
#include "cli/progress.hpp"
#include "cli/running.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/report/settlement_files.hpp"
#include "wattfill/report/timeline_files.hpp"

namespace wattfill::cli {

namespace fs = std::filesystem;

namespace {

/// settlement.csv and settled_events.csv of all replications, and what every replication could give.
class Asides {
 public:
  Asides(fs::path const& folder, Scenario const& scenario) {
    auto const& first = scenario.points.front().timeline;
    std::string head = "policy,replication";
    for (auto const& column : scenario.sweep_columns) head += "," + csv_cell(column);
    if (first.contract && !first.contract->terms.events.empty()) {  // else it is there for its baselines
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

void check_replication(Scenario const& scenario, std::optional<std::uint64_t> replication) {
  for (auto const& point : scenario.points)
    if (auto const there = point.timeline.replications(); replication && *replication >= there)
      throw InputError(
          {{}, "--replication", "there is no replication " + std::to_string(*replication) + "; this study has " + std::to_string(there) + ", counted from 0"});
}

Written run_timeline(Scenario const& scenario, Running const& running, ResultFolder const* folder) {
  std::uint64_t total = 0;
  for (auto const& point : scenario.points) total += running.replication ? 1 : point.timeline.replications();
  auto const executor = make_executor(running.threads);
  bool const folds = running.pieces == nullptr || running.pieces->folds();
  std::optional<OutputFile> rows, summary;
  std::optional<TimelineFiles> files;
  if (running.rows && folds) {
    rows.emplace(folder->path() / "replications.csv").write(timeline_header(scenario.sweep_columns));
    if (is_single(scenario, running.replication)) files.emplace(folder->path(), scenario.sweep_columns);
  }
  if (folds) summary.emplace(folder->path() / "summary.csv").write(timeline_summary_header(scenario.sweep_columns));
  std::optional<Asides> asides;
  if (folds) asides.emplace(folder->path(), scenario);
  Written written;
  try {
    Progress progress(std::max<std::uint64_t>(1, total / running.parts), running.quiet, "runs");
    TimelineOptions options;
    options.stop = running.stop;
    options.pieces = running.pieces;
    options.progress = [&](std::uint64_t done) { progress.add(done); };
    for (auto const& point : scenario.points) {
      auto const& study = point.timeline;
      options.row = [&](std::uint64_t r, std::span<double const> metrics) {
        if (rows) rows->write(timeline_rows(study, r, metrics, point.values));
      };
      if (asides) asides->start(study);
      options.aside = [&](std::uint64_t r, TimelineAside const& aside) { asides->add(study, point, r, aside); };
      std::optional<TimelineStudyResult> result;
      if (files || running.replication) {
        auto const r = running.replication.value_or(0);
        TimelineAside aside;
        auto const look = [&](std::size_t p, Timeline const& timeline) -> TimelineObserver* {
          if (*running.stop) throw Interrupted();
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
        for (auto const& group : pieces_of(study)) options.first_piece += group.count;
      }
      if (!folds) continue;
      summary->write(timeline_summary_rows(study, *result, point.values));
      constexpr std::ptrdiff_t most_tables = 12;
      auto const promised = asides->finish(study, point);
      if (&point - scenario.points.data() < most_tables) written.tables += point_line(scenario, point) + timeline_table(study, *result) + promised;
    }
  } catch (InputError const& error) {
    rethrow_with_file(error, running.scenario_file);
  }

  if (folder != nullptr) {
    if (running.stop != nullptr && *running.stop) throw Interrupted();  // the last moment at which nothing has changed; from here on files go to their places
    std::filesystem::remove(folder->path() / "manifest.json");          // comes last: a folder without one holds a run that did not end
  }
  if (files) {
    auto const made = files->commit();
    written.outputs.insert(written.outputs.end(), made.begin(), made.end());
  }
  if (rows) {
    rows->commit();
    written.outputs.emplace_back("replications.csv");
  }
  if (asides) asides->commit(folder->path(), scenario, written.outputs);
  if (summary) {
    summary->commit();
    written.outputs.emplace_back("summary.csv");
  }
  return written;
}

int validate_timeline(Scenario const& scenario, std::vector<std::string> const& operands, po::variables_map const& given) {
  std::uint64_t runs = 0;
  try {
    for (auto const& point : scenario.points) runs += point.timeline.replications();
    check_policies(scenario.points.front().timeline);
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
