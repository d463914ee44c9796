#include "wattfill/study/quantile_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "support/draws.hpp"

namespace wattfill {

TEST_CASE("a two-sided interval of the 1, 5 and 10 % points needs 368, 72 and 36 values") {
  CHECK(least_count(0.01) == 368);  // 0.99^368 = 0.0248 <= 0.025 < 0.99^367
  CHECK(least_count(0.05) == 72);
  CHECK(least_count(0.10) == 36);
  CHECK(!quantile_ranks(367, 0.01));
  CHECK(quantile_ranks(368, 0.01)->low == 1);
  CHECK(!quantile_ranks(0, 0.5));
  CHECK(least_count(0.99) == 368);  // the mirror image
}

TEST_CASE("the ranks are those of the binomial distribution") {
  // n = 10, q = 0.5: P(count <= 1) = 11/1024 = 0.0107, P(count <= 2) = 0.0547: low 2, and by symmetry high 9.
  auto const median = *quantile_ranks(10, 0.5);
  CHECK(median.low == 2);
  CHECK(median.high == 9);
  CHECK(median.estimate == 5);
  CHECK(quantile_ranks(100, 0.07)->estimate == 7);
  CHECK(quantile_ranks(500, 0.05)->estimate == 25);
  // Large n: the normal approximation within a rank or two.
  auto const large = *quantile_ranks(1'000'000, 0.1);
  CHECK(std::abs(static_cast<double>(large.low) - (100'000 - 1.95996 * 300)) < 3);
  CHECK(std::abs(static_cast<double>(large.high) - (100'000 + 1.95996 * 300)) < 3);
}

TEST_CASE("the intervals cover the quantile as often as they say") {
  // Uniform values: the q-quantile is q. 95 % at least; the discrete ranks make it more where there are few.
  testing::Draws draw(1);
  for (auto const& [n, q] : std::vector<std::pair<std::size_t, double>>{{368, 0.01}, {500, 0.01}, {500, 0.05}, {72, 0.05}, {36, 0.1}, {200, 0.1}}) {
    auto const ranks = *quantile_ranks(n, q);
    int covered = 0, trials = 2000;
    std::vector<double> values(n);
    for (int t = 0; t < trials; ++t) {
      for (auto& v : values) v = draw.share();
      std::ranges::sort(values);
      covered += values[ranks.low - 1] <= q && q < values[ranks.high - 1];
    }
    CAPTURE(n, q, covered);
    CHECK(covered >= 0.95 * trials - 3 * std::sqrt(trials * 0.95 * 0.05));
    CHECK(covered < trials);  // and is no empty promise
  }
}

}  // namespace wattfill
