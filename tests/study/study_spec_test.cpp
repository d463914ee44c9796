#include "wattfill/study/study_spec.hpp"

#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("a study left as it is made refers to proportional, maximises GPU-weighted speed and has no outer bootstrap") {
  StudySpec const study;
  CHECK(study.reference == "proportional");
  CHECK(study.objective == Objective::gpu_speed);
  CHECK(study.outer.draws == 0);
  CHECK_FALSE(study.outer.clusters);
}
