// Prepares the mixes of a scenario for a machine with a CUDA device and nothing else, and measures this program's own kernel there:
//   device_tables SCENARIO.yaml FOLDER   writes FOLDER/<scenario>-<mix>.tables, a file for each mix that a device can make
//   device_tables --measure SCENARIO.yaml   evaluations/s of all threads of this machine on the scenario's first mix
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "device_file.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/scenario/scenario.hpp"
#include "wattfill/study/study.hpp"

namespace {

using namespace wattfill;

Snapshot snapshot_of(StudySpec const& study, MixSpec const& mix) {
  return {mix, study.policies, targets_of(study), study.belief, study.objective, study.seed, study.metering, study.racks};
}

std::vector<double> scores_of(Snapshot const& snapshot, std::uint64_t first, std::uint64_t count, Snapshot::Worker& worker) {
  auto const columns = snapshot.scores_per_replication();
  std::vector<double> scores(count * columns);
  for (std::uint64_t r = 0; r < count; r += Snapshot::batch) {
    auto const some = std::min<std::uint64_t>(Snapshot::batch, count - r);
    snapshot.replicate(first + r, some, worker, std::span(scores).subspan(r * columns, some * columns));
  }
  return scores;
}

void write_tables(std::string const& scenario_file, std::string const& folder) {
  auto const scenario = load_scenario(scenario_file, {});
  auto const& study = scenario.points.front().study;
  for (auto const& mix : study.mixes) {
    auto const snapshot = snapshot_of(study, mix);
    if (auto const reason = snapshot.why_not_on_device(); !reason.empty()) {
      std::printf("%s: %s: left out: %s\n", scenario.name.c_str(), mix.name.c_str(), reason.c_str());
      continue;
    }
    DeviceFile file{snapshot.device_tables(), std::min<std::uint64_t>(snapshot.replications(), 10000), 0};
    Snapshot::Worker worker(snapshot);
    file.digest = digest_of(scores_of(snapshot, 0, file.replications, worker));
    auto const name = folder + "/" + scenario.name + "-" + mix.name + ".tables";
    write_device_file(file, name);
    std::printf("%s: %zu classes, %zu paths, %zu bytes, %llu replications proven\n", name.c_str(), static_cast<std::size_t>(file.tables.header.classes),
                static_cast<std::size_t>(file.tables.header.paths), file.tables.image.size(), static_cast<unsigned long long>(file.replications));
  }
}

/// Scores alone, as the device is measured: nothing is folded or written.
void measure(std::string const& scenario_file) {
  auto const scenario = load_scenario(scenario_file, {});
  auto const& study = scenario.points.front().study;
  auto const snapshot = snapshot_of(study, study.mixes.front());
  auto const executor = make_executor(available_threads());
  std::vector<Snapshot::Worker> workers;
  for (unsigned w = 0; w < executor->threads(); ++w) workers.emplace_back(snapshot);
  std::vector<double> rates;
  for (int round = 0; round < 5; ++round) {
    std::uint64_t const pieces = 64 * executor->threads(), each = 2048;
    auto const start = std::chrono::steady_clock::now();
    executor->for_each(pieces, [&](std::size_t i, unsigned worker) { scores_of(snapshot, i * each, each, workers[worker]); });
    auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rates.push_back(static_cast<double>(pieces * each * snapshot.policies() * snapshot.targets()) / seconds);
  }
  std::ranges::sort(rates);
  std::printf("host's own kernel, %u threads: %.4g million evaluations/s\n", executor->threads(), rates[2] / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  bool const help = argc == 2 && std::strcmp(argv[1], "--help") == 0;
  if (argc != 3) {
    std::fputs("usage: device_tables SCENARIO.yaml FOLDER | device_tables --measure SCENARIO.yaml\n", help ? stdout : stderr);
    return help ? 0 : 2;
  }
  try {
    if (std::strcmp(argv[1], "--measure") == 0)
      measure(argv[2]);
    else
      write_tables(argv[1], argv[2]);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
