#include "wattfill/training/cost_curve.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

TEST_CASE("A cost curve is the convex hull of its points up to their least energy") {
  // (3, 8) lies above the line from (2, 9) to (4, 5); (7, 4) is longer than (6, 4) for nothing; (5, 6) and (8, 9) save nothing.
  CostCurve const curve({{8, 9}, {2, 9}, {3, 8}, {4, 5}, {5, 6}, {6, 4}, {7, 4}, {2, 11}});
  CHECK(std::vector(curve.knots().begin(), curve.knots().end()) == Knots{{2, 9}, {4, 5}, {6, 4}});
  CHECK(curve.shortest() == 2);
  CHECK(curve.longest() == 6);
}

TEST_CASE("A cost curve is linear between knots, flat above and infinite below") {
  CostCurve const curve({{2, 9}, {4, 5}, {6, 4}});
  CHECK(curve.energy_j(2) == 9);
  CHECK(curve.energy_j(2.5) == 8);
  CHECK(curve.energy_j(5) == 4.5);
  CHECK(curve.energy_j(6) == 4);
  CHECK(curve.energy_j(60) == 4);
  CHECK(curve.energy_j(1.99) == std::numeric_limits<double>::infinity());
}

TEST_CASE("Points that are no costs are refused") {
  CHECK(message([] { CostCurve({}); }).starts_with("a computation has no options"));
  CHECK(message([] { CostCurve({{-1, 2}}); }).starts_with("a duration of -1 time steps"));
  CHECK(message([] { CostCurve({{CostCurve::longest_duration + 1, 2}}); }).ends_with("choose another time step"));
  CHECK(message([] { CostCurve({{1, std::nan("")}}); }).find("not finite") != std::string::npos);
}
