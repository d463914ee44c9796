#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "wattfill/training/hypervolume.hpp"

namespace wattfill {

/// How to run one partition (Kareus, arXiv:2601.17654): one communication kernel of a nanobatch beside the computations of the other.
struct PartitionSetting {
  double clock_mhz = 0;
  int start = -1;  ///< group of computations with which communication starts; -1: after all of them (no overlap)
  int end = -1;    ///< last group that may run beside it
  int sms = 1;     ///< streaming multiprocessors given to communication
  int block = 0;   ///< threads of a block of the communication kernel
  bool operator==(PartitionSetting const&) const = default;
};

/// What was measured at a setting, of one GPU.
struct PartitionCost {
  double time_s = 0;
  double energy_j = 0;
  /// Dynamic energy: what is left of it without the draw of a GPU that waits.
  double dynamic_j(double static_w) const { return energy_j - static_w * time_s; }
};

/// Settings of one partition with what was measured at each.
struct PartitionTable {
  std::vector<PartitionSetting> settings;
  std::vector<PartitionCost> costs;
};

struct SearchSize {
  int start, batches, per_batch;
};
inline constexpr SearchSize small_search{36, 3, 16}, medium_search{48, 4, 16}, large_search{96, 4, 32};

struct SearchSpec {
  SearchSize size = small_search;
  double static_w = 85;
  std::uint64_t seed = 0;
  bool stop_early = true;  ///< after two batches that gained under 0.1 % of the area each
};

/// Multi-pass multi-objective Bayesian optimisation as Kareus does it: a random start; then batches by surrogates (boosted trees of the logarithms of
/// time and dynamic energy), each taking 40 % of its settings by expected area gained in (time, energy), 20 % in (time, dynamic energy), 20 % in
/// (time, static energy) and 20 % where five bootstrap models disagree most. The gain is exact for the predicted point (hypervolume.hpp), one setting
/// after the other with those chosen before it counted in; the reference is 1.1 x the worst seen. Returns the settings measured, in order.
std::vector<std::size_t> search_partition(std::vector<PartitionSetting> const& settings, std::function<PartitionCost(std::size_t)> const& measure,
                                          SearchSpec const& spec);
/// The same number of settings at random, for comparison: the first settings of a shuffle.
std::vector<std::size_t> random_order(std::size_t settings, std::uint64_t seed);

/// Share of the whole table's area in (time, energy) that the first k measurements have found, for k = 1, 2, ...; reference 1.1 x the table's worst.
std::vector<double> area_found(std::vector<PartitionCost> const& table, std::vector<std::size_t> const& order);

}  // namespace wattfill
