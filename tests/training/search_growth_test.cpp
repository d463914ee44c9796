#include "wattfill/training/search_growth.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

namespace {

/// Twenty settings of two clocks; the fast ones cost more.
PartitionTable twenty() {
  PartitionTable table;
  for (double clock : {1400.0, 1000.0})
    for (int sms = 1; sms <= 10; ++sms) {
      auto const time = (2e-3 + 4e-3 / sms) * 1400 / clock;
      table.settings.push_back({clock, -1, -1, sms, 512});
      table.costs.push_back({time, 85 * time + 0.4 * clock / 1400 + 0.01 * sms});
    }
  return table;
}

}  // namespace

TEST_CASE("How much a search finds: one row for its start and each batch, as long as there is something to measure, beside as many at random") {
  auto const table = twenty();
  SearchSpec const spec{.size = {4, 5, 6}, .seed = 7};
  auto const rows = search_growth(table, spec, 5);
  REQUIRE(rows.size() == 4);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].measurements == std::vector<std::size_t>{4, 10, 16, 20}[i]);
    for (auto const& side : {rows[i].search, rows[i].random}) {
      CHECK(side.low <= side.median);
      CHECK(side.median <= side.high);
    }
    if (i > 0) CHECK(rows[i].search.median >= rows[i - 1].search.median);
  }
  CHECK(rows.back().search.low == Approx(1));
  CHECK(rows.back().random.low == Approx(1));
}

TEST_CASE("Bands of one seed are what that seed finds; those of three have the second as median") {
  auto const table = twenty();
  SearchSpec spec{.size = {4, 1, 6}, .seed = 7, .stop_early = false};
  auto const found = [&](std::uint64_t seed) {
    spec.seed = seed;
    return area_found(table.costs, search_partition(
                                       table.settings, [&](std::size_t i) { return table.costs[i]; }, spec))[9];
  };
  auto const one = search_growth(table, {.size = {4, 1, 6}, .seed = 7}, 1).back();
  CHECK(one.search.low == found(7));
  CHECK(one.search.high == found(7));
  CHECK(one.random.median == area_found(table.costs, random_order(20, 7))[9]);
  std::vector<double> three{found(7), found(8), found(9)};
  std::ranges::sort(three);
  auto const band = search_growth(table, {.size = {4, 1, 6}, .seed = 7}, 3).back().search;
  CHECK(band.low == three[0]);
  CHECK(band.median == three[1]);
  CHECK(band.high == three[2]);
  CHECK(message([&] { search_growth(table, {}, 0); }) == "a search is compared over seeds; give at least 1");
  CHECK(search_growth_rows("mlp", {{4, {0.25, 0.5, 0.75}, {0, 0.25, 1}}}) == "mlp,4,0.25,0.5,0.75,0,0.25,1\n");
}
