#include "wattfill/study/gap_closed.hpp"

#include <algorithm>
#include <cmath>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/draws.hpp"

using namespace wattfill;
using testing::Draws;

namespace {

/// Blocks of one target and three policies: reference, policy, oracle.
BlockSums blocks_of(std::vector<std::array<double, 3>> const& sums) {
  BlockSums blocks{sums.size(), 3, 1, {}};
  for (auto const& s : sums) blocks.sums.insert(blocks.sums.end(), s.begin(), s.end());
  return blocks;
}

std::vector<Estimate> gaps(std::vector<std::array<double, 3>> const& sums, std::uint64_t seed = 1) {
  return gaps_closed(blocks_of(sums), 0, 2, seed, "m", *make_thread_executor(1));
}

}  // namespace

TEST_CASE("gap closed: 0 at the reference, 1 at the oracle, negative where a policy harms, none without a gap") {
  CHECK(gap_closed(0.8, 0.8, 0.9) == 0);
  CHECK(gap_closed(0.9, 0.8, 0.9) == 1);
  CHECK(gap_closed(0.86, 0.8, 0.9) == Approx(0.6));
  CHECK(gap_closed(0.7, 0.8, 0.9) == Approx(-1));
  CHECK(std::isnan(gap_closed(1, 1, 1)));
  CHECK(std::isnan(gap_closed(1, 1, 1 + 1e-10)));  // under 1e-9 of the oracle's objective
  CHECK(std::isnan(gap_closed(0.9, 1, 0.9)));      // the reference beats the oracle
  CHECK_FALSE(std::isnan(gap_closed(1, 1, 1 + 1e-8)));
}

TEST_CASE("a quantile is the smallest value that at least that share does not exceed") {
  std::vector<double> values{5, 1, 4, 2, 3};
  CHECK(quantile(values, 0.2) == 1);
  CHECK(quantile(values, 0.21) == 2);
  CHECK(quantile(values, 0.5) == 3);
  CHECK(quantile(values, 1) == 5);
  CHECK(quantile(values, 0) == 1);
  std::vector<double> thousand;
  for (int i = 1000; i > 0; --i) thousand.push_back(i);
  CHECK(quantile(thousand, 0.025) == 25);
  CHECK(quantile(thousand, 0.975) == 975);
}

TEST_CASE("two blocks by hand: a draw is the first twice, the second twice or both, so the interval is what each gives alone") {
  // First: (86 - 80) / (90 - 80) = 0.6; second: (83 - 82) / (92 - 82) = 0.1; together 7 / 20.
  auto const e = gaps({{80, 86, 90}, {82, 83, 92}});
  CHECK(e[1].value == Approx(0.35));
  CHECK(e[1].low == Approx(0.1));
  CHECK(e[1].high == Approx(0.6));
  CHECK(e[0].low == 0);
  CHECK(e[0].high == 0);
  CHECK(e[2].value == 1);
  CHECK(e[2].low == 1);
}

TEST_CASE("one block has a value and no interval; no gap has neither") {
  auto const one = gaps({{80, 86, 90}});
  CHECK(one[1].value == Approx(0.6));
  CHECK(std::isnan(one[1].low));
  for (auto const& e : gaps({{80, 80, 80}, {70, 70, 70}})) {
    CHECK(std::isnan(e.value));
    CHECK(std::isnan(e.low));
    CHECK(std::isnan(e.high));
  }
}

TEST_CASE("the interval is paired: what all policies of a block share changes nothing") {
  Draws draws(5);
  std::vector<std::array<double, 3>> plain, shifted;
  for (int b = 0; b < 50; ++b) {
    std::array<double, 3> const s{80 + draws.share(), 85 + draws.share(), 90 + draws.share()};
    auto const shared = std::floor(draws.between(0, 4096));
    plain.push_back(s);
    shifted.push_back({s[0] + shared, s[1] + shared, s[2] + shared});
  }
  auto const a = gaps(plain)[1], b = gaps(shifted)[1];
  CHECK(a.value == Approx(b.value).epsilon(1e-9));
  CHECK(a.low == Approx(b.low).epsilon(1e-9));
  CHECK(a.high == Approx(b.high).epsilon(1e-9));
}

TEST_CASE("the draws are addressed: the same for any executor, other for another seed") {
  Draws draws(6);
  std::vector<std::array<double, 3>> sums;
  for (int b = 0; b < 40; ++b) sums.push_back({80 + draws.share(), 85 + draws.share(), 90 + draws.share()});
  auto const e = gaps(sums)[1];
  for (unsigned threads : {1U, 2U, 3U, 8U})
    for (auto const& executor : {make_executor(threads), make_thread_executor(threads)}) {
      auto const other = gaps_closed(blocks_of(sums), 0, 2, 1, "m", *executor)[1];
      CHECK(testing::same_bits(other.low, e.low));
      CHECK(testing::same_bits(other.high, e.high));
    }
  CHECK(gaps(sums, 2)[1].low != e.low);
}

TEST_CASE("the 95 % interval covers the truth in 95 % of repeated simulations (400 of them, 4 sigma, and 2 % for the percentile form on 60 blocks)") {
  auto const executor = make_thread_executor(1);
  int covered = 0;
  constexpr int repetitions = 400;
  for (std::uint64_t seed = 0; seed < repetitions; ++seed) {
    Draws draws(seed);
    std::vector<std::array<double, 3>> sums;
    for (int b = 0; b < 60; ++b) {
      auto const mix = draws.between(70, 90);  // the blocks differ much more than the policies
      sums.push_back({mix, mix + 6 + draws.between(-3, 3), mix + 10 + draws.between(-2, 2)});
    }
    auto const e = gaps_closed(blocks_of(sums), 0, 2, seed, "m", *executor)[1];
    covered += e.low <= 0.6 && 0.6 <= e.high;
  }
  auto const sigma = std::sqrt(0.95 * 0.05 / repetitions);  // 0.011
  CHECK(covered / double(repetitions) > 0.95 - 4 * sigma - 0.02);
  CHECK(covered / double(repetitions) < 0.95 + 4 * sigma);
}
