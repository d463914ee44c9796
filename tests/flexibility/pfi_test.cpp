#include "wattfill/flexibility/pfi.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "support/catch.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;

namespace {

// P_max = 400 W, T_max = 100. Terms: cap 100: 0.75/0.8; cap 200: 0.5/0.4; cap 300: 0.25/0.1.
PowerSpeedCurve const plain({{100, 100, 20}, {200, 200, 60}, {300, 300, 90}, {400, 400, 100}});

template <class Call>
std::string message(Call const& call) {
  try {
    call();
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("PFI is the mean of relative curtailment over relative loss") {
  CHECK(measured_pfi(plain) == Approx((0.75 / 0.8 + 0.5 / 0.4 + 0.25 / 0.1) / 3).epsilon(1e-14));
}

TEST_CASE("PFI of a job whose speed is proportional to its draw is 1") {
  CHECK(measured_pfi(PowerSpeedCurve({{100, 100, 25}, {200, 200, 50}, {400, 400, 100}})) == Approx(1).epsilon(1e-15));
}

TEST_CASE("PFI on chosen caps uses those points alone, and the highest of them as uncapped") {
  CHECK(measured_pfi(plain, std::array{400.0, 100.0, 300.0}) == Approx((0.75 / 0.8 + 0.25 / 0.1) / 2).epsilon(1e-14));
  // Against 300 W and speed 90: (2/3) / (7/9) and (1/3) / (1/3).
  CHECK(measured_pfi(plain, std::array{100.0, 200.0, 300.0}) == Approx((6.0 / 7 + 1) / 2).epsilon(1e-14));
}

TEST_CASE("Capped points that are as fast as uncapped do not count, and a curve of only such points has an infinite PFI") {
  CHECK(measured_pfi(PowerSpeedCurve({{100, 100, 50}, {200, 200, 101}, {300, 300, 100}})) == Approx((2.0 / 3) / 0.5));
  CHECK(measured_pfi(PowerSpeedCurve({{100, 100, 100}, {200, 200, 101}, {300, 300, 100}})) == std::numeric_limits<double>::infinity());
}

TEST_CASE("PFI uses measured draw, the raw points and the values at the highest cap, not the largest draw") {
  // Caps 100/200/300, draws 110/220/200: P_max = 200, so the second term is negative.
  CHECK(measured_pfi(PowerSpeedCurve({{100, 110, 50}, {200, 220, 90}, {300, 200, 100}})) == Approx(((1 - 110.0 / 200) / 0.5 + (1 - 220.0 / 200) / 0.1) / 2));
}

TEST_CASE("A repeated capped point counts as two terms, repeats at the highest cap as their mean") {
  PowerSpeedCurve const curve({{100, 100, 50}, {100, 120, 60}, {300, 190, 98}, {300, 210, 102}});
  CHECK(measured_pfi(curve) == Approx((0.5 / 0.5 + 0.4 / 0.4) / 2));
}

TEST_CASE("An unresponsive curve has no PFI") { CHECK(std::isnan(measured_pfi(PowerSpeedCurve({{100, 99, 50}, {200, 100, 100}})))); }

TEST_CASE("A cap that was not measured, and a grid of one cap, are refused") {
  CHECK(message([] {
          measured_pfi(plain, std::array{100.0, 250.5});
        }) == "nothing was measured at a cap of 250.5 W (points are not interpolated for PFI); choose caps of the sweep");
  CHECK(message([] {
          measured_pfi(plain, std::array{100.0, 100.0});
        }) == "a cap grid needs at least two different caps (flexibility compares a capped run with an uncapped one); add a cap");
  CHECK(message([] {
          measured_pfi(PowerSpeedCurve({{100, 100, 5}, {200, 200, 0}}));
        }) == "the speed at the highest cap is zero (losses are fractions of it); check the speed column");
}
