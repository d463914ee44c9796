#include "wattfill/sim/timeline_metrics.hpp"

#include <set>

#include "support/catch.hpp"

TEST_CASE("Every metric of a timeline has a column of its own and a meaning") {
  std::set<std::string_view> columns;
  for (auto const& info : wattfill::metric_table()) {
    CHECK_FALSE(info.meaning.empty());
    columns.insert(info.column);
  }
  CHECK(columns.size() == wattfill::metric::count);
  CHECK(wattfill::metric_table()[wattfill::metric::wait_p99_s].column == "wait_p99_s");
  CHECK(wattfill::metric_table()[wattfill::metric::events].column == "events");
}
