#include "wattfill/training/partition_search.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "support/catch.hpp"
#include "support/skip.hpp"
#include "training/projects.hpp"
#include "wattfill/scenario/partition_table.hpp"

using namespace wattfill;
using namespace wattfill::test;

namespace {

/// A made-up partition: more SMs make communication shorter and computation longer; slower clocks save energy.
PartitionTable made_up() {
  PartitionTable table;
  for (double clock : {1400.0, 1200.0, 1000.0})
    for (int start : {-1, 0, 1, 2})
      for (int sms = 1; sms <= 20; ++sms) {
        auto const compute = 2e-3 * 1400 / clock / (1 - sms / 108.0), comm = 4e-3 / sms + 1e-4 * start * start;
        auto const time = start < 0 ? compute + comm : std::max(compute, comm + 0.2e-3 * start) + 0.1e-3;
        table.settings.push_back({clock, start, start < 0 ? -1 : 2, sms, 512});
        table.costs.push_back({time, 85 * time + 0.4 * (clock / 1400) * (clock / 1400) + 0.002 * sms});
      }
  return table;
}

}  // namespace

TEST_CASE("A search measures each setting at most once, as many as its size says, and the same ones for the same seed") {
  auto const table = made_up();
  std::size_t calls = 0;
  auto const measure = [&](std::size_t i) {
    ++calls;
    return table.costs[i];
  };
  SearchSpec const spec{.size = {12, 2, 10}, .seed = 3, .stop_early = false};
  auto const order = search_partition(table.settings, measure, spec);
  CHECK(order.size() == 32);
  CHECK(calls == 32);
  CHECK(std::set<std::size_t>(order.begin(), order.end()).size() == 32);
  CHECK(search_partition(table.settings, measure, spec) == order);
  auto const all = search_partition(table.settings, measure, {.size = {200, 9, 16}, .seed = 1, .stop_early = false});
  CHECK(all.size() == table.settings.size());
  CHECK(area_found(table.costs, all).back() == Approx(1));
  auto const few = search_partition(table.settings, measure, {.size = {120, 9, 16}, .seed = 1});
  CHECK(few.size() < table.settings.size());  // it stops where nothing is gained
}

TEST_CASE("Random orders are permutations, and shares found never fall") {
  auto order = random_order(50, 4);
  CHECK(order != random_order(50, 5));
  auto const table = made_up();
  auto const found = area_found(table.costs, random_order(table.costs.size(), 1));
  CHECK(std::ranges::is_sorted(found));
  CHECK(found.back() == Approx(1));
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == i);
}

TEST_CASE("Searches need settings and sizes") {
  CHECK(message([] { search_partition({}, {}, {}); }) == "a partition without settings; give at least one");
  CHECK(message([] { search_partition({{}}, {}, {.size = {0, 1, 1}}); }) == "a search needs a start of at least 1 and batches of at least 1");
}

TEST_CASE("On the measured table the search finds 99 % of the area with a tenth of the measurements, and more than random search") {
  auto const folder = testing::public_data("kareus-osdi26/partition_tp2_bs4_seq4096");
  if (!testing::is_there(folder)) return;
  PartitionTable table;
  read_partition_table(folder / "clock_default.csv", 1410, 2, table);
  read_partition_table(folder / "clock_1200mhz.csv", 1200, 2, table);
  REQUIRE(table.settings.size() == 876);
  std::vector<double> searched, random;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    auto const order = search_partition(table.settings, [&](std::size_t i) { return table.costs[i]; }, {.seed = seed, .stop_early = false});
    REQUIRE(order.size() == 84);
    searched.push_back(area_found(table.costs, order).back());
    random.push_back(area_found(table.costs, random_order(table.costs.size(), seed))[83]);
  }
  std::ranges::sort(searched);
  std::ranges::sort(random);
  CHECK(searched[2] >= 0.99);
  CHECK(searched[2] > random[2]);
}
