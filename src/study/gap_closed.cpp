#include "wattfill/study/gap_closed.hpp"

#include <algorithm>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <limits>

#include "wattfill/core/random.hpp"

namespace wattfill {
namespace {

constexpr std::size_t bootstrap_draws = 1000;

void add(std::vector<double>& sums, double const* block) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += block[i];
}

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
  for (std::size_t b = 0; b < blocks.blocks; ++b) add(totals, blocks.block(b));
  auto const closed = gaps(totals);

  std::vector<std::vector<double>> drawn(blocks.blocks > 1 ? bootstrap_draws : 0);
  executor.for_each(drawn.size(), [&](std::size_t draw, unsigned) {
    CounterRandom random({seed, mix_name, draw, Stream::bootstrap});
    boost::random::uniform_int_distribution<std::size_t> pick(0, blocks.blocks - 1);
    std::vector<double> sums(columns, 0.0);
    for (std::size_t b = 0; b < blocks.blocks; ++b) add(sums, blocks.block(pick(random)));
    drawn[draw] = gaps(sums);
  });

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
