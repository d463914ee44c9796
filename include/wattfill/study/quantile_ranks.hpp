#pragma once
#include <cstdint>
#include <optional>

namespace wattfill {

/// Ranks (from 1) of the order statistics of n independent values that estimate and bracket a quantile, whatever their distribution: at least a share q of the
/// values do not exceed the one of rank `estimate`, and the q-quantile lies between those of ranks `low` and `high` with 95 % confidence at least, 2.5 % at
/// either side (binomial; David and Nagaraja, Order Statistics, 3rd ed., section 7.1).
struct QuantileRanks {
  std::uint64_t estimate, low, high;
};

/// Nothing where n is too small for a two-sided interval: 368 values for the 1 % point, 72 for 5 %, 36 for 10 %. q in (0, 1).
std::optional<QuantileRanks> quantile_ranks(std::uint64_t n, double q);
/// The smallest n that has them.
std::uint64_t least_count(double q);

}  // namespace wattfill
