#include "wattfill/core/version.hpp"

#include <algorithm>

#include "support/catch.hpp"

TEST_CASE("the program knows its version, three numbers, and the revision of its sources") {
  CHECK(std::ranges::count(wattfill::version, '.') == 2);
  CHECK(wattfill::version.find_first_not_of("0123456789.") == std::string_view::npos);
  CHECK_FALSE(wattfill::revision.empty());
}
