#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wattfill/study/executor.hpp"

namespace wattfill {

/// An estimate with its 95 % interval; NaN where there is none.
struct Estimate {
  double value, low, high;
  static Estimate none();
};

/// How much of the way from the reference policy to the oracle a policy goes: (mean policy - mean reference) / (mean oracle - mean reference).
/// None where the mean gap is under 1e-9 of the oracle's objective (at cut 0, say).
double gap_closed(double policy, double reference, double oracle);

/// Block sums of the objective, [block][policy][target].
struct BlockSums {
  std::size_t blocks = 0, policies = 0, targets = 0;
  std::vector<double> sums;
  double const* block(std::size_t b) const { return sums.data() + b * policies * targets; }
};

/// Gap closed of every policy and target, [policy][target], with intervals by a paired bootstrap over the blocks: every draw resamples whole blocks, so that
/// all policies keep meeting the same mixes. The draws are addressed by (seed, mix name, draw).
std::vector<Estimate> gaps_closed(BlockSums const& blocks, std::size_t reference, std::size_t oracle, std::uint64_t seed, std::string_view mix_name,
                                  Executor const& executor);

/// The smallest value that at least a share q of the (not empty) values do not exceed. Sorts its argument.
double quantile(std::span<double> values, double q);

}  // namespace wattfill
