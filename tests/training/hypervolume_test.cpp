#include "wattfill/training/hypervolume.hpp"

#include "support/catch.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

TEST_CASE("The area below a reference point is exact, and an improvement is the difference of two areas") {
  ParetoFront front({10, 10});
  CHECK(front.area() == 0);
  CHECK(front.add({4, 6}));
  CHECK(front.area() == 6 * 4);
  CHECK(front.improvement({6, 3}) == 4 * 3);
  CHECK(front.improvement({4, 6}) == 0);
  CHECK(front.improvement({3, 11}) == 0);
  CHECK(front.add({6, 3}));
  CHECK(front.area() == 6 * 4 + 4 * 3);
  CHECK_FALSE(front.add({7, 3}));
  CHECK(front.add({1, 1}));
  CHECK(front.points() == std::vector<TwoObjectives>{{1, 1}});
}

TEST_CASE("Random points: areas by counting unit squares, in any order of adding") {
  Dice dice(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<TwoObjectives> points;
    for (int n = dice.upto(12) + 1; n > 0; --n) points.push_back({static_cast<double>(dice.upto(12)), static_cast<double>(dice.upto(12))});
    ParetoFront front({10, 10});
    for (auto const& p : points) {
      auto const before = front.area(), gain = front.improvement(p);
      CHECK(front.add(p) == (gain > 0));
      CHECK(front.area() == before + gain);
    }
    int squares = 0;
    for (int x = 0; x < 10; ++x)
      for (int y = 0; y < 10; ++y) squares += std::ranges::any_of(points, [&](auto const& p) { return p.first <= x && p.second <= y; }) ? 1 : 0;
    CHECK(front.area() == squares);
    for (auto i : unbeaten(points))
      CHECK(std::ranges::none_of(points, [&](auto const& p) {
        return p.first <= points[i].first && p.second <= points[i].second && (p.first < points[i].first || p.second < points[i].second);
      }));
  }
}
