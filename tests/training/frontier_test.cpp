#include "wattfill/training/frontier.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

namespace {

/// 10 J at 2 steps, 6 J at 3, 5 J at 4.
Knots const steep{{2, 10}, {3, 6}, {4, 5}};
/// 9 J at 1 step, 7 J at 2, 6 J at 3.
Knots const gentle{{1, 9}, {2, 7}, {3, 6}};

void check_knots(Frontier const& frontier, std::vector<Frontier::Knot> const& expected) {
  REQUIRE(frontier.knots().size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("knot " << i);
    CHECK(frontier.knots()[i].time == expected[i].time);
    CHECK(frontier.knots()[i].energy_j == expected[i].energy_j);
    CHECK(frontier.knots()[i].slope_j == expected[i].slope_j);
  }
  CHECK(frontier.certificate().holds());
  CHECK(frontier.certificate().pieces == expected.size() - 1);
}

}  // namespace

TEST_CASE("The frontier of one computation is its cost curve") { check_knots(Frontier::of(project_of({steep}, {})), {{2, 10, -4}, {3, 6, -1}, {4, 5, 0}}); }

TEST_CASE("A computation without a choice has one point") {
  auto const frontier = Frontier::of(project_of({{{7, 3.5}}, {{5, 1}}}, {{0, 1}}));
  check_knots(frontier, {{12, 4.5, 0}});
  CHECK(frontier.energy_j(12) == 4.5);
  CHECK(frontier.energy_j(1e9) == 4.5);
}

TEST_CASE("Two in series: what is cheapest per step goes first") {
  // Longest 4 + 3 for 11 J. Slopes 1 (both), 2 (gentle), 4 (steep): two steps at 1 J, one at 2 J, one at 4 J.
  check_knots(Frontier::of(project_of({steep, gentle}, {{0, 1}})), {{3, 19, -4}, {4, 15, -2}, {5, 13, -1}, {7, 11, 0}});
}

TEST_CASE("Two in parallel: slopes add where both are critical, and neither shortens below the other's shortest") {
  // Steep takes 4, gentle at most 3: the step from 4 to 3 costs steep's 1 J; from 3 to 2 steep's 4 J and gentle's 1 J; then steep is at its shortest.
  check_knots(Frontier::of(project_of({steep, gentle}, {})), {{2, 17, -5}, {3, 12, -1}, {4, 11, 0}});
}

TEST_CASE("A diamond: the stem is shortened where it is cheaper than both branches") {
  // 0 -> {1, 2} -> 3; branches 4 and 3 steps long at least energy. Ends: fixed 1 step. Stem 0 costs 3 J a step from 3 to 1 steps.
  Knots const stem{{1, 8}, {3, 2}}, end{{1, 0}};
  auto const project = project_of({stem, steep, gentle, end}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  // Longest 3 + 4 + 1 = 8 at 13 J. First steep's 1 J (gentle has slack); then the stem's two steps at 3 J (both branches would cost 4 + 1); then the
  // branches.
  check_knots(Frontier::of(project), {{4, 25, -5}, {5, 20, -3}, {7, 14, -1}, {8, 13, 0}});
}

TEST_CASE("A computation shortened before gets time back when others are shortened instead") {
  // A bridge: 0 -> 2, 0 -> 4 -> 3, 1 -> 3. 1 and 2 always take 4 steps; 0 and 3 take 3, or 2 for 4 J; 4 takes 3, 2 or 1 at 3 J a step. Longest: 3 + 3
  // + 3 = 9. Two steps of 4 (3 J each) bring all three chains to 7. Then 0 and 3 together (8 J), and 4 may take 2 again: - 3 J (Phillips and Dessouky
  // 1977).
  Knots const fixed{{4, 0}}, end{{2, 4}, {3, 0}}, bridge{{1, 6}, {3, 0}};
  auto const project = project_of({end, fixed, fixed, end, bridge}, {{0, 2}, {0, 4}, {4, 3}, {1, 3}});
  check_knots(Frontier::of(project), {{6, 11, -5}, {7, 6, -3}, {9, 0, 0}});
  std::vector<double> const deadlines{7, 6};
  auto const found = plans(project, deadlines);
  CHECK(found[0].duration == std::vector<double>{3, 4, 4, 3, 1});
  CHECK(found[1].duration == std::vector<double>{2, 4, 4, 2, 2});
}

TEST_CASE("Every whole time of random graphs has the energy that trying all durations gives") {
  Dice dice(6);
  std::size_t compared = 0;
  for (int trial = 0; trial < 600; ++trial) {
    auto const project = random_project(dice, 2 + dice.upto(5), 1 + dice.upto(6));
    auto const frontier = Frontier::of(project);
    auto const expected = by_enumeration(project);
    INFO("trial " << trial);
    REQUIRE(frontier.certificate().holds());
    REQUIRE(frontier.shortest() == expected.begin()->first);
    REQUIRE(frontier.energy_j(static_cast<double>(frontier.longest())) == std::prev(expected.end())->second);
    double least = expected.begin()->second;
    for (auto time = frontier.shortest(); time <= frontier.longest(); ++time) {
      if (auto const found = expected.find(time); found != expected.end()) least = std::min(least, found->second);
      REQUIRE(frontier.energy_j(static_cast<double>(time)) == least);
      ++compared;
    }
  }
  CHECK(compared > 2500);
}

TEST_CASE("Frontiers of random graphs are convex and reach both ends") {
  Dice dice(7);
  for (int trial = 0; trial < 60; ++trial) {
    auto const project = random_project(dice, 30, 1);
    auto const frontier = Frontier::of(project);
    REQUIRE(frontier.certificate().holds());
    std::vector<std::int64_t> shortest, longest;
    double least = 0;
    for (auto curve : project.curve_of) {
      shortest.push_back(project.curves[curve].shortest());
      longest.push_back(project.curves[curve].longest());
      least += project.curves[curve].knots().back().energy_j;
    }
    REQUIRE(static_cast<double>(frontier.shortest()) == makespan(project, shortest));
    REQUIRE(static_cast<double>(frontier.longest()) == makespan(project, longest));
    auto const knots = frontier.knots();
    REQUIRE(knots.back().energy_j == least);
    for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
      REQUIRE(knots[k].time < knots[k + 1].time);
      REQUIRE(knots[k].slope_j < knots[k + 1].slope_j);
      REQUIRE(knots[k].energy_j + knots[k].slope_j * static_cast<double>(knots[k + 1].time - knots[k].time) == knots[k + 1].energy_j);
    }
  }
}

TEST_CASE("Between knots the frontier is linear, and time_for inverts it") {
  auto const frontier = Frontier::of(project_of({steep, gentle}, {{0, 1}}));
  CHECK(frontier.energy_j(3.5) == 17);
  CHECK(frontier.energy_j(6.25) == 11.75);
  for (double time : {3.0, 3.5, 4.75, 6.0, 7.0}) CHECK(frontier.time_for(frontier.energy_j(time)) == time);
  CHECK(frontier.time_for(1000) == 3);
  CHECK(message([&] { frontier.time_for(10.5); }) == "an energy of 10.5 J is below the least possible of 11 J; allow more");
}

TEST_CASE("Prices whose sum does not fit are counted in coarser units") {
  // 64 computations at once, each with a step of 2^40 J, beside one of 1 J: in the units of one computation alone the sum would pass 2^60.
  std::vector<Knots> curves(64, {{1, 0x1p40}, {2, 0}});
  curves.push_back({{1, 1}, {2, 0}});
  auto const frontier = Frontier::of(project_of(curves, {}));
  check_knots(frontier, {{1, 0x1p46 + 1, -0x1p46 - 1}, {2, 0, 0}});
  CHECK(frontier.certificate().unit_j > 0);
}

TEST_CASE("What cannot be solved is refused with the reason") {
  auto cyclic = project_of({steep, gentle, steep}, {{0, 1}, {1, 2}, {2, 1}});
  CHECK(message([&] { Frontier::of(cyclic); }) ==
        "the edges form a cycle (nothing in it could ever start): computation 2 waits for computation 1 waits for computation 2; remove an edge");
  cyclic.names = {"a", "b", "c"};
  CHECK(message([&] { Frontier::of(cyclic); }) == "the edges form a cycle (nothing in it could ever start): c waits for b waits for c; remove an edge");
  CHECK(message([] { Frontier::of(project_of({steep}, {{0, 0}})); }).find("computation 0 waits for computation 0") != std::string::npos);
  CHECK(message([] { Frontier::of({}); }).starts_with("there is no computation"));
  CHECK(message([] { Frontier::of(project_of({steep}, {{0, 3}})); }) == "an edge from 0 to 3 names a computation that is not there (there are 1)");
  auto unknown = project_of({steep}, {});
  unknown.curve_of[0] = 5;
  CHECK(message([&] { Frontier::of(unknown); }) == "computation 0 has no cost model (its duration and energy are unknown); give one");
  auto const frontier = Frontier::of(project_of({steep}, {}));
  CHECK(message([&] { frontier.energy_j(1.5); }) ==
        "a deadline of 1.5 time steps is below the shortest possible time of 2 (every computation at its fastest); allow more time");
  CHECK(message([&] { frontier.energy_j(std::nan("")); }) != "accepted");
}
