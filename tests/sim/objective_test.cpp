#include "wattfill/sim/objective.hpp"

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/curves.hpp"

using namespace wattfill;
using namespace wattfill::testing;

TEST_CASE("objectives have names, and only those") {
  for (auto o : {Objective::gpu_speed, Objective::tokens, Objective::normalized, Objective::weighted, Objective::flops})
    CHECK(objective_from(to_string(o)) == o);
  CHECK(objective_from("gpu-speed") == std::nullopt);
  CHECK(objective_from("") == std::nullopt);
}

TEST_CASE("what a job at full speed is worth, and which objectives are means") {
  auto curve = make_curve("a", {{100, 10}, {400, 40}}, 8);
  JobClass const cls{&curve, {2.5, 0}};
  CHECK(job_value(cls, Objective::gpu_speed) == 8);
  CHECK(job_value(cls, Objective::tokens) == 40);
  CHECK(job_value(cls, Objective::normalized) == 1);
  CHECK(job_value(cls, Objective::weighted) == 2.5);
  CHECK(contains(refusal([&] { job_value(cls, Objective::flops); }), "lab/a does not state its FLOP"));
  curve.flop_per_unit = 1e9;
  CHECK(job_value(cls, Objective::flops) == 4e10);
  CHECK(is_mean(Objective::gpu_speed));
  CHECK(is_mean(Objective::weighted));
  CHECK_FALSE(is_mean(Objective::tokens));
  CHECK_FALSE(is_mean(Objective::flops));
}

TEST_CASE("speeds add up only where all classes state the same unit") {
  auto a = make_curve("a", {{100, 10}, {400, 40}}), b = a;
  std::vector<JobClass> const classes{{&a, {}}, {&b, {}}};
  CHECK(comparable_speeds(classes));
  b.speed_unit = "samples/s";
  CHECK_FALSE(comparable_speeds(classes));
  a.speed_unit = b.speed_unit = "";
  CHECK_FALSE(comparable_speeds(classes));
}
