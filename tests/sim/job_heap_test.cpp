#include "sim/job_heap.hpp"

#include <set>

#include "support/catch.hpp"
#include "support/draws.hpp"

using wattfill::JobHeap;

TEST_CASE("Both ends of the heap are those of a sorted set, over random pushes and pops") {
  wattfill::testing::Draws draws(3);
  JobHeap heap;
  std::set<std::pair<double, std::uint32_t>> sorted;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    auto const grow = sorted.empty() || draws.chance(i % 4000 < 2000 ? 0.6 : 0.4);
    if (grow) {
      auto const finish = static_cast<double>(draws.below(300));  // many equal ones
      heap.push({finish, i, 0});
      sorted.insert({finish, i});
    } else if (draws.chance(0.5)) {
      heap.pop_min();
      sorted.erase(sorted.begin());
    } else {
      heap.pop_max();
      sorted.erase(std::prev(sorted.end()));
    }
    REQUIRE(heap.size() == sorted.size());
    if (sorted.empty()) continue;
    REQUIRE(heap.min().job == sorted.begin()->second);
    REQUIRE(heap.max().job == sorted.rbegin()->second);
  }
}

TEST_CASE("Compacting drops the void entries and keeps the others in order") {
  JobHeap heap;
  for (std::uint32_t i = 0; i < 100; ++i) heap.push({static_cast<double>((i * 37) % 100), i, i % 3});
  heap.compact([](JobHeap::Entry const& e) { return e.stamp == 0; });
  CHECK(heap.size() == 66);
  double last = -1;
  while (!heap.empty()) {
    CHECK(heap.min().stamp != 0);
    CHECK(heap.min().finish > last);
    last = heap.min().finish;
    heap.pop_min();
  }
}
