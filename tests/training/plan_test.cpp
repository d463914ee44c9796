#include "wattfill/training/plan.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "training/projects.hpp"
#include "wattfill/training/frontier.hpp"

using namespace wattfill;
using namespace wattfill::test;

TEST_CASE("Plans of random graphs are feasible, cost what the frontier says and have whole durations at whole deadlines") {
  Dice dice(11);
  for (int trial = 0; trial < 100; ++trial) {
    auto const project = random_project(dice, 12, 2);
    auto const frontier = Frontier::of(project);
    std::vector<double> deadlines;
    for (auto time = frontier.longest() + 2; time >= frontier.shortest(); --time) deadlines.push_back(static_cast<double>(time));
    auto const whole = plans(project, deadlines);
    for (std::size_t d = 0; d < deadlines.size(); ++d) {
      REQUIRE(feasible(project, whole[d], deadlines[d]));
      REQUIRE(energy_j(project, whole[d]) == frontier.energy_j(deadlines[d]));
      for (auto duration : whole[d].duration) REQUIRE(duration == std::floor(duration));
      REQUIRE(whole[d].time <= deadlines[d]);
    }
  }
}

TEST_CASE("Deadlines between whole steps, in any order, give plans on the linear pieces") {
  Dice dice(12);
  for (int trial = 0; trial < 50; ++trial) {
    auto const project = random_project(dice, 12, 2);
    auto const frontier = Frontier::of(project);
    auto const range = static_cast<double>(frontier.longest() - frontier.shortest());
    std::vector<double> deadlines;
    for (int i = 0; i < 9; ++i) deadlines.push_back(static_cast<double>(frontier.shortest()) + range * dice.upto(64) / 64);
    auto const found = plans(project, deadlines);
    for (std::size_t d = 0; d < deadlines.size(); ++d) {
      REQUIRE(feasible(project, found[d], deadlines[d]));
      REQUIRE(energy_j(project, found[d]) == Approx(frontier.energy_j(deadlines[d])).epsilon(1e-13));
    }
  }
}

TEST_CASE("A deadline nothing can meet is refused") {
  auto const project = project_of({{{2, 3}, {5, 1}}}, {});
  std::vector<double> const deadlines{4, 1.75};
  CHECK(message([&] { plans(project, deadlines); }) ==
        "a deadline of 1.75 time steps is below the shortest possible time of 2 (every computation at its fastest); allow more time");
}
