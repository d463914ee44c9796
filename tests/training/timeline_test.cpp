#include "wattfill/training/timeline.hpp"

#include "support/catch.hpp"
#include "training/jobs.hpp"
#include "wattfill/training/baselines.hpp"

using namespace wattfill;
using namespace wattfill::test;

TEST_CASE("Power over an iteration is a step function whose integral is the plan's energy") {
  auto job = small_job(3);
  job.gpus_per_rank = 4;
  JobModel const model(job);
  auto const plan = with_slack_used(model, top_clock(model), 0);
  auto const steps = power_over_time(model, plan);
  CHECK(steps.front() == PowerStep{0, 4 * (100 + 10)});  // stage 0 works, stage 1 waits
  double energy = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto const end = i + 1 < steps.size() ? steps[i + 1].time_s : plan.time_s;
    REQUIRE(end >= steps[i].time_s);
    energy += steps[i].power_w * (end - steps[i].time_s);
  }
  CHECK(energy == Approx(4 * plan.energy_j));
}

TEST_CASE("The Gantt has a row per instruction, and the power file ends with the iteration") {
  JobModel const model(small_job(1));
  auto const plan = top_clock(model);
  CHECK(timeline_csv(model, plan) ==
        "rank,start_s,end_s,instruction,virtual_stage,microbatch,knob,power_w,energy_j\n"
        "0,0,1,forward,0,0,1000,100,100\n"
        "0,2.5,4.5,backward,0,0,1000,100,200\n"
        "1,1,1.5,forward,1,0,1000,100,50\n"
        "1,1.5,2.5,backward,1,0,1000,100,100\n");
  CHECK(power_csv(model, plan) == "time_s,power_w\n0,110\n4.5,20\n");
}

TEST_CASE("A schedule lists instructions and knobs rank by rank in their order") {
  JobModel const model(small_job(1));
  CHECK(schedule_json(model, top_clock(model)) ==
        "{\n  \"knob\": \"clock_mhz\",\n  \"iteration_time_s\": 4.5,\n  \"ranks\": {\n"
        "    \"0\": [[\"forward\", 1000], [\"backward\", 1000]],\n"
        "    \"1\": [[\"forward\", 1000], [\"backward\", 1000]]\n  }\n}\n");
}
