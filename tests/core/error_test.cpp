#include "wattfill/core/error.hpp"

#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("a problem prints as FILE:LINE:COLUMN: key: what, and leaves out what is not known") {
  CHECK(to_string({{"a.yaml", 3, 7}, "mixes.m.jobs", "must be positive"}) == "a.yaml:3:7: mixes.m.jobs: must be positive");
  CHECK(to_string({{"a.yaml", 3, 0}, "", "wrong"}) == "a.yaml:3: wrong");
  CHECK(to_string({{"a.yaml", 0, 0}, "", "missing"}) == "a.yaml: missing");
  CHECK(to_string({{}, "seed", "wrong"}) == "seed: wrong");
}

TEST_CASE("more than twenty mistakes are cut, and the cut is said") {
  std::vector<Problem> problems(25, Problem{{}, "k", "wrong"});
  InputError const error(problems);
  REQUIRE(error.problems().size() == 21);
  CHECK(error.problems().back().what == "and 5 more mistakes");
}
