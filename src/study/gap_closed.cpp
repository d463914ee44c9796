#include "wattfill/study/gap_closed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "wattfill/core/hostdevice.hpp"
#include "wattfill/core/lanes.hpp"
#include "wattfill/core/random.hpp"

namespace wattfill {
namespace {

constexpr std::size_t bootstrap_draws = 1000;

/// Block sums once more, each block padded to whole lanes.
struct PaddedBlocks {
  std::size_t stride;
  LaneVector sums;

  explicit PaddedBlocks(BlockSums const& blocks) : stride(padded(blocks.policies * blocks.targets)), sums(blocks.blocks * stride) {
    for (std::size_t b = 0; b < blocks.blocks; ++b)
      std::copy_n(blocks.block(b), blocks.policies * blocks.targets, sums.begin() + static_cast<std::ptrdiff_t>(b * stride));
  }
};

/// Adds the picked blocks one after the other; `strips` x 8 columns at a time stay in registers.
template <std::size_t strips>
WATTFILL_INLINE void add_strips(double const* blocks, std::size_t stride, std::span<std::uint32_t const> picks, double* sums) {
  QuadPair total[strips];
  for (auto& sum : total) sum = all<QuadPair>(0.0);
  for (std::uint32_t const pick : picks) {
    double const* const block = blocks + pick * stride;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < strips; ++i) total[i] += load<QuadPair>(block + i * lane_count);
  }
  for (std::size_t i = 0; i < strips; ++i) store(sums + i * lane_count, total[i]);
}
WATTFILL_CLONES void add_blocks(double const* blocks, std::size_t stride, std::span<std::uint32_t const> picks, double* sums) {
  std::size_t c = 0;
  for (; c + 3 * lane_count <= stride; c += 3 * lane_count) add_strips<3>(blocks + c, stride, picks, sums + c);
  for (; c < stride; c += lane_count) add_strips<1>(blocks + c, stride, picks, sums + c);
}

/// Uniform numbers below `count`, as Boost's uniform_int_distribution makes them of CounterRandom's words: equal buckets of words, and the rest is drawn again.
class BlockPicks {
 public:
  /// 1 < count < 2^31
  explicit BlockPicks(std::size_t count) : count_(static_cast<std::uint32_t>(count)), bucket_(most / count_ + (most % count_ == count_ - 1 ? 1 : 0)) {}

  void draw(std::uint64_t key, std::uint64_t replication, std::vector<std::uint32_t>& words, std::vector<std::uint32_t>& picks) const {
    picks.resize(count_);
    for (std::size_t spare = 64;; spare *= 2) {
      words.resize((count_ + spare) / 32 * 32);
      fill_random(key, replication, Stream::bootstrap, words);
      std::size_t found = 0;
      for (std::size_t i = 0; i < words.size() && found < count_; ++i) {
        auto const pick = words[i] / bucket_;
        picks[found] = pick;
        found += pick < count_ ? 1 : 0;
      }
      if (found == count_) return;
    }
  }

 private:
  static constexpr std::uint32_t most = 0xFFFFFFFFU;
  std::uint32_t count_, bucket_;
};

}  // namespace

Estimate Estimate::none() {
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  return {nan, nan, nan};
}

double gap_closed(double policy, double reference, double oracle) {
  auto const gap = oracle - reference;
  if (!(gap > 1e-9 * std::fabs(oracle))) return std::numeric_limits<double>::quiet_NaN();
  return (policy - reference) / gap;
}

double quantile(std::span<double> values, double q) {
  std::ranges::sort(values);
  auto const n = static_cast<double>(values.size());
  auto const rank = static_cast<std::size_t>(std::max(1.0, std::ceil(q * n - 1e-9)));
  return values[std::min(rank, values.size()) - 1];
}

std::vector<Estimate> gaps_closed(BlockSums const& blocks, std::size_t reference, std::size_t oracle, std::uint64_t seed, std::string_view mix_name,
                                  Executor const& executor) {
  auto const columns = blocks.policies * blocks.targets;
  auto const gaps = [&](std::vector<double> const& sums) {
    std::vector<double> closed(columns);
    for (std::size_t p = 0; p < blocks.policies; ++p)
      for (std::size_t t = 0; t < blocks.targets; ++t)
        closed[p * blocks.targets + t] = gap_closed(sums[p * blocks.targets + t], sums[reference * blocks.targets + t], sums[oracle * blocks.targets + t]);
    return closed;
  };
  std::vector<double> totals(columns, 0.0);
  for (std::size_t b = 0; b < blocks.blocks; ++b)
    for (std::size_t c = 0; c < columns; ++c) totals[c] += blocks.block(b)[c];
  auto const closed = gaps(totals);

  std::vector<std::vector<double>> drawn;
  if (blocks.blocks > 1) {
    drawn.resize(bootstrap_draws);
    PaddedBlocks const padded_blocks(blocks);
    BlockPicks const random_picks(blocks.blocks);
    struct Scratch {
      std::vector<std::uint32_t> words, picks;
      std::vector<double> sums;
    };
    std::vector<Scratch> scratch(executor.threads());
    auto const key = random_key(seed, mix_name);
    executor.for_each(drawn.size(), [&](std::size_t draw, unsigned worker) {
      auto& [words, picks, sums] = scratch[worker];
      random_picks.draw(key, draw, words, picks);
      sums.resize(padded_blocks.stride);
      add_blocks(padded_blocks.sums.data(), padded_blocks.stride, picks, sums.data());
      drawn[draw] = gaps(sums);
    });
  }

  std::vector<Estimate> estimates(columns, Estimate::none());
  for (std::size_t c = 0; c < columns; ++c) {
    estimates[c].value = closed[c];
    std::vector<double> values;
    for (auto const& draw : drawn)
      if (!std::isnan(draw[c])) values.push_back(draw[c]);
    if (std::isnan(closed[c]) || values.empty()) continue;
    estimates[c].low = quantile(values, 0.025);
    estimates[c].high = quantile(values, 0.975);
  }
  return estimates;
}

}  // namespace wattfill
