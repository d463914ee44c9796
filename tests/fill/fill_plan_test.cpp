#include "wattfill/fill/fill_plan.hpp"

#include <algorithm>
#include <set>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/draws.hpp"

using namespace wattfill;
using testing::Draws;

namespace {

struct Case {
  std::vector<double> floors, tops, gpus;
  std::vector<FillItem> items;  // classes in order, each with its items in ascending level
};

/// Several items a class, levels on a coarse grid so that starts, ends and jumps coincide often.
Case random_case(std::uint64_t seed) {
  Draws draws(seed);
  Case c;
  auto const classes = 1 + draws.below(11);
  for (std::size_t k = 0; k < classes; ++k) {
    auto w = draws.between(50, 300);
    auto level = std::floor(draws.between(-3, 3));
    c.floors.push_back(w);
    for (auto items = draws.below(4); items-- > 0;) {
      auto const full = level + (draws.chance(0.3) ? 0 : 1 + std::floor(draws.between(0, 3)));
      auto const to = w + (draws.chance(0.1) ? 0 : draws.between(1, 200));
      c.items.push_back({k, level, full, w, to});
      w = to;
      level = full + std::floor(draws.between(0, 2));
    }
    c.tops.push_back(w);
    c.gpus.push_back(draws.chance(0.2) ? 0 : 1 + std::floor(draws.between(0, 64)));
  }
  return c;
}

double total(std::vector<double> const& gpus, std::vector<double> const& draws) {
  double sum = 0;
  for (std::size_t c = 0; c < gpus.size(); ++c) sum += gpus[c] * draws[c];
  return sum;
}

/// Draws at a level just below its jumps (`jumped` false) or just above them: item by item, no sorting.
std::vector<double> at_level(Case const& c, double level, bool jumped) {
  auto draws = c.floors;
  for (auto const& i : c.items) {
    double reached = 0;
    if (i.start == i.full)
      reached = level > i.start || (level == i.start && jumped) ? i.to_w : 0;
    else if (level >= i.full)
      reached = i.to_w;
    else if (level > i.start)
      reached = i.from_w + (level - i.start) / (i.full - i.start) * (i.to_w - i.from_w);
    draws[i.cls] = std::max(draws[i.cls], reached);
  }
  return draws;
}

/// The draws that use up `budget`, by bisection over the level; jumping classes share their jump.
std::vector<double> by_bisection(Case const& c, double budget) {
  double low = -10, high = 30;
  if (total(c.gpus, at_level(c, high, true)) <= budget) return at_level(c, high, true);
  if (total(c.gpus, at_level(c, low, false)) >= budget) return at_level(c, low, false);
  for (int i = 0; i < 200; ++i) {
    auto const middle = low + (high - low) / 2;
    (total(c.gpus, at_level(c, middle, true)) <= budget ? low : high) = middle;
  }
  auto const from = at_level(c, low, true), to = at_level(c, high, true);
  auto const below = total(c.gpus, from), above = total(c.gpus, to);
  auto draws = from;
  for (std::size_t k = 0; k < draws.size(); ++k)
    if (above > below) draws[k] += (budget - below) / (above - below) * (to[k] - from[k]);
  return draws;
}

FillPlan plan_of(std::vector<double> const& floors, std::vector<FillItem> items) { return FillPlan(floors, std::move(items)); }

}  // namespace

TEST_CASE("one class takes the whole budget") {
  auto const plan = plan_of({100}, {{0, 0, 1, 100, 400}});
  std::vector<double> const gpus{8};
  // 8 GPUs, 2000 W: 250 W each, half-way from 100 to 400.
  auto const at = plan.locate(gpus, 2000);
  CHECK(at.theta == 0.5);
  CHECK(at.power_w == 2000);
  CHECK(plan.draws_at(at) == std::vector<double>{250});
}

TEST_CASE("classes that rise over the same stretch share by GPUs") {
  auto const plan = plan_of({100, 100}, {{0, 0, 1, 100, 300}, {1, 0, 1, 100, 300}});
  std::vector<double> const gpus{2, 6};
  // 8 GPUs, 1200 W: 150 W each whatever the class.
  CHECK(plan.draws_at(plan.locate(gpus, 1200)) == std::vector<double>{150, 150});
}

TEST_CASE("a class that starts later waits: two stretches by hand") {
  // Class 0 rises on [0, 2] from 100 to 300, class 1 on [1, 2] from 100 to 200. One GPU each: totals 200, 300 (level 1), 500 (level 2).
  auto const plan = plan_of({100, 100}, {{0, 0, 2, 100, 300}, {1, 1, 2, 100, 200}});
  std::vector<double> const gpus{1, 1};
  REQUIRE(plan.knots() == 3);
  CHECK(plan.draws_at(plan.locate(gpus, 250)) == std::vector<double>{150, 100});
  CHECK(plan.draws_at(plan.locate(gpus, 300)) == std::vector<double>{200, 100});
  CHECK(plan.draws_at(plan.locate(gpus, 400)) == std::vector<double>{250, 150});  // half-way from 300 to 500
}

TEST_CASE("classes that jump at one level rise together, in proportion to their jumps") {
  // Both jump at level 1: 100 -> 200 and 100 -> 300. Half of the 300 W jump: 150 and 200.
  auto const plan = plan_of({100, 100}, {{0, 1, 1, 100, 200}, {1, 1, 1, 100, 300}});
  std::vector<double> const gpus{1, 1};
  CHECK(plan.draws_at(plan.locate(gpus, 350)) == std::vector<double>{150, 200});
}

TEST_CASE("a jump inside another class's rise stands still for it") {
  // Class 0 rises on [0, 2] 100 -> 300, class 1 jumps at 1 from 100 to 200. Totals: 200, then 300 at level 1, 400 after the jump, 500 at level 2.
  auto const plan = plan_of({100, 100}, {{0, 0, 2, 100, 300}, {1, 1, 1, 100, 200}});
  std::vector<double> const gpus{1, 1};
  REQUIRE(plan.knots() == 4);
  CHECK(plan.draws_at(plan.locate(gpus, 350)) == std::vector<double>{200, 150});
  CHECK(plan.draws_at(plan.locate(gpus, 450)) == std::vector<double>{250, 200});
}

TEST_CASE("no items: the floors are all there is") {
  auto const plan = plan_of({100, 200}, {});
  std::vector<double> const gpus{1, 2};
  REQUIRE(plan.knots() == 1);
  CHECK(plan.locate(gpus, 400).shortfall_w == 100);  // floors take 100 + 2 x 200 = 500 W
  CHECK(plan.locate(gpus, 400).power_w == 500);
  CHECK(plan.locate(gpus, 500).shortfall_w == 0);
  CHECK(plan.locate(gpus, 600).power_w == 500);
  CHECK(plan.draws_at(plan.locate(gpus, 600)) == std::vector<double>{100, 200});
}

TEST_CASE("a budget under the floors is the floors and the exact shortfall; one above everything is everyone uncapped") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    auto const c = random_case(seed);
    auto const plan = plan_of(c.floors, c.items);
    auto const floors = plan.locate(c.gpus, -1).power_w, all = plan.locate(c.gpus, 1e9).power_w;
    auto const under = plan.locate(c.gpus, floors - 3);
    REQUIRE(plan.draws_at(under) == c.floors);
    REQUIRE(under.power_w == floors);
    REQUIRE(under.shortfall_w == floors - (floors - 3));
    auto const full = plan.draws_at(plan.locate(c.gpus, all));
    for (std::size_t k = 0; k < full.size(); ++k)
      if (c.gpus[k] > 0) REQUIRE(full[k] == Approx(c.tops[k]).epsilon(1e-14));  // classes without jobs may stand anywhere
    REQUIRE(plan.locate(c.gpus, all + 1).power_w == all);
    REQUIRE(plan.draws_at(plan.locate(c.gpus, 1e9)) == c.tops);
    REQUIRE(total(c.gpus, c.floors) == Approx(floors));
  }
}

TEST_CASE("the place found is the one that bisection over the level finds (3000 random plans)") {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    auto const c = random_case(seed);
    auto const plan = plan_of(c.floors, c.items);
    auto const low = total(c.gpus, c.floors), high = total(c.gpus, c.tops);
    Draws draws(seed + 1000000);
    for (int i = 0; i < 5; ++i) {
      auto const budget = low + draws.between(-0.1, 1.1) * (high - low);
      CAPTURE(budget);
      auto const at = plan.locate(c.gpus, budget);
      auto const found = plan.draws_at(at), expected = by_bisection(c, budget);
      for (std::size_t k = 0; k < found.size(); ++k)
        if (c.gpus[k] > 0) REQUIRE(found[k] == Approx(expected[k]).epsilon(1e-8));  // bisection stops at neighbouring levels
      REQUIRE(total(c.gpus, found) == Approx(at.power_w).epsilon(1e-12));
      REQUIRE(at.power_w <= std::max(budget, low) * (1 + 1e-14));
      if (budget >= low && budget <= high) REQUIRE(at.power_w == Approx(budget).epsilon(1e-12));
      for (std::size_t k = 0; k < found.size(); ++k) REQUIRE((found[k] >= c.floors[k] && found[k] <= c.tops[k]));
    }
  }
}

TEST_CASE("knots are distinct, start at the floors, end at the tops and never fall") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    auto const c = random_case(seed);
    auto const plan = plan_of(c.floors, c.items);
    REQUIRE(plan.classes() == c.floors.size());
    REQUIRE(plan.stride() % lane_count == 0);
    REQUIRE(std::ranges::equal(plan.draws(0), c.floors));
    REQUIRE(std::ranges::equal(plan.draws(plan.knots() - 1), c.tops));
    for (std::size_t k = 0; k + 1 < plan.knots(); ++k)
      for (std::size_t cls = 0; cls < plan.classes(); ++cls) REQUIRE(plan.draws(k)[cls] <= plan.draws(k + 1)[cls]);
  }
}

TEST_CASE("the order of the items changes no bit") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    auto const c = random_case(seed);
    auto const plan = plan_of(c.floors, c.items);
    // Classes are turned round; the items of one class stay in their order.
    auto turned = c.items;
    std::ranges::stable_sort(turned, std::greater{}, &FillItem::cls);
    auto const other = plan_of(c.floors, turned);
    REQUIRE(plan.knots() == other.knots());
    for (std::size_t k = 0; k < plan.knots(); ++k) REQUIRE(testing::same_bits(plan.draws(k), other.draws(k)));
  }
}

TEST_CASE("crossings are the places strictly between knots where a class passes a bend, each once") {
  // Two stretches: 100 -> 200 (class 1 still), then 200 -> 300 while class 1 goes 100 -> 200.
  auto const plan = plan_of({100, 100}, {{0, 0, 2, 100, 300}, {1, 1, 2, 100, 200}});
  std::vector<std::vector<double>> const bends{{100, 150, 200, 250, 300}, {100, 150, 175, 200}};
  auto const places = plan.crossings(bends);
  // 150 W of class 0 at half of the first stretch; in the second 250 and 150 W coincide at a half, and 175 W is at three quarters.
  CHECK(places == std::vector<FillPlan::Place>{{0, 0.5}, {1, 0.5}, {1, 0.75}});
}

TEST_CASE("crossings equal a scan of every class, stretch and bend") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    auto const c = random_case(seed);
    auto const plan = plan_of(c.floors, c.items);
    Draws draws(seed + 77);
    std::vector<std::vector<double>> bends(c.floors.size());
    for (std::size_t k = 0; k < bends.size(); ++k) {
      for (auto n = draws.below(6); n-- > 0;) bends[k].push_back(draws.chance(0.2) ? c.floors[k] : draws.between(c.floors[k] - 20, c.tops[k] + 20));
      std::ranges::sort(bends[k]);
    }
    std::set<FillPlan::Place> expected;
    for (std::size_t k = 0; k + 1 < plan.knots(); ++k)
      for (std::size_t cls = 0; cls < bends.size(); ++cls)
        for (double bend : bends[cls]) {
          auto const from = plan.draws(k)[cls], to = plan.draws(k + 1)[cls];
          if (bend > from && bend < to && (bend - from) / (to - from) < 1 && (bend - from) / (to - from) > 0) expected.insert({k, (bend - from) / (to - from)});
        }
    auto const places = plan.crossings(bends);
    REQUIRE(std::vector<FillPlan::Place>(expected.begin(), expected.end()) == places);
  }
}
