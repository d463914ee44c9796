#include "wattfill/study/communicator.hpp"

#include <stdexcept>
#include <thread>

#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("pieces of a rank arrive in the order they were sent, and all hear what rank 0 says") {
  auto ranks = make_dry_run(3);
  std::vector<std::string> heard(3);
  std::vector<std::uint64_t> came;
  {
    std::vector<std::jthread> threads;
    for (unsigned r = 0; r < 3; ++r)
      threads.emplace_back([&, r] {
        auto& me = *ranks[r];
        heard[r] = me.broadcast(r == 0 ? "first" : "") + me.broadcast(r == 0 ? "second" : "");
        for (std::uint64_t i = 0; r > 0 && i < 500; ++i) me.send(1000 * r + i, std::to_string(i));
        for (std::uint64_t i = 0; r == 0 && i < 1000; ++i) {
          auto const [piece, payload] = me.receive(i % 2 == 0 ? 2 : 1);
          came.push_back(payload == std::to_string(piece % 1000) ? piece : 0);
        }
        me.finish();
      });
  }
  CHECK(heard == std::vector<std::string>(3, "firstsecond"));
  REQUIRE(came.size() == 1000);
  for (std::uint64_t i = 0; i < 1000; ++i) REQUIRE(came[i] == (i % 2 == 0 ? 2000 : 1000) + i / 2);
}

TEST_CASE("a rank that fails stops the one that waits for it, and rank 0 those that send to it") {
  auto ranks = make_dry_run(2);
  ranks[1].reset();
  CHECK_THROWS_WITH(ranks[0]->receive(1), "rank 1 has failed");
  auto others = make_dry_run(2);
  others[0].reset();
  CHECK_THROWS_WITH(others[1]->broadcast(""), "rank 0 has failed");
  CHECK_THROWS_WITH(
      [&] {
        for (int i = 0; i < 1000; ++i) others[1]->send(1, "");
      }(),
      "rank 0 has failed");
}

TEST_CASE("a process alone is rank 0 of one") {
  auto const alone = make_local_communicator();
  CHECK(alone->rank() == 0);
  CHECK(alone->ranks() == 1);
  CHECK(alone->broadcast("said") == "said");
}
