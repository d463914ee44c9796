#include "wattfill/core/lanes.hpp"

#include <algorithm>
#include <array>
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
Values stored(QuadPair const& v) {
  Values out{};
  store(out.data(), v);
  return out;
}
double joined(Values const& x) { return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7])); }

}  // namespace

// Eights (core/sides.hpp) are tested through the forms of the kernel (tests/sim/snapshot_kernel_test.cpp): only functions compiled for AVX-512 may use them.
TEST_CASE("every operation is the scalar one, lane by lane") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    testing::Draws draws(seed);
    auto const x = random_values(draws), y = random_values(draws);
    auto const a = load<QuadPair>(x.data()), b = load<QuadPair>(y.data());
    auto const sum = stored(a + b), difference = stored(a - b), product = stored(a * b), least = stored(min_each(a, b)),
               chosen = stored(select(a <= b, a, all<QuadPair>(7.0))), strict = stored(select(a < a, a, b)), equal = stored(select(a == a, a, b));
    for (std::size_t i = 0; i < lane_count; ++i) {
      REQUIRE(same_bits(sum[i], x[i] + y[i]));
      REQUIRE(same_bits(difference[i], x[i] - y[i]));
      REQUIRE(same_bits(product[i], x[i] * y[i]));
      REQUIRE(least[i] == std::min(x[i], y[i]));
      REQUIRE(chosen[i] == (x[i] <= y[i] ? x[i] : 7));
      REQUIRE(strict[i] == y[i]);
      REQUIRE(equal[i] == x[i]);
    }
    REQUIRE(min_quad(a.low) == *std::min_element(x.begin(), x.begin() + 4));
  }
}

TEST_CASE("a number in all lanes keeps its bits, a negative zero's, too") {
  for (double x : {0.0, -0.0, 1.5, -1e308})
    for (double lane : stored(all<QuadPair>(x))) CHECK(same_bits(lane, x));
}

TEST_CASE("sums are joined in one fixed order") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    testing::Draws draws(seed);
    auto const x = random_values(draws);
    REQUIRE(same_bits(sum_lanes(load<QuadPair>(x.data())), joined(x)));
  }
}

TEST_CASE("arrays of lanes start on a cache line and are padded to whole lanes") {
  CHECK(padded(0) == 0);
  CHECK(padded(1) == 8);
  CHECK(padded(8) == 8);
  CHECK(padded(9) == 16);
  for (std::size_t n : {1, 7, 100}) CHECK(reinterpret_cast<std::uintptr_t>(LaneVector(n).data()) % 64 == 0);
}
