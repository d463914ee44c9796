#include "wattfill/training/baselines.hpp"


#include "support/catch.hpp"
#include "training/jobs.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

TEST_CASE("ZeusGlobal: one limit for all, each computation as fast as its draw allows") {
  // Stage 0's points draw 100, 60 and 40 W; so do stage 1's, which take half as long.
  JobModel const model(small_job());
  auto const plans = zeus_global(model);
  REQUIRE(plans.size() == 3);
  CHECK(plans[0].plan.time_s == 6.5);
  CHECK(plans[0].setting == 100);
  CHECK(plans[1].plan.time_s == 9.75);  // 60 W: all at 1.5 times
  CHECK(plans[1].setting == 75);
  CHECK(plans[2].plan.time_s == 13);
  CHECK(plans[2].setting == 50);
}

TEST_CASE("ZeusPerStage: lighter stages have the lowest limit at which their forward passes are no longer than the heaviest's") {
  JobModel const model(small_job());
  auto const plans = zeus_per_stage(model);
  REQUIRE(!plans.empty());
  // Stage 0 at top clock: forward 1 s. Stage 1's lowest limit with at most 1 s is that of its slowest point, 2 x 0.5 s.
  auto const& first = plans[0].plan;
  CHECK(first.choice[0].knob == 1000);
  CHECK(first.choice[4].knob == 500);
  CHECK(first.time_s > 6.5);  // the lighter stage's backward passes follow its forward passes down, and they are critical
  for (auto const& b : plans) CHECK(b.name == "zeus-per-stage");
}

TEST_CASE("With power limits as knobs, a limit is a knob") {
  auto job = small_job();
  job.knob = Knob::cap_w;
  for (auto& p : job.profiles)
    for (auto& point : p.points) point.knob /= 10;  // 100, 75, 50 W
  auto const plans = zeus_global(JobModel(job));
  REQUIRE(plans.size() == 3);
  CHECK(plans[1].setting == 75);
  CHECK(plans[1].plan.choice[0].knob == 75);
}

TEST_CASE("EnvPipe: the envelope stays at top clock and the rest no slower than it needs to be") {
  JobModel const model(small_job(4, 1));
  auto const plan = envpipe(model), top = top_clock(model);
  auto const& instructions = model.pipeline().instructions;
  for (std::size_t i = 0; i < instructions.size(); ++i)
    if (instructions[i].virtual_stage == 1 || (instructions[i].direction == Direction::forward && instructions[i].microbatch == 0))
      CHECK(plan.choice[i].knob == 1000);
  CHECK(plan.time_s <= top.time_s * 1.0000001);
  CHECK(plan.energy_j <= top.energy_j);
}

TEST_CASE("GPT-3 175B: EnvPipe's published intrinsic savings") {
  struct Row {
    bool a100;
    int microbatches;
    double time_s, energy_j;  ///< published, in the profile's own scale (a tenth; one of 8 GPUs)
  };
  for (auto const& row : {Row{true, 12, 2.8365, 503607.718 / 80}, Row{true, 24, 4.6712, 968871.603 / 80}, Row{false, 12, 7.5463, 893872.742 / 80}}) {
    auto job = gpt3(row.microbatches, row.a100);
    if (!job) return;
    JobModel const model(*job);
    auto const plan = envpipe(model);
    CHECK(plan.time_s == Approx(row.time_s).epsilon(2e-5));
    CHECK(plan.time_s == Approx(top_clock(model).time_s).epsilon(1e-12));
    CHECK(plan.energy_j == Approx(row.energy_j).epsilon(6e-3));  // their way of raising clocks is not told in full
  }
}
