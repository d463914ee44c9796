#include "sim/job_order.hpp"

#include <set>

#include "support/catch.hpp"
#include "support/draws.hpp"

using wattfill::JobOrder;

TEST_CASE("Both ends of the order are those of a sorted set, over random pushes, pops and compactings of every kind") {
  wattfill::testing::Draws draws(3);
  for (int pattern = 0; pattern < 6; ++pattern) {
    JobOrder order;
    std::set<std::pair<double, std::uint32_t>> sorted;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
      auto const grow = sorted.empty() || draws.chance(i % 8000 < 5000 ? 0.8 : 0.2);
      if (grow) {
        auto const x = static_cast<double>(i);  // many equal ones; ever later; ever earlier; at both ends; anywhere; by turns at the ends
        auto const finish = pattern == 0   ? static_cast<double>(draws.below(300))
                            : pattern == 1 ? x
                            : pattern == 2 ? -x
                            : pattern == 3 ? (draws.chance(0.5) ? sorted.empty() ? 0 : sorted.begin()->first - 0.5
                                              : sorted.empty()  ? 1
                                                                : sorted.rbegin()->first + 0.5)
                            : pattern == 4 ? draws.share()
                                           : (i % 2 == 0 ? 1 : -1) * draws.share() * x;
        order.push({finish, i, i % 7});
        sorted.insert({finish, i});
      } else if (draws.chance(pattern == 1 ? 0.9 : 0.5)) {
        order.pop_min();
        sorted.erase(sorted.begin());
      } else {
        order.pop_max();
        sorted.erase(std::prev(sorted.end()));
      }
      if (i % 5000 == 4000) {
        order.compact([](JobOrder::Entry const& e) { return e.stamp == 3; });
        std::erase_if(sorted, [](auto const& e) { return e.second % 7 == 3; });
      }
      REQUIRE(order.size() == sorted.size());
      if (sorted.empty()) continue;
      REQUIRE(order.min().job == sorted.begin()->second);
      REQUIRE(order.max().job == sorted.rbegin()->second);
    }
  }
}

TEST_CASE("Entries that are all alike, as a job leaves that comes back at the same reading, are sorted instead of halved") {
  JobOrder order;
  for (std::uint32_t i = 0; i < 1000; ++i) order.push({1, 7, i});
  for (std::uint32_t i = 0; i < 300; ++i) order.push({static_cast<double>(i % 3), 8 + i, 0});
  double last = -1;
  for (std::size_t i = 0; i < 1300; ++i) {
    CHECK(order.min().finish >= last);
    last = order.min().finish;
    order.pop_min();
  }
  CHECK(order.empty());
}

TEST_CASE("Compacting drops the void entries and keeps the others in order") {
  JobOrder order;
  for (std::uint32_t i = 0; i < 100; ++i) order.push({static_cast<double>((i * 37) % 100), i, i % 3});
  order.compact([](JobOrder::Entry const& e) { return e.stamp == 0; });
  CHECK(order.size() == 66);
  double last = -1;
  while (!order.empty()) {
    CHECK(order.min().stamp != 0);
    CHECK(order.min().finish > last);
    last = order.min().finish;
    order.pop_min();
  }
}
