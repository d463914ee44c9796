#include "wattfill/facility/lag.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"

namespace wattfill {

TEST_CASE("a lag follows the step response of tau dP/dt = steady - P") {
  Lag const lag{20};
  for (double dt : {0.0, 1e-9, 0.3, 1.0, 20.0, 200.0}) {
    auto const exact = 900 + (300 - 900) * std::exp(-dt / 20);
    REQUIRE(lag.power_after(300, 900, dt) == Approx(exact).epsilon(1e-14));
    // integral of 900 - 600 exp(-t/20)
    REQUIRE(lag.energy_over(300, 900, dt) == Approx(900 * dt + 600 * 20 * std::expm1(-dt / 20)).epsilon(1e-13).margin(1e-20));
  }
  REQUIRE(lag.power_after(300, 900, 20 * std::log(2)) == Approx(600).epsilon(1e-14));
  REQUIRE(lag.power_after(300, 900, 1e6) == 900);
}

TEST_CASE("steps of a lag add up") {
  Lag const lag{7.5};
  auto const half = lag.power_after(100, 40, 1.75);
  REQUIRE(lag.power_after(half, 40, 1.75) == Approx(lag.power_after(100, 40, 3.5)).epsilon(1e-14));
  REQUIRE(lag.energy_over(100, 40, 1.75) + lag.energy_over(half, 40, 1.75) == Approx(lag.energy_over(100, 40, 3.5)).epsilon(1e-14));
}

TEST_CASE("short steps lose no digits") {
  Lag const lag{1e6};  // rises by 1e-9 of the way; 1 - exp(-1e-9) would keep seven digits
  REQUIRE(lag.power_after(0, 1, 1e-3) == Approx(1e-9 * (1 - 0.5e-9)).epsilon(1e-15));
  // The two forms meet at 0.03.
  REQUIRE(lag.power_after(0, 1, 30000) == Approx(-std::expm1(-0.03)).epsilon(4e-15));
  REQUIRE(lag.power_after(0, 1, 30000.000001) == Approx(-std::expm1(-0.030000000001)).epsilon(4e-15));
}

TEST_CASE("without a time constant a lag follows at once, and never before time moves") {
  Lag const none{0};
  REQUIRE(none.power_after(100, 40, 0) == 100);
  REQUIRE(none.power_after(100, 40, 1e-9) == 40);
  REQUIRE(none.energy_over(100, 40, 3) == 120);
}

TEST_CASE("the time to a level is the inverse of the step response") {
  Lag const lag{300};
  auto const t = lag.time_to(1000, 400, 460);  // a tenth of the way is left: 300 ln 10
  REQUIRE(t == Approx(300 * std::log(10)).epsilon(1e-14));
  REQUIRE(lag.power_after(1000, 400, t) == Approx(460).epsilon(1e-14));
  REQUIRE(lag.time_to(1000, 400, 1000) == 0);
  REQUIRE(lag.time_to(1000, 400, 400) == std::numeric_limits<double>::infinity());
  REQUIRE(lag.time_to(1000, 400, 1100) == std::numeric_limits<double>::infinity());
}

}  // namespace wattfill
