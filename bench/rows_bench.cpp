// How fast are rows of replications.csv formatted and written when nothing is computed? The bound that `wattfill run --rows all` is measured against.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>

#include "wattfill/report/study_files.hpp"
#include "wattfill/scenario/scenario.hpp"

namespace {

using namespace wattfill;

void format_and_write(benchmark::State& state) {
  auto const scenario = load_scenario(WATTFILL_SOURCE_DIR "/bench/snapshot.yaml");
  auto const& study = scenario.points.front().study;
  Snapshot const snapshot(study.mixes.front(), study.policies, targets_of(study), study.belief, study.objective, study.seed);
  Snapshot::Worker worker(snapshot);
  constexpr std::uint64_t rows_of = 1024;  // as many replications as a chunk of a long run has
  std::vector<double> scores(rows_of * snapshot.scores_per_replication());
  for (std::uint64_t r = 0; r < rows_of; r += Snapshot::batch)
    snapshot.replicate(r, Snapshot::batch, worker,
                       std::span(scores).subspan(r * snapshot.scores_per_replication(), Snapshot::batch * snapshot.scores_per_replication()));
  auto const file = std::filesystem::temp_directory_path() / ("wattfill-rows-bench-" + std::to_string(std::hash<std::string>{}(scenario.resolved)) + ".csv");
  for (auto _ : state) {
    state.PauseTiming();
    ReplicationsCsv rows(file, {});
    rows.start(study, {});
    state.ResumeTiming();
    RowText text;
    for (int chunk = 0; chunk < 16; ++chunk) {
      rows.format(0, 0, rows_of, scores, text);
      rows.write({}, text.rows);
    }
    state.PauseTiming();  // without commit() the file goes away
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * 16 * static_cast<std::int64_t>(rows_of) * 20);
}
BENCHMARK(format_and_write)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
