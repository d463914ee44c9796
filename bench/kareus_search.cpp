// Question: how much of the true hypervolume does the search of one partition find with k measurements, beside random search, and what do clock, SMs and
// launch time save together? Replays measured sweeps: kareus_search SEEDS CLOCK_MHZ SWEEP.csv [CLOCK_MHZ SWEEP.csv ...]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "wattfill/scenario/partition_table.hpp"
#include "wattfill/training/search_growth.hpp"

using namespace wattfill;

namespace {

/// Least energy within `time_s`, and least time within `energy_j`, of the settings that `allowed` lets through.
void gains(PartitionTable const& table, char const* name, PartitionCost const& base, std::function<bool(PartitionSetting const&)> const& allowed) {
  double energy = 1e9, time = 1e9;
  std::vector<PartitionCost> costs;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < table.costs.size(); ++i) {
    if (!allowed(table.settings[i])) continue;
    order.push_back(i);
    if (table.costs[i].time_s <= base.time_s) energy = std::min(energy, table.costs[i].energy_j);
    if (table.costs[i].energy_j <= base.energy_j) time = std::min(time, table.costs[i].time_s);
  }
  std::printf("%-34s %4zu settings, iso-time energy %6.2f %%, iso-energy time %6.2f %%, share of the hypervolume %.5f\n", name, order.size(),
              100 * (1 - energy / base.energy_j), 100 * (1 - time / base.time_s), area_found(table.costs, order).back());
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::fprintf(stderr, "usage: kareus_search SEEDS CLOCK_MHZ SWEEP.csv [CLOCK_MHZ SWEEP.csv ...]\n");
    return 2;
  }
  PartitionTable table;
  for (int i = 2; i + 1 < count; i += 2) read_partition_table(words[i + 1], std::atof(words[i]), 2, table);
  auto const seeds = static_cast<std::size_t>(std::atoi(words[1]));
  std::printf("%zu settings, %zu seeds\nmeasurements  search median [5 %%, 95 %%]         random median [5 %%, 95 %%]\n", table.costs.size(), seeds);
  for (auto const& [k, s, r] : search_growth(table, {.size = {24, 8, 12}, .static_w = 85}, seeds))
    std::printf("%12zu  %.5f [%.5f, %.5f]  %.5f [%.5f, %.5f]\n", k, s.median, s.low, s.high, r.median, r.low, r.high);
  // Without scheduling: the top clock's communication after everything, with the most SMs and wide blocks.
  double top = 0;
  int most = 0, wide = 0, last = 0;
  for (auto const& s : table.settings) {
    top = std::max(top, s.clock_mhz);
    most = std::max(most, s.sms);
    wide = std::max(wide, s.block);
    last = std::max(last, s.end);
  }
  auto const sequential = [&](PartitionSetting const& s) { return s.start < 0 && s.sms == most && s.block == wide; };
  auto const plain = [&](PartitionSetting const& s) { return sequential(s) || (s.start == 0 && s.end == last && s.sms == most && s.block == wide); };
  for (std::size_t i = 0; i < table.settings.size(); ++i) {
    if (!(sequential(table.settings[i]) && table.settings[i].clock_mhz == top)) continue;
    std::printf("base: sequential, %d SMs, %g MHz: %.4f ms, %.4f J\n", most, top, 1e3 * table.costs[i].time_s, table.costs[i].energy_j);
    gains(table, "clock alone", table.costs[i], sequential);
    gains(table, "overlap from the start alone", table.costs[i], [&](auto const& s) { return plain(s) && s.clock_mhz == top; });
    gains(table, "overlap from the start, clock", table.costs[i], plain);
    gains(table, "timing and SMs, top clock", table.costs[i], [&](auto const& s) { return s.clock_mhz == top; });
    gains(table, "clock, SMs and timing", table.costs[i], [](auto const&) { return true; });
  }
  return 0;
}
