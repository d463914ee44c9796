// How many mix x policy x budget evaluations a second does one thread make, and what of it is drawing the jobs?
#include <benchmark/benchmark.h>

#include "wattfill/core/random.hpp"
#include "wattfill/scenario/library_file.hpp"
#include "wattfill/sim/snapshot.hpp"

namespace {

using namespace wattfill;

struct Setting {
  CurveLibrary library = read_library(WATTFILL_SOURCE_DIR "/curves/h200-pfi-2026.yaml").library;
  MixSpec mix;
  std::vector<PolicySpec> policies;
  std::vector<Target> targets;

  Setting() {
    mix.name = "random";
    mix.draw.emplace_back();
    for (auto const& curve : library.curves) mix.draw.front().curves.push_back(&curve);
    for (auto name : {"equal-split", "proportional", "pfi-ranked", "oracle"}) policies.emplace_back().name = name;
    for (double cut : {0.1, 0.2, 0.3, 0.4, 0.5}) targets.push_back({Target::Kind::cut, cut});
  }
};

void evaluate(benchmark::State& state) {
  Setting const s;
  Snapshot const snapshot(s.mix, s.policies, s.targets, {}, Objective::gpu_speed, 0);
  Snapshot::Worker worker(snapshot);
  std::vector<double> scores(Snapshot::batch * snapshot.scores_per_replication());
  std::uint64_t replication = 0;
  for (auto _ : state) {
    snapshot.replicate(replication, Snapshot::batch, worker, scores);
    replication += Snapshot::batch;
    benchmark::DoNotOptimize(scores.data());
  }
  state.SetItemsProcessed(state.iterations() * 20 * static_cast<std::int64_t>(Snapshot::batch));
}
BENCHMARK(evaluate);

void draw_only(benchmark::State& state) {
  Setting const s;
  Mix const mix(s.mix);
  std::vector<double> counts(mix.classes().size());
  std::vector<std::uint32_t> scratch;
  auto const key = random_key(0, "random");
  std::uint64_t replication = 0;
  for (auto _ : state) {
    mix.count(key, replication++, counts, scratch);
    benchmark::DoNotOptimize(counts.data());
  }
  state.SetItemsProcessed(state.iterations() * 20);  // per evaluation, to compare with the above
}
BENCHMARK(draw_only);

}  // namespace
