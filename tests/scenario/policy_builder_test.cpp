#include "wattfill/scenario/snapshot_builder.hpp"

#include "scenario/mistakes.hpp"

TEST_CASE("Options of a rule reach its spec") {
  using namespace wattfill;
  PolicyFields fields;
  fields.name = "telemetry";
  fields.feature = Placed<std::string>{"dram", {}};
  fields.per = TelemetryPer::job;
  Reading reading;
  auto const spec = build_policy(fields, reading);
  CHECK(reading.problems.empty());
  CHECK(spec.feature == "dram");
  CHECK(spec.per_job);
  CHECK(spec.shown() == "telemetry");
}

TEST_CASE("A rule is refused with the options it does not have or lacks") {
  check_mistakes({
      {"an unknown policy",
       {{8, "policies: [proportionall]"}},
       {},
       "s.yaml:8:12: policies.0: \"proportionall\" is not known here; did you mean \"proportional\"?"},
      {"an unknown policy far from all",
       {{8, "policies: [{name: xyz}]"}},
       {},
       "s.yaml:8:19: policies.0.name: \"xyz\" is not known here; write one of: equal-split, proportional, class-weighted, "
       "telemetry, pfi-paper, pfi-aware, pfi-ranked, headroom-fair, quadratic, curve-aware, expression, oracle"},
      {"a formula that does not parse",
       {{8, "policies: [{name: expression, curtail: \"p_max *\"}]"}},
       {},
       "s.yaml:8:12: policies.0.curtail: \"p_max *\": Unexpected end of expression at position 8 (the formula is a job's share "
       "of the cut); it may use p_max, p_min, t_max, pfi, a, b, gpus, value, priority, telemetry features, + - * / ^, "
       "comparisons, ?: and sqrt, abs, exp, log, min, max"},
      {"a foreign option",
       {{8, "policies: [{name: oracle, factor: 3}]"}},
       {},
       "s.yaml:8:12: policies.0.factor: oracle has no option factor (it would have no effect); remove it"},
      {"an option of another rule",
       {{8, "policies: [{name: telemetry, feature: dram, factor: 3}]"}},
       {},
       "s.yaml:8:12: policies.0.factor: telemetry has no option factor (it would have no effect); remove it, the options of "
       "telemetry are: feature, per"},
      {"a missing option",
       {{8, "policies: [class-weighted]"}},
       {},
       "s.yaml:8:12: policies.0.where: this option is missing (class-weighted cannot do without it); add it"},
      {"pfi on pfi-ranked",
       {{8, "policies: [{name: pfi-ranked, pfi: 1}]"}},
       {},
       "s.yaml:8:12: policies.0.pfi: pfi-ranked has no pfi option (with all PFI equal there is no rank left); remove it, or "
       "use pfi-aware with pfi: 1"},
      {"pfi other than 1",
       {{8, "policies: [{name: pfi-aware, pfi: 2}]"}},
       {},
       "s.yaml:8:12: policies.0.pfi: 2 is not possible (a common factor of all PFI cancels, so only 1 has a meaning: PFI "
       "switched off); write 1 or remove it"},
  });
}
