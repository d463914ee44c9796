#include "wattfill/training/frontier_csv.hpp"

#include "support/catch.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

TEST_CASE("Every whole time step has a row, both ends included, also between knots") {
  // 10 J at 2 steps, 2 J a step less up to 6 J at 4, then 1 J less at 5; a step is 0.5 s, waiting draws 8 W.
  auto const frontier = Frontier::of(project_of({{{2, 10}, {4, 6}, {5, 5}}}, {}));
  CHECK(frontier_csv(frontier, 0.5, 8) == "time_s,effective_energy_j,energy_j\n1,10,18\n1.5,8,20\n2,6,22\n2.5,5,25\n");
}

TEST_CASE("A frontier of one point has one row") {
  CHECK(frontier_csv(Frontier::of(project_of({{{3, 2}}}, {})), 1, 0) == "time_s,effective_energy_j,energy_j\n3,2,2\n");
}

TEST_CASE("The frontier of a whole pipeline counts all GPUs, and its power is that of one") {
  // Two stages of 4 GPUs, waiting 10 W each.
  IterationEnergy const energy(Frontier::of(test::project_of({{{2, 8}, {4, 4}}}, {})), 0.5, 20);
  CHECK(frontier_csv(energy, 4, 2) == "time_s,effective_energy_j,energy_j,power_w\n1,32,112,14\n1.5,24,144,12\n2,16,176,11\n");
}
