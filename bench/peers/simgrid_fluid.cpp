// SimGrid's side of bench/compare_simgrid.py: one host whose speed is the limit [W = flop/s], shared by one execution a job, each bounded by the job's uncapped
// draw and as long as the job's energy. That is SimGrid's own fluid model (max-min fair sharing under a moving capacity): no actor wakes but the one that waits
// at last.
#include <simgrid/kernel/ProfileBuilder.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

static double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  if (argc != 5) {
    std::fputs("usage: simgrid_fluid JOBS LIMITS FINISHES ROUNDS\n", stderr);
    return 2;
  }
  std::ifstream jobs(argv[1]), limits(argv[2]);
  std::vector<std::pair<double, double>> work;  // watts, joules
  for (double watts = 0, joules = 0; jobs >> watts >> joules;) work.emplace_back(watts, joules);
  double most = 0;
  std::vector<std::pair<double, double>> steps;
  for (double t = 0, watts = 0; limits >> t >> watts; most = std::max(most, watts)) steps.emplace_back(t, watts);
  auto const rounds = std::stoi(argv[4]);
  constexpr double apart_s = 1e5;  // a round begins so long after the one before, and ends before the next
  std::string profile;             // shares of the host's peak speed
  char line[80];
  for (int round = 0; round < rounds; ++round)
    for (auto const& [t, watts] : steps) {
      std::snprintf(line, sizeof line, "%.17g %.17g\n", round * apart_s + t, watts / most);
      profile += line;
    }
  auto* const zone = sg4::create_full_zone("zone");
  auto* const host = zone->create_host("limit", most)->set_core_count(1)->set_speed_profile(simgrid::kernel::profile::ProfileBuilder::from_string("limit", profile, -1));
  host->seal();
  zone->seal();
  std::vector<double> finishes(work.size());
  sg4::Actor::create("jobs", host, [&] {
    for (int round = 0; round < rounds; ++round) {
      sg4::this_actor::sleep_until(round * apart_s);
      auto const begin = cpu_s();
      std::vector<sg4::ExecPtr> runs;
      runs.reserve(work.size());
      for (auto const& [watts, joules] : work) runs.push_back(sg4::this_actor::exec_init(joules)->set_bound(watts)->start());
      for (std::size_t j = 0; j < runs.size(); ++j) {
        runs[j]->wait();
        finishes[j] = runs[j]->get_finish_time() - round * apart_s;
      }
      std::printf("cpu_s %.9g\n", cpu_s() - begin);
    }
  });
  engine.run();
  std::FILE* const out = std::fopen(argv[3], "w");
  if (out == nullptr) return 3;
  for (std::size_t j = 0; j < finishes.size(); ++j) std::fprintf(out, "%zu %.17g\n", j, finishes[j]);
  return std::fclose(out) == 0 ? 0 : 3;
}
