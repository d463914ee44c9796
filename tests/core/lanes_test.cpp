#include "wattfill/core/lanes.hpp"

#include <algorithm>
#include <cstdint>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/draws.hpp"

using namespace wattfill;
using testing::same_bits;

namespace {

using Values = std::array<double, lane_count>;

Values random_values(testing::Draws& draws) {
  Values x{};
  for (auto& v : x) v = draws.between(-1, 1) * (draws.chance(0.5) ? 1e9 : 1);
  return x;
}
Values stored(Lanes const& v) {
  Values out{};
  store_lanes(out.data(), v);
  return out;
}

}  // namespace

TEST_CASE("every operation is the scalar one, lane by lane") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    testing::Draws draws(seed);
    auto const x = random_values(draws), y = random_values(draws);
    auto const a = load_lanes(x.data()), b = load_lanes(y.data());
    auto const sum = stored(a + b), difference = stored(a - b), product = stored(a * b), ratio = stored(a / b), least = stored(min_each(a, b)),
               chosen = stored(select(a <= b, a, all_lanes(7))), strict = stored(select(a < a, a, b));
    for (std::size_t i = 0; i < lane_count; ++i) {
      REQUIRE(same_bits(sum[i], x[i] + y[i]));
      REQUIRE(same_bits(difference[i], x[i] - y[i]));
      REQUIRE(same_bits(product[i], x[i] * y[i]));
      REQUIRE(same_bits(ratio[i], x[i] / y[i]));
      REQUIRE(least[i] == std::min(x[i], y[i]));
      REQUIRE(chosen[i] == (x[i] <= y[i] ? x[i] : 7));
      REQUIRE(strict[i] == y[i]);
    }
    REQUIRE(min_lanes(a) == *std::ranges::min_element(x));
  }
}

TEST_CASE("sums are joined in one fixed order, alone and four at a time") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    testing::Draws draws(seed);
    Values x[4];
    Lanes v[4];
    double expected[4];
    for (int k = 0; k < 4; ++k) {
      x[k] = random_values(draws);
      v[k] = load_lanes(x[k].data());
      expected[k] = (x[k][0] + x[k][2]) + (x[k][1] + x[k][3]);
      REQUIRE(same_bits(sum_lanes(v[k]), expected[k]));
    }
    auto const four = sum_four(v[0], v[1], v[2], v[3]);
    for (int k = 0; k < 4; ++k) REQUIRE(same_bits(four[k], expected[k]));
  }
}

TEST_CASE("arrays of lanes start on a cache line and are padded to whole lanes") {
  CHECK(padded(0) == 0);
  CHECK(padded(1) == 4);
  CHECK(padded(4) == 4);
  CHECK(padded(9) == 12);
  for (std::size_t n : {1, 7, 100}) CHECK(reinterpret_cast<std::uintptr_t>(LaneVector(n).data()) % 64 == 0);
}
