#include "wattfill/workload/mix_spec.hpp"

#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("a mix left as it is made has the paper's size: 500 mixes of 100 jobs, drawn by arrivals, with nothing agreed") {
  MixSpec const mix;
  CHECK(mix.replications == 500);
  CHECK(mix.jobs == 100);
  CHECK(mix.weighting == Weighting::arrivals);
  CHECK(JobTerms{}.min_speed == 0);
  CHECK(JobTerms{}.priority == 1);
}

TEST_CASE("terms are ordered by priority, then by agreed speed") {
  CHECK(JobTerms{1, 0.5} < JobTerms{2, 0});
  CHECK(JobTerms{1, 0} < JobTerms{1, 0.5});
  CHECK(JobTerms{1, 0.5} == JobTerms{1, 0.5});
}
