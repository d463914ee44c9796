#include "wattfill/scenario/snapshot_builder.hpp"

#include <algorithm>

#include "scenario/mistakes.hpp"

TEST_CASE("Cuts are computed, never accumulated, and include their end") {
  wattfill::Reading reading;
  wattfill::CutsFields cuts;
  cuts.to = 0.4;
  cuts.step = 0.05;
  auto const values = wattfill::build_cuts(cuts, reading);
  REQUIRE(values.size() == 9);
  CHECK(values == std::vector<double>{0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4});  // as one would write them
  cuts.to = 0.39;
  CHECK(wattfill::build_cuts(cuts, reading).size() == 8);
  cuts.from = cuts.to = 0.3;
  CHECK(wattfill::build_cuts(cuts, reading) == std::vector<double>{0.3});
  CHECK(reading.problems.empty());
}

TEST_CASE("An ensemble member's libraries stand for those of the first, in filters and in listed jobs") {
  auto const scenario = wattfill::load_scenario(test_data() / "good.yaml");
  auto const& study = scenario.points.at(0).study;
  REQUIRE(study.outer.members.size() == 2);
  CHECK(study.outer.draws == 10);
  CHECK(study.outer.members[0].at(1).draw.at(1).curves.at(0)->id() == "small/dense-b");
  CHECK(study.outer.members[1].at(1).draw.at(1).curves.at(0)->id() == "twin/dense-b");
  CHECK(study.outer.members[1].at(2).listed.at(0).curve->id() == "twin/dense-a");
  CHECK(study.outer.members[1].at(0).draw.at(0).curves.size() == 3);
}

TEST_CASE("A rule's label, its switched-off PFI and the reference reach the study") {
  auto const scenario = wattfill::load_scenario(test_data() / "good.yaml", {{"reference=off", "seed=0"}, {}, {}});
  auto const& study = scenario.points.at(0).study;
  CHECK(study.policies.at(2).shown() == "off");
  CHECK(study.policies.at(2).pfi_off);
  CHECK(study.policies.at(1).factor == 3);
  CHECK(study.policies.at(1).where.architecture == "moe");
  CHECK(study.reference == "off");
  CHECK(study.seed == 0);
}

TEST_CASE("Targets, labels, figures and ensembles that make no study are refused with place and key") {
  check_mistakes({
      {"two equal labels",
       {{8, "policies: [oracle, oracle]"}},
       {},
       "s.yaml:8:20: policies.1: two policies are called \"oracle\" in the results (their rows could not be told apart); give "
       "one another label"},
      {"pfi-paper without tokens",
       {{8, "policies: [pfi-paper]"}},
       {},
       "s.yaml:8:12: policies.0: pfi-paper needs objective tokens (equation 2 of the paper divides by tokens and does not "
       "scale with job size); use pfi-aware under other objectives"},
      {"an unknown reference",
       {{9, "reference: proportionl"}},
       {},
       "s.yaml:9:12: reference: \"proportionl\" is neither a policy of this study nor a rule (differences to it would stay "
       "empty); did you mean \"proportional\"?"},
      {"cuts and limits",
       {{9, "limits_w: [1000]"}},
       {},
       "s.yaml:9:11: limits_w: cuts and limits_w are both given (each says the power targets); remove one, for example with "
       "--set cuts=null"},
      {"neither cuts nor limits",
       {{7, ""}},
       {},
       "s.yaml:1:1: cuts: cuts is missing, and limits_w too (a study needs power targets); add one, for example cuts: {from: "
       "0.0, to: 0.4, step: 0.05}"},
      {"cuts that descend",
       {{7, "cuts: [0.2, 0.1]"}},
       {},
       "s.yaml:7:7: cuts: the cuts are not in ascending order, or one is there twice (rows are told apart by their cut); sort "
       "them"},
      {"cuts from above to", {{7, "cuts: {from: 0.2, to: 0.1, step: 0.1}"}}, {}, "s.yaml:7:7: cuts: to is below from (there would be no cut); exchange them"},
      {"a step of zero",
       {{7, "cuts: {from: 0, to: 0.1, step: 0}"}},
       {},
       "s.yaml:7:32: cuts.step: 0 is out of range (above 0 up to 1 is possible); choose a value in the range"},
      {"a tiny step", {{7, "cuts: {from: 0, to: 1, step: 1e-9}"}}, {}, "s.yaml:7:7: cuts: the step gives more than 10000 cuts; make it larger"},
      {"a limit twice", {{7, "limits_w: [1000, 1000]"}}, {}, "s.yaml:7:11: limits_w: a limit is there twice (its rows could not be told apart); remove one"},
      {"predicted without a feature",
       {{9, "pfi: {source: predicted}"}},
       {},
       "s.yaml:9:6: pfi.feature: this key is missing (source predicted fits PFI on a telemetry feature); add it, for example "
       "feature: dram_activity_x_memory_copy"},
      {"a feature without predicted",
       {{9, "pfi: {feature: dram}"}},
       {},
       "s.yaml:9:6: pfi.feature: a feature has no meaning here (only source predicted uses one); remove it or set source: "
       "predicted"},
      {"a feature that curves lack",
       {{9, "pfi: {source: predicted, feature: dramm}"}},
       {},
       "s.yaml:9:35: pfi.feature: the telemetry feature \"dramm\" is missing for small/dense-a, small/dense-b, small/moe-a "
       "(they can be drawn); did you mean \"dram\"?"},
      {"tokens of unknown unit",
       {{4, "curves: [small, unitless]"}, {9, "objective: tokens"}},
       {},
       "s.yaml:9:12: objective: tokens cannot be used: the speed unit is not stated by unitless (speeds of unknown units "
       "cannot be added); use another objective or leave these libraries out"},
      {"flops that a curve lacks",
       {{9, "objective: flops"}},
       {},
       "s.yaml:9:12: objective: flops cannot be used: flop_per_unit is missing for small/moe-a; add it to the library or use "
       "another objective"},
      {"an outer bootstrap of nothing",
       {{9, "outer: {clusters: false}"}},
       {},
       "s.yaml:9:8: outer: neither clusters nor libraries are drawn (every repetition would be the same); set clusters: true, "
       "give libraries, or remove outer"},
      {"ensemble members of different length",
       {{9, "outer: {libraries: [[small], [twin, small]]}"}},
       {},
       "s.yaml:9:31: outer.libraries.1: this member has 2 libraries, the first has 1 (the k-th stands for the k-th); give as "
       "many"},
      {"a first member that is not the study's",
       {{9, "outer: {libraries: [[twin], [small]]}"}},
       {},
       "s.yaml:9:22: outer.libraries.0.0: \"twin\" is not among curves (the first member must be what the study itself uses); "
       "add it to curves"},
      {"an ensemble member that lacks a curve",
       {{6, "  m: {draw: {a: {where: {library: small, task: pretraining}}}}"}, {9, "outer: {libraries: [[small], [unitless]]}"}},
       {},
       "s.yaml:6:48: mixes.m.draw.a.where.task: with the libraries of outer.libraries.1: no curve of this scenario has "
       "\"pretraining\"; there are: inference"},
  });
}

TEST_CASE("A facility, limits of racks and a capacity study reach the study; what contradicts itself is refused") {
  auto const load = [](std::vector<std::string> sets) {
    return wattfill::load_scenario(test_data() / "good.yaml", {std::move(sets), {}, {}}).points.at(0).study;
  };
  auto const metered = load({"facility={node: h200, fixed_w: 0, off: [ups]}", "limit.at=meter"});
  REQUIRE(metered.metering);
  CHECK(metered.metering->limit_at == wattfill::LimitAt::meter);
  CHECK(metered.metering->facility.host_idle_w == wattfill::h200_node().host_idle_w);
  CHECK(metered.metering->facility.fixed_w == 0);
  CHECK(metered.metering->facility.ups.quadratic == 0);
  auto const racked = load({"limit={rack_w: 5000, rack_gpus: 8, rack_loss: 0.1}"});
  REQUIRE(racked.racks);
  CHECK(racked.racks->limit_w == 5000);
  CHECK(racked.racks->gpus == 8);
  CHECK(racked.racks->loss == 0.1);
  auto const fed = load({"limit={rack_w: 5000, pdu_w: 9000, pdu_racks: 2, pdu_loss: 0.01}"});
  CHECK(fed.racks->pdu_limit_w == 9000);
  CHECK(fed.racks->pdu_racks == 2);
  CHECK(fed.racks->pdu_loss == 0.01);
  CHECK(racked.racks->pdu_racks == 0);
  auto const both = load({"limit={rack_w: 5000, at: meter}", "facility={node: h200}"});
  CHECK((both.racks && both.metering));
  auto const promised = load({"capacity={speed_loss: [0.2], confidence: [0.9]}", "cuts=[0, 0.1]"});
  REQUIRE(promised.capacity);
  CHECK(promised.capacity->speed_losses == std::vector<double>{0.2});
  check_mistakes({
      {"a limit at a meter that is not there",
       {{9, "limit: {at: meter}"}},
       {},
       "s.yaml:9:13: limit.at: a limit there needs a facility (nothing says what stands between it and the GPUs); add facility: {node: h200}"},
      {"PDUs without racks",
       {{9, "limit: {pdu_w: 100}"}},
       {},
       "s.yaml:9:16: limit.pdu_w: a limit of PDUs needs racks (jobs are placed in racks, which PDUs feed); add rack_w"},
      {"a capacity study without cut 0",
       {{7, "cuts: [0.1, 0.2]"}, {9, "capacity: {}"}},
       {},
       "s.yaml:9:11: capacity: a capacity study needs ascending cuts from 0 on (reductions are read between neighbouring cuts); give, for example, cuts: "
       "{from: 0, to: "
       "0.5, step: 0.01}"},
      {"a capacity study of too many mixes",
       {{6, "  m: {replications: 1000001, draw: {all: {where: {}}}}"}, {9, "capacity: {}"}},
       {},
       "s.yaml:6:3: mixes.m: a capacity study keeps what every mix can give, at most 1000000 of them; take fewer replications"},
      {"a loss of everything",
       {{9, "capacity: {speed_loss: [1]}"}},
       {},
       "s.yaml:9:25: capacity.speed_loss.0: 1 is out of range (above 0 up to 0.999999 is possible); choose a value in the range"},
  });
}

TEST_CASE("Silicon that differs gives every library's jobs other curves under the same names, once for each way of varying") {
  auto const load = [](std::vector<std::string> sets) { return wattfill::load_scenario(test_data() / "good.yaml", {std::move(sets), {}, {}}); };
  auto const curve_of = [](wattfill::SweepPoint const& point) {
    auto const& mix = point.study.mixes.at(0);
    return mix.draw.empty() ? mix.listed.at(0).curve : mix.draw.at(0).curves.at(0);
  };
  auto const plain = load({}), varied = load({"silicon={spread: 0.1, waiting_w: 20}", "sweep={silicon.held_by: [caps, clocks], seed: [1, 2]}"});
  auto const* const before = curve_of(plain.points.at(0));
  REQUIRE(varied.points.size() == 4);
  REQUIRE(varied.varied.size() == 2 * varied.libraries.size());
  CHECK(curve_of(varied.points[0]) == curve_of(varied.points[1]));
  CHECK(curve_of(varied.points[0]) != curve_of(varied.points[2]));
  for (auto const& point : varied.points) {
    auto const* const after = curve_of(point);
    CHECK(after->id() == before->id());
    wattfill::SiliconSpec const spec{0.1, &point < &varied.points[2] ? wattfill::HeldBy::caps : wattfill::HeldBy::clocks, 20};
    auto const expected = wattfill::with_silicon(before->curve, before->gpus, varied.libraries.at(0)->tdp_w, spec);
    CHECK(std::ranges::equal(after->curve.points(), expected.points()));
    CHECK_FALSE(std::ranges::equal(after->curve.points(), before->curve.points()));
  }
  check_mistakes({{"more spread than there can be",
                   {{9, "silicon: {spread: 0.6}"}},
                   {},
                   "s.yaml:9:19: silicon.spread: 0.6 is out of range (0 to 0.5 is possible); choose a value in the range"}});
}
