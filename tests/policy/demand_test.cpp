#include "wattfill/policy/demand.hpp"

#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("a demand's watts are those of the whole job, and it can be cut only above its floor") {
  Demand d;
  d.gpus = 8;
  d.uncapped_w = 700;
  d.floor_w = 200;
  CHECK(d.job_uncapped_w() == 5600);
  CHECK(d.adjustable());
  d.floor_w = 700;
  CHECK_FALSE(d.adjustable());
}
