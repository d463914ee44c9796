#include "wattfill/study/pieces.hpp"

#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/study/study.hpp"

using namespace wattfill;

TEST_CASE("parts are ranges of pieces of about equal weight, and a derived piece goes with the one before it") {
  PieceTable table;
  table.add({{4, 10}, {1, 0, true}, {0, 99}});
  table.add({{2, 20}});
  CHECK(table.count() == 7);
  CHECK(table.groups() == 2);
  std::vector<std::uint64_t> halves, all;
  for (std::uint64_t piece = 0; piece < 7; ++piece) {
    halves.push_back(table.part_of(piece, 2));
    all.push_back(table.part_of(piece, 8));
    CHECK(table.part_of(piece, 1) == 0);
    CHECK(table.is_derived(piece) == (piece == 4));
    CHECK(table.own_group_of(piece) == (piece < 5 ? 0 : 1));
  }
  CHECK(halves == std::vector<std::uint64_t>{0, 0, 0, 0, 0, 1, 1});
  CHECK(all == std::vector<std::uint64_t>{0, 1, 2, 3, 3, 4, 6});
}

TEST_CASE("a mix of up to 1024 replications is one piece, and a large one many with the gaps closed apart") {
  testing::Draws draws(21);
  auto const curves = testing::random_curves(draws, 3);
  auto study = testing::small_study(curves);
  auto const counts = [&](std::uint64_t replications) {
    study.mixes.resize(1);
    study.mixes[0].replications = replications;
    std::vector<std::uint64_t> all;
    for (auto const& group : pieces_of(study))
      if (group.count > 0) all.push_back(group.count);
    return all;
  };
  CHECK(counts(1) == std::vector<std::uint64_t>{1});
  CHECK(counts(1024) == std::vector<std::uint64_t>{1});
  CHECK(counts(1025) == std::vector<std::uint64_t>{2, 1});
  CHECK(counts(1'000'000) == std::vector<std::uint64_t>{977, 1});
  study.outer.draws = 30;
  CHECK(counts(10) == std::vector<std::uint64_t>{1, 30});
}

TEST_CASE("a payload that does not fit is refused with what to do") {
  CHECK_THROWS_WITH(refuse_payload(12),
                    "piece 12 that was kept does not hold what this study makes (it was made by another program or changed by hand); "
                    "remove it and run again");
}
