#include "wattfill/fill/budget_search.hpp"

#include "support/catch.hpp"
#include "support/draws.hpp"

using namespace wattfill;

TEST_CASE("a budget is found between the knots around it, wherever the search starts (5000 random stairs)") {
  testing::Draws draws(2);
  for (int i = 0; i < 5000; ++i) {
    std::vector<double> powers{draws.between(0, 100)};
    auto const knots = 1 + draws.below(draws.chance(0.2) ? 200 : 6);
    while (powers.size() < knots) powers.push_back(powers.back() + (draws.chance(0.2) ? 0 : draws.between(0, 50)));
    auto const budget = draws.chance(0.2) ? powers[draws.below(knots)] : draws.between(-10, powers.back() + 10);
    CAPTURE(i, knots, budget);
    auto const at = search_budget([&](std::size_t k) { return powers[k]; }, knots, budget, draws.below(knots));
    if (powers.back() < budget) {
      REQUIRE((at.knot == knots - 1 && at.theta == 0 && at.power_w == powers.back() && at.shortfall_w == 0));
    } else if (!(powers.front() < budget)) {
      REQUIRE((at.knot == 0 && at.theta == 0 && at.power_w == powers.front() && at.shortfall_w == powers.front() - budget));
    } else {
      REQUIRE((powers[at.knot] < budget && budget <= powers[at.knot + 1]));
      REQUIRE((at.theta == (budget - powers[at.knot]) / (powers[at.knot + 1] - powers[at.knot]) && at.power_w == budget && at.shortfall_w == 0));
    }
  }
}
