// How many events a second does the timeline engine make, and how does that change with the number of running jobs?
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "wattfill/core/fixed_math.hpp"
#include "wattfill/core/random.hpp"
#include "wattfill/scenario/library_file.hpp"
#include "wattfill/sim/timeline.hpp"

namespace {

using namespace wattfill;

double megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// `running` jobs at the start and about as many at any time after: exponential work, arrivals at the rate at which jobs finish, 25 classes, a limit of 80 % of
/// the full draw that moves 48 times. `more` jobs arrive.
TimelineSpec steady(std::size_t running, std::size_t more) {
  static auto const library = read_library(WATTFILL_SOURCE_DIR "/curves/h200-pfi-2026.yaml").library;
  CounterRandom words({1, "bench", running, Stream::jobs});
  auto const uniform = [&] { return (words() + 0.5) / 4294967296.0; };
  TimelineSpec spec;
  spec.jobs.reserve(running + more);
  constexpr double mean_s = 10'000;
  double full_w = 0, t = 0;
  auto const& curves = library.curves;
  for (std::size_t j = 0; j < running + more; ++j) {
    TimelineJob job;
    job.id = "j" + std::to_string(j);
    job.curve = &curves[static_cast<std::size_t>(uniform() * static_cast<double>(curves.size()))];
    job.gpus = job.curve->gpus;
    job.work_s = -mean_s * fixed_log(uniform());
    if (j >= running) t -= mean_s / static_cast<double>(running) * fixed_log(uniform());
    job.submit_s = t;
    if (j < running) full_w += job.gpus * job.curve->curve.max_draw();
    spec.jobs.push_back(std::move(job));
  }
  constexpr std::size_t changes = 48;
  for (std::size_t k = 0; k < changes; ++k)
    spec.limit.push_back({t * static_cast<double>(k) / static_cast<double>(changes), full_w * (0.75 + 0.1 * uniform())});
  spec.duration_s = t;
  spec.queue.order = QueueSpec::Order::fcfs;
  return spec;
}

void events(benchmark::State& state, char const* rule) {
  auto const running = static_cast<std::size_t>(state.range(0));
  auto const more = std::max<std::size_t>(500'000, running);
  auto const before = megabytes();
  Timeline const timeline(steady(running, more));
  auto const loaded = megabytes();
  TimelinePolicySpec policy;
  policy.rule.name = rule;
  double instants = 0;
  for (auto _ : state) {
    auto const metrics = timeline.run(policy);
    // Submissions come with a start each; an instant is an arrival or a finish. The jobs that are there at 0 arrive in one instant and are not counted.
    instants += static_cast<double>(more) + metrics[metric::finished];
    benchmark::DoNotOptimize(metrics);
  }
  state.counters["instants/s"] = benchmark::Counter(instants, benchmark::Counter::kIsRate);
  state.counters["bytes/job"] = (megabytes() - before) * 1048576 / static_cast<double>(running + more);
  state.counters["of_input"] = (loaded - before) * 1048576 / static_cast<double>(running + more);
}

}  // namespace

BENCHMARK_CAPTURE(events, oracle, "oracle")->RangeMultiplier(10)->Range(1'000, 1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(events, proportional, "proportional")->RangeMultiplier(10)->Range(1'000, 1'000'000)->Unit(benchmark::kMillisecond);
