// wattfill's side of bench/compare_simgrid.py: jobs that share a limit equally, speed in proportion to draw. Reads watts,joules of the jobs and time_s,watts of
// the limits, prints the CPU time of the whole simulation (jobs in memory to finish times in memory) in every round and writes the finish times.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <fstream>
#include <map>

#include "wattfill/sim/timeline.hpp"

namespace {

using namespace wattfill;

struct Finishes final : TimelineObserver {
  std::vector<std::pair<std::uint32_t, double>> rows;
  std::vector<std::string> ids;  // [job], in the order in which they are numbered
  void power(PowerRow const&) override {}
  void event(double, EventKind, std::uint32_t, double) override {}
  void job(std::uint32_t j, JobRow const& row) override { rows.emplace_back(j, row.finish_s); }
};

double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: timeline_fluid JOBS LIMITS FINISHES ROUNDS\n", stderr);
    return 2;
  }
  std::ifstream jobs(argv[1]), limits(argv[2]);
  TimelineSpec spec;
  std::map<double, Curve const*> curve_of;
  std::deque<Curve> curves;
  double watts = 0, value = 0;
  for (std::size_t j = 0; jobs >> watts >> value; ++j) {
    auto& curve = curve_of[watts];
    if (curve == nullptr) {
      Curve one{.library = "fluid",
                .name = std::to_string(watts),
                .architecture = {},
                .task = {},
                .model = {},
                .gpus = 1,
                .speed_unit = "J/s",
                .provenance = Provenance::derived,
                .flop_per_unit = {},
                .telemetry = {},
                .curve = PowerSpeedCurve({{1, 1, 1}, {watts, watts, watts}})};  // T/T_max = draw / uncapped draw
      curves.push_back(std::move(one));
      curve = &curves.back();
    }
    TimelineJob job;
    job.id = std::to_string(j);
    job.curve = curve;
    job.work_s = value / watts;
    spec.jobs.push_back(std::move(job));
  }
  for (double t = 0; limits >> t >> watts;) spec.limit.push_back({t, watts});
  TimelinePolicySpec policy;
  policy.rule.name = "equal-split";
  Finishes finishes;
  Timeline const numbered(spec);
  for (auto const& job : numbered.jobs()) finishes.ids.push_back(job.id);
  for (int round = 0; round < std::atoi(argv[4]); ++round) {
    auto copy = spec;
    finishes.rows.clear();
    finishes.rows.reserve(spec.jobs.size());
    auto const begin = cpu_s();
    Timeline const timeline(std::move(copy));
    timeline.run(policy, &finishes);
    std::printf("cpu_s %.9g\n", cpu_s() - begin);
  }
  std::FILE* const out = std::fopen(argv[3], "w");
  if (out == nullptr) return 3;
  for (auto const& [j, t] : finishes.rows) std::fprintf(out, "%s %.17g\n", finishes.ids[j].c_str(), t);
  return std::fclose(out) == 0 ? 0 : 3;
}
