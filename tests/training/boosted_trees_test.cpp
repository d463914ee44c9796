#include "wattfill/training/boosted_trees.hpp"

#include "support/catch.hpp"
#include "training/projects.hpp"

using namespace wattfill;

TEST_CASE("One tree of depth 1 is the best single split, its leaves shrunk by lambda and rate") {
  std::vector<SettingRow> const rows{{0, 1}, {1, 0}, {2, 1}, {3, 0}};
  std::vector<double> const values{0, 0, 10, 10};
  BoostedTrees const tree(rows, values, {}, {.rounds = 1, .depth = 1, .rate = 0.5, .lambda = 2});
  // Mean 5; residuals -5, -5, 5, 5; split between 1 and 2; leaf = 0.5 x (+-10) / (2 + 2).
  CHECK(tree.predict({0, 0}) == 5 - 1.25);
  CHECK(tree.predict({3, 1}) == 5 + 1.25);
}

TEST_CASE("Many rounds meet the values of a function of the features; rows without weight do not count") {
  std::vector<SettingRow> rows;
  std::vector<double> values, weights;
  for (std::uint8_t x = 0; x < 6; ++x)
    for (std::uint8_t y = 0; y < 6; ++y) {
      rows.push_back({x, y});
      values.push_back(x * x + 3.0 * y + (x > 2 && y > 2 ? 5 : 0));
      weights.push_back(1);
    }
  BoostedTrees const trees(rows, values);
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(trees.predict(rows[i]) == Approx(values[i]).margin(0.05));
  rows.push_back({0, 0});
  values.push_back(1e6);
  weights.push_back(0);
  BoostedTrees const weighted(rows, values, weights, {});
  CHECK(weighted.predict({0, 0}) == Approx(0).margin(0.05));
  CHECK_THROWS_AS(BoostedTrees({}, {}), InputError);
}
