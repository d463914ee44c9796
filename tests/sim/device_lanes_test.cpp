#include "wattfill/sim/device_lanes.hpp"

#include <array>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/draws.hpp"
#include "wattfill/core/lanes.hpp"

using namespace wattfill;

TEST_CASE("lanes join their sums as the host's vectors do, to the bit, and find the least, in either order (2000 random cases)") {
  testing::Draws draws(1);
  for (int i = 0; i < 2000; ++i) {
    std::array<double, device_lanes> x{}, y{};
    for (auto& v : x) v = draws.between(-1, 1) * (draws.chance(0.3) ? 1e12 : 1);
    for (auto& v : y) v = draws.share();
    HostLanes const lanes(i % 2 == 1);
    auto const all = lanes.join<2, 1>([&](unsigned lane) { return LanePart<2, 1>{{x[lane], y[lane]}, {x[lane]}}; });
    REQUIRE(testing::same_bits(all.sum[0], sum_lanes(load<QuadPair>(x.data()))));
    REQUIRE(testing::same_bits(all.sum[1], sum_lanes(load<QuadPair>(y.data()))));
    REQUIRE(all.least[0] == *std::ranges::min_element(x));
  }
}

TEST_CASE("exchanges over 4, 2 and 1 lanes, as a warp makes them, leave the joined sum in every lane") {
  testing::Draws draws(2);
  for (int i = 0; i < 2000; ++i) {
    std::array<double, device_lanes> x{};
    for (auto& v : x) v = draws.between(-1, 1) * (draws.chance(0.3) ? 1e12 : 1);
    auto const joined = HostLanes().join<1, 0>([&](unsigned lane) { return LanePart<1, 0>{{x[lane]}, {}}; }).sum[0];
    for (unsigned over = 4; over > 0; over /= 2) {
      auto const before = x;
      for (unsigned lane = 0; lane < device_lanes; ++lane) x[lane] = before[lane] + before[lane ^ over];
    }
    for (double v : x) REQUIRE(testing::same_bits(v, joined));
  }
}
