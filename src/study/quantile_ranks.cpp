#include "wattfill/study/quantile_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

constexpr double tail = 0.025;

/// Binomial probabilities around their mode, from products and quotients alone: the same bits on every machine. What is left out is below 1e-30 of the mode.
struct Binomial {
  std::uint64_t first;
  std::vector<double> share;  // P(count = first + i)

  Binomial(std::uint64_t n, double q) {
    auto const mode = std::min(n, static_cast<std::uint64_t>(static_cast<double>(n + 1) * q));
    auto const odds = q / (1 - q);
    std::vector<double> down;
    double w = 1;
    for (std::uint64_t k = mode; k > 0 && w > 1e-30; --k) {
      w *= static_cast<double>(k) / static_cast<double>(n - k + 1) / odds;
      down.push_back(w);
    }
    first = mode - down.size();
    share.assign(down.rbegin(), down.rend());
    share.push_back(1);
    w = 1;
    for (std::uint64_t k = mode; k < n && w > 1e-30; ++k) {
      w *= static_cast<double>(n - k) / static_cast<double>(k + 1) * odds;
      share.push_back(w);
    }
    double total = 0;
    for (double s : share) total += s;
    for (double& s : share) s /= total;
  }
};

}  // namespace

std::optional<QuantileRanks> quantile_ranks(std::uint64_t n, double q) {
  WATTFILL_ASSERT(0 < q && q < 1);
  if (n == 0) return std::nullopt;
  Binomial const below(n, q);  // how many values are below the quantile
  // low: the largest rank with P(count < low) <= tail; high: the smallest with P(count >= high) <= tail.
  std::uint64_t low = below.first, high = below.first + below.share.size();
  double sum = 0;
  for (double s : below.share) {
    sum += s;
    if (sum > tail) break;
    ++low;
  }
  sum = 0;
  for (auto s = below.share.rbegin(); s != below.share.rend(); ++s) {
    sum += *s;
    if (sum > tail) break;
    --high;
  }
  if (low < 1 || high > n) return std::nullopt;
  auto const exact = q * static_cast<double>(n);
  auto const estimate = static_cast<std::uint64_t>(std::ceil(exact * (1 - 1e-12)));  // 0.07 x 100 is 7, not 7.000000000000001
  return QuantileRanks{std::clamp<std::uint64_t>(estimate, 1, n), low, high};
}

std::uint64_t least_count(double q) {
  std::uint64_t n = 1;
  while (!quantile_ranks(n, q)) ++n;
  return n;
}

}  // namespace wattfill
