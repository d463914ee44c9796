// Does the ledger of a long run stay exact, and does memory stay where it is? 100 jobs of 25 classes go through phases of random length under a limit that
// moves, so that jobs enter and leave clocks as often as one likes while their number does not change. Prints, at tenths of the run, events, CPU time and
// resident memory, and at the end how far three ways to the same energy are apart: the ledger of the clocks, the sum over jobs and the integral of the power
// rows.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "wattfill/core/random.hpp"
#include "wattfill/scenario/library_file.hpp"
#include "wattfill/sim/timeline.hpp"

namespace {

using namespace wattfill;

double resident_mb() {
  double pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * 4096 / 1048576;
}

struct Sums final : TimelineObserver {
  std::uint64_t events = 0, every = 1;
  long double row_j = 0, job_j = 0;
  PowerRow last{};
  void power(PowerRow const& row) override {
    row_j += static_cast<long double>(last.gpu_w) * (row.time_s - last.time_s);
    last = row;
  }
  void event(double t, EventKind, std::uint32_t, double) override {
    if (++events % every == 0)
      std::printf("%12llu events %8.1f s %8.1f MB, day %.1f\n", static_cast<unsigned long long>(events), static_cast<double>(std::clock()) / CLOCKS_PER_SEC,
                  resident_mb(), t / 86400);
  }
  void job(std::uint32_t, JobRow const& row) override { job_j += row.energy_j; }
};

}  // namespace

int main(int argc, char** argv) {
  auto const wanted = argc > 1 ? std::strtod(argv[1], nullptr) : 1e6;
  auto const* const rule = argc > 2 ? argv[2] : "proportional";
  constexpr std::size_t jobs = 100;
  auto const library = read_library(WATTFILL_SOURCE_DIR "/curves/h200-pfi-2026.yaml").library;
  CounterRandom words({1, "drift", 0, Stream::jobs});
  auto const uniform = [&] { return (words() + 0.5) / 4294967296.0; };
  TimelineSpec spec;
  double full_w = 0;
  for (std::size_t j = 0; j < jobs; ++j) {
    TimelineJob job;
    job.id = "j" + std::to_string(j);
    job.curve = &library.curves[j % library.curves.size()];
    job.gpus = job.curve->gpus;
    std::vector<JobPhase> cycle;  // of the job's own curve: phases end and begin, the class stays
    double round_s = 0;
    for (int p = 0; p < 7; ++p) {
      cycle.push_back({job.curve, 50 + 500 * uniform()});
      round_s += cycle.back().work_s;
    }
    job.work_s = round_s * std::min(wanted / (jobs * 7.0), 1e6 / 7 - 1);
    spec.cycles.push_back(std::move(cycle));
    job.cycle = static_cast<std::uint32_t>(spec.cycles.size());
    full_w += job.gpus * job.curve->curve.max_draw();
    spec.jobs.push_back(std::move(job));
  }
  for (std::size_t k = 0; k < 4800; ++k) spec.limit.push_back({static_cast<double>(k) * wanted * 300 / jobs / 4800, full_w * (0.6 + 0.3 * uniform())});
  TimelinePolicySpec policy;
  policy.rule.name = rule;
  Sums seen;
  seen.every = static_cast<std::uint64_t>(wanted / 10);
  Timeline const timeline(std::move(spec));
  auto const metrics = timeline.run(policy, &seen);
  seen.row_j += static_cast<long double>(seen.last.gpu_w) * (metrics[metric::end_s] - seen.last.time_s);
  auto const ledger = metrics[metric::energy_j];
  std::printf("%s: %llu events, ledger %.17g J; jobs differ by %.2Lg, power rows by %.2Lg of it\n", rule, static_cast<unsigned long long>(seen.events), ledger,
              std::fabs(seen.job_j / ledger - 1), std::fabs(seen.row_j / ledger - 1));
}
