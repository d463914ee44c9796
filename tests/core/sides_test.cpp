#include "wattfill/core/sides.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/draws.hpp"

using namespace wattfill;
using testing::same_bits;

// The form for AVX-512 is tested through what uses it (tests/sim/snapshot_kernel_test.cpp, tests/study/moments_test.cpp): only functions compiled for it may.
TEST_CASE("eight rows of eight are turned, joined as the sums of each row, and gathered from eight places") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    testing::Draws draws(seed);
    std::array<std::array<double, lane_count>, lane_count> x{};
    for (auto& row : x)
      for (auto& number : row) number = draws.between(-1, 1) * (draws.chance(0.5) ? 1e9 : 1);
    QuadPair rows[lane_count], parts[lane_count];
    for (std::size_t r = 0; r < lane_count; ++r) rows[r] = parts[r] = load<QuadPair>(x[r].data());
    transpose(rows);
    std::array<double, lane_count> column{}, sums{}, diagonal{};
    for (std::size_t c = 0; c < lane_count; ++c) {
      store(column.data(), rows[c]);
      for (std::size_t r = 0; r < lane_count; ++r) REQUIRE(same_bits(column[r], x[r][c]));
    }
    store(sums.data(), sum_rows(parts));
    store(diagonal.data(), gathered<QuadPair>([&](std::size_t r) { return x[r][r]; }));
    for (std::size_t r = 0; r < lane_count; ++r) {
      REQUIRE(same_bits(sums[r], sum_lanes(load<QuadPair>(x[r].data()))));
      REQUIRE(same_bits(diagonal[r], x[r][r]));
    }
  }
}

TEST_CASE("lane by lane: quotients, sums under a mask and whole parts") {
  std::array<double, lane_count> const x{0, 0.5, 1, 1.5, 2.999999999999999, 1e9 + 0.25, 4e15, 7};
  std::array<double, lane_count> quotient{}, added{}, whole{};
  auto const v = load<QuadPair>(x.data());
  store(quotient.data(), v / all<QuadPair>(3.0));
  store(added.data(), add_where(v < all<QuadPair>(2.0), v, all<QuadPair>(10.0)));
  store(whole.data(), whole_part(v));
  for (std::size_t i = 0; i < lane_count; ++i) {
    CHECK(same_bits(quotient[i], x[i] / 3));
    CHECK(added[i] == (x[i] < 2 ? x[i] + 10 : x[i]));
    CHECK(whole[i] == std::floor(x[i]));
  }
  CHECK(any(v < all<QuadPair>(0.25)));
  CHECK_FALSE(any(v < all<QuadPair>(0.0)));
}
