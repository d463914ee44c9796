#include "wattfill/scenario/snapshot_builder.hpp"

#include "scenario/mistakes.hpp"

TEST_CASE("A mix means the curves of its filters, the terms of its jobs and the flex tiers' minimum speeds") {
  auto const scenario = wattfill::load_scenario(test_data() / "good.yaml");
  auto const& study = scenario.points.at(0).study;
  REQUIRE(study.mixes.size() == 3);
  CHECK(study.mixes[0].replications == 20);
  CHECK(study.mixes[0].draw.at(0).curves.size() == 3);
  CHECK(study.mixes[1].weighting == wattfill::Weighting::in_service);
  CHECK(study.mixes[1].draw.at(0).curves.size() == 2);
  CHECK(study.mixes[1].draw.at(0).terms.min_speed == 0.7);  // flex-2, as the scenario redefines it, before the group's 0.8
  CHECK(study.mixes[1].draw.at(1).terms.min_speed == 0.3);
  CHECK(study.mixes[2].replications == 1);
  CHECK(study.mixes[2].jobs == 4);
  CHECK(study.mixes[2].listed.at(0).curve == scenario.libraries.at(0)->find("dense-a"));
  CHECK(study.mixes[2].listed.at(1).terms.priority == 2);
}

TEST_CASE("Every mistake in a mix is named with its place and key") {
  check_mistakes({
      {"an empty mix",
       {{6, "  m: {jobs: 3}"}},
       {},
       "s.yaml:6:3: mixes.m: the mix is empty (it needs jobs); add draw, for example {all: {where: {}}}, or explicit"},
      {"no mix",
       {{5, "mixes: {}"}, {6, ""}},
       {},
       "s.yaml:1:1: mixes: there is no mix (a study needs jobs); add one, for example random: {draw: {all: {where: {}}}}"},
      {"an empty draw",
       {{6, "  m: {draw: {}}"}},
       {},
       "s.yaml:6:6: mixes.m.draw: there is no group in it (a mix needs jobs); add one, for example all: {where: {}}"},
      {"an empty list of jobs",
       {{6, "  m: {explicit: []}"}},
       {},
       "s.yaml:6:17: mixes.m.explicit: the list is empty (there would be nothing to do); give at least 1"},
      {"draw and explicit",
       {{6, "  m: {draw: {a: {where: {}}}, explicit: [{curve: small/dense-a}]}"}},
       {},
       "s.yaml:6:3: mixes.m: draw and explicit are both given (a mix is made in one way); remove one"},
      {"replications of an explicit mix",
       {{6, "  m: {replications: 5, explicit: [{curve: small/dense-a}]}"}},
       {},
       "s.yaml:6:6: mixes.m.replications: has no meaning beside explicit (there is no randomness: one replication of the jobs "
       "listed); remove it"},
      {"weights all zero",
       {{6, "  m: {draw: {a: {where: {}, weight: 0}}}"}},
       {},
       "s.yaml:6:6: mixes.m.draw: all weights are zero (nothing could be drawn); give at least one group a positive weight"},
      {"a negative weight",
       {{6, "  m: {draw: {a: {where: {}, weight: -1}}}"}},
       {},
       "s.yaml:6:37: mixes.m.draw.a.weight: -1 is out of range (0 to 1e+12 is possible); choose a value in the range"},
      {"an unknown task",
       {{6, "  m: {draw: {a: {where: {task: finetuning}}}}"}},
       {},
       "s.yaml:6:32: mixes.m.draw.a.where.task: no curve of this scenario has \"finetuning\"; did you mean \"fine-tuning\"?"},
      {"an unknown library in a filter",
       {{6, "  m: {draw: {a: {where: {library: h200}}}}"}},
       {},
       "s.yaml:6:35: mixes.m.draw.a.where.library: no curve of this scenario has \"h200\"; there are: small"},
      {"a filter that matches nothing",
       {{6, "  m: {draw: {a: {where: {architecture: moe, task: pretraining}}}}"}},
       {},
       "s.yaml:6:25: mixes.m.draw.a.where: no curve matches all of it (nothing could be drawn from it); remove or change a key"},
      {"an unknown curve",
       {{6, "  m: {explicit: [{curve: small/dense-c}]}"}},
       {},
       "s.yaml:6:26: mixes.m.explicit.0.curve: there is no curve \"dense-c\" in the library small; did you mean \"dense-a\"?"},
      {"a curve without library",
       {{6, "  m: {explicit: [{curve: dense-a}]}"}},
       {},
       "s.yaml:6:26: mixes.m.explicit.0.curve: \"dense-a\" names no library; write LIBRARY/CURVE, with one of the libraries "
       "small"},
      {"a curve of a library that is not loaded",
       {{6, "  m: {explicit: [{curve: twin/dense-a}]}"}},
       {},
       "s.yaml:6:26: mixes.m.explicit.0.curve: \"twin\" is not among the libraries of this scenario; there are: small"},
      {"too many jobs",
       {{6, "  m: {explicit: [{curve: small/dense-a, count: 1000000}, {curve: small/dense-b}]}"}},
       {},
       "s.yaml:6:6: mixes.m.explicit: 1000001 jobs are too many (1 to 1000000 are possible); lower the counts"},
      {"min_speed and flex_tier",
       {{6, "  m: {draw: {a: {where: {}, min_speed: 0.5, flex_tier: 1}}}"}},
       {},
       "s.yaml:6:56: mixes.m.draw.a.flex_tier: min_speed and flex_tier are both given (each says the agreed minimum speed); "
       "remove one"},
      {"min_speed of no group",
       {{9, "min_speed: {al: 0.5}"}},
       {},
       "s.yaml:9:13: min_speed.al: there is no group or flex tier of this name (nothing would be held to it); did you mean "
       "\"all\"?"},
      {"in-service without durations",
       {{6, "  m: {weighting: in-service, draw: {a: {where: {}}}}"}},
       {},
       "s.yaml:6:37: mixes.m.draw.a: mean_duration_s is missing (weighting in-service multiplies by it); add it to every "
       "group, or use weighting arrivals"},
      {"a name with a dot",
       {{6, "  m.x: {draw: {a: {where: {}}}}"}},
       {},
       "s.yaml:6:3: mixes.m.x: the name \"m.x\" cannot be used (names stand in key paths and in columns); leave out dots, "
       "commas and quotes"},
  });
}
