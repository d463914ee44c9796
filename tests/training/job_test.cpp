#include "wattfill/training/job.hpp"

#include "support/catch.hpp"
#include "training/jobs.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

TEST_CASE("A job's model: kinds, options, frontier and the top-clock baseline") {
  JobModel const model(small_job());
  CHECK(model.kinds() == 4);
  CHECK(model.pipeline().instructions.size() == 8);
  CHECK(model.options(0).front().knob == 500);  // longest first
  CHECK(model.options(0).front().steps == 8);
  CHECK(model.stage_profile(model.kind_of(7)).virtual_stage == 1);
  auto const energy = model.iteration();
  CHECK(energy.frontier().certificate().holds());
  // F0 F0 of stage 1, B0, then B of stage 0 twice: 1 + 0.5 + 1 + 2 + 2; the second microbatch hides behind.
  CHECK(energy.shortest_s() == 6.5);
  // Busy 2 x (100 + 200 + 50 + 100) J; waiting 10 W x (2 x 6.5 - 2 x 4.5) s.
  CHECK(model.fastest_energy_j(6.5) == 900 + 10 * 4);
}

TEST_CASE("A job without a stage's profile, or with an impossible one, is refused with its place") {
  auto job = small_job();
  job.profiles.pop_back();
  CHECK(message([&] { JobModel{job}; }) == "stage 1, backward has no cost model (its duration and energy are unknown); give one for every stage and direction");
  job = small_job();
  job.profiles[1].points[0].energy_j = -1;
  CHECK(message([&] { JobModel{job}; }) == "stage 0, backward: at knob 1000 an energy of -1 J; energies are not negative");
}

TEST_CASE("Profiles of stages that the pipeline does not have are left out") {
  auto job = small_job();
  job.pipeline.stages = 1;
  CHECK(JobModel(job).kinds() == 2);
}

TEST_CASE("Early recomputation: what would have been part of the backward pass comes before the gradient does") {
  auto job = small_job();
  job.pipeline.schedule = PipelineSpec::Schedule::early_recomputation;
  job.profiles.push_back({0, Direction::recomputation, {{1000, 1, 100}}});
  job.profiles[1].points = {{1000, 1, 100}};  // stage 0's backward pass without it: 1 s
  // F 0-1 on stage 0, 1-1.5 and 1.5-2.5 on stage 1; stage 0 recomputes at 2-3 and goes back at 3-4, 4-5 and 5-6: 6 s instead of 6.5 s.
  CHECK(JobModel(job).iteration().shortest_s() == 6);
}
