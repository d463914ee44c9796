#include "wattfill/sim/split_class.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/draws.hpp"

using namespace wattfill;

TEST_CASE("a split class by hand: 10 jobs, 37.5 % of the way from 100 to 200 W") {
  auto const split = split_class(10, 0.375, 100, 200);  // 3.75 jobs: three up, one at three quarters, six down
  CHECK(split.up == 3);
  CHECK(split.part == 0.75);
  CHECK(split.middle_w == 175);
  CHECK(split_class(10, 0.5, 100, 200).part == 0);
  CHECK(split_class(10, 1, 100, 200).up == 10);
  CHECK(split_class(10, 1, 100, 200).part == 0);
}

TEST_CASE("splitting a class keeps its watts, its jobs and its limits (10000 random splits)") {
  testing::Draws draws(1);
  for (int i = 0; i < 10000; ++i) {
    auto const jobs = std::floor(draws.between(1, draws.chance(0.1) ? 1e6 : 50)), theta = draws.share(), low = draws.between(50, 300),
               high = low + draws.between(0, 400);
    CAPTURE(jobs, theta, low, high);
    auto const split = split_class(jobs, theta, low, high);
    auto const middle = split.part > 0 ? 1.0 : 0.0;
    REQUIRE(split.up + middle <= jobs);
    REQUIRE((split.middle_w >= low && split.middle_w <= high));
    REQUIRE(split.up * high + middle * split.middle_w + (jobs - split.up - middle) * low == Approx(jobs * (low + theta * (high - low))).epsilon(1e-12));
  }
}
