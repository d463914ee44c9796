#include "wattfill/sim/scores.hpp"

#include <set>

#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("every score has a column of its own, in the order of the indices, with a meaning") {
  std::set<std::string_view> names;
  for (auto const& info : score_table()) {
    CHECK(names.insert(info.column).second);
    CHECK_FALSE(info.meaning.empty());
  }
  CHECK(score_table()[score::target_w].column == "target_w");
  CHECK(score_table()[score::objective].column == "objective_value");
  CHECK(score_table()[score::headroom_w].column == "headroom_w");
}
