#include "wattfill/training/derived_curve.hpp"

#include "support/catch.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

namespace {

/// One stage: 10 J at 1 s, 6 J at 1.5 s, 5 J at 2 s, effective; 4 W of waiting.
IterationEnergy small() { return {Frontier::of(project_of({{{2, 10}, {3, 6}, {4, 5}}}, {})), 0.5, 4}; }

}  // namespace

TEST_CASE("Times within an energy and within a mean power, along the frontier and beyond it") {
  auto const energy = small();
  CHECK(energy.time_for_energy(100) == 1);
  CHECK(energy.time_for_energy(14) == 1);
  CHECK(energy.time_for_energy(13) == Approx(1.25));
  CHECK(energy.time_for_energy(12) == Approx(1.5));
  CHECK(message([&] { energy.time_for_energy(11.9); }) == "an energy of 11.9 J is below the least possible of 12 J an iteration; allow more");
  CHECK(energy.time_for_power(14) == 1);
  for (double t : {1.0, 1.1, 1.5, 1.8, 2.0, 5.0}) CHECK(energy.time_for_power(energy.power_w(t)) == Approx(t));
  CHECK(message([&] { energy.time_for_power(4); }) == "a mean power of 4 W is not above what the waiting stages draw, 4 W; allow more");
}

TEST_CASE("A derived curve follows the frontier to its end, then waits between iterations") {
  auto const curve = derived_curve(small(), 2, 2, 3, 0.1, 5);
  CHECK(curve.max_draw() == 14);
  CHECK(curve.max_speed() == 3);
  CHECK(curve.speed(12.0 / 1.5) == Approx(2));             // 12 J in 1.5 s
  CHECK(curve.speed(13.0 / 2) == Approx(1.5));             // the frontier's end
  CHECK(curve.min_draw() == Approx((5 + 4 * 10) / 10.0));  // 10 s an iteration: 4.5 W
  CHECK(curve.draw_for(0.3) == Approx(4.5));
  CHECK_THROWS_AS(derived_curve(small(), 1, 1, 1, 0), InputError);
  CHECK_THROWS_AS(derived_curve(small(), 1, 1, 1, 0.5, 1), InputError);
}

TEST_CASE("Beyond the frontier's end power and speed lie on one line: waiting and working share the time") {
  auto const curve = derived_curve(small(), 1, 1, 1, 0.2, 9);
  auto const at_end = curve.speed(6.5);
  for (double speed : {0.25, 0.3, 0.4}) CHECK(curve.draw_for(speed) == Approx(4 + (6.5 - 4) * speed / at_end));
}

TEST_CASE("Uniform settings give the curve that one limit for all has") {
  auto const curve = uniform_curve({{1, 100}, {2, 120}}, 8, 16, 10);
  CHECK(curve.max_draw() == 50);
  CHECK(curve.min_draw() == 30);
  CHECK(curve.speed(30) == 5);
}
