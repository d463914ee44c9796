#include "wattfill/scenario/fields.hpp"

#include <limits>

#include "scenario/mistakes.hpp"

TEST_CASE("NaN, infinities and values at the ends of a range are told apart from those outside") {
  using namespace wattfill;
  auto const read = [](Format<double> const& format, std::string const& text) {
    Reading reading;
    double value = -7;
    format.read(Node::plain(text), "k", value, reading);
    return reading.problems.empty() ? value : -99;
  };
  CHECK(read(number(between(0, 1)), "0") == 0);
  CHECK(read(number(between(0, 1)), "1") == 1);
  CHECK(read(number(above(0)), "0") == -99);
  CHECK(read(number(from(0)), "+1e3") == 1000);
  CHECK(read(number({}), "-.inf") == -99);
  CHECK(read(number({}), ".NaN") == -99);
  CHECK(read(number({}), "1e999") == -99);
}

TEST_CASE("Whole numbers keep all their digits up to 2^64 - 1, and 1e6 is one") {
  using namespace wattfill;
  Reading reading;
  std::uint64_t value = 0;
  auto const format = integer(0, std::numeric_limits<std::uint64_t>::max());
  format.read(Node::plain("18446744073709551615"), "k", value, reading);
  CHECK(value == 18446744073709551615U);
  format.read(Node::plain("1e6"), "k", value, reading);
  CHECK(value == 1'000'000U);
  CHECK(reading.problems.empty());
  format.read(Node::plain("18446744073709551616"), "k", value, reading);
  CHECK(reading.problems.size() == 1);
}

TEST_CASE("At most twenty mistakes are shown, and how many more there are") {
  std::string text = scenario_with({});
  for (int i = 0; i < 25; ++i) text += "zzz" + std::to_string(i) + ": 1\n";
  CHECK_THAT(refusal_of(text), Catch::Contains("zzz19") && !Catch::Contains("zzz20") && Catch::EndsWith("and 5 more mistakes"));
}

TEST_CASE("Every mistake in a value is named with its place, its key, what is wrong and what to do") {
  check_mistakes({
      {"an unknown key with a near one",
       {{9, "referense: x"}},
       {},
       "s.yaml:9:1: referense: unknown key (it would have no effect); did you mean \"reference\"?"},
      {"an unknown key with none near",
       {{6, "  m: {draw: {all: {where: {gpu_count: 8}}}}"}},
       {},
       "s.yaml:6:28: mixes.m.draw.all.where.gpu_count: unknown key (it would have no effect); the keys here are: library, "
       "curve, architecture, task, model"},
      {"a number that is text",
       {{7, "cuts: [0, ten]"}},
       {},
       "s.yaml:7:11: cuts.1: \"ten\" is not a number (0 to 1 is needed); write digits, '.' for decimals, and no unit"},
      {"a number with its unit",
       {{7, "limits_w: [12 kW]"}},
       {},
       "s.yaml:7:12: limits_w.0: \"12 kW\" is not a number (above 0 is needed); write digits, '.' for decimals, and no unit"},
      {"a number in quotes",
       {{7, "cuts: [\"0.1\"]"}},
       {},
       "s.yaml:7:8: cuts.0: \"0.1\" is not a number (0 to 1 is needed); write digits, '.' for decimals, and no unit"},
      {"a number that is a list", {{9, "seed: [1]"}}, {}, "s.yaml:9:7: seed: a list stands where a number belongs (0 or more is needed); write one number"},
      {"a text that is a number",
       {{8, "policies: [{name: proportional, label: 5}]"}},
       {},
       "s.yaml:8:40: policies.0.label: 5 is not text (it reads as a number or truth value); write it in quotes: \"5\""},
      {"a list that is a value", {{4, "curves: small"}}, {}, "s.yaml:4:9: curves: \"small\" stands where a list belongs; write [first, second, ...]"},
      {"a map that is a value", {{5, "mixes: 3"}, {6, ""}}, {}, "s.yaml:5:8: mixes: \"3\" stands where a map belongs; write key: value pairs"},
      {"a truth value that is none",
       {{9, "outer: {clusters: yes}"}},
       {},
       "s.yaml:9:19: outer.clusters: \"yes\" is neither true nor false; write true or false"},
      {"an empty value", {{9, "seed:"}}, {}, "s.yaml:10:1: seed: nothing stands where a number belongs (0 or more is needed); write one number"},
      {"NaN", {{7, "cuts: [.nan]"}}, {}, "s.yaml:7:8: cuts.0: \".nan\" is not a finite number (one such value poisons every result); write a finite one"},
      {"infinity",
       {{7, "limits_w: [.inf]"}},
       {},
       "s.yaml:7:12: limits_w.0: \".inf\" is not a finite number (one such value poisons every result); write a finite one"},
      {"a number out of range", {{7, "cuts: [0, 1.5]"}}, {}, "s.yaml:7:11: cuts.1: 1.5 is out of range (0 to 1 is possible); choose a value in the range"},
      {"a negative whole number", {{9, "seed: -1"}}, {}, "s.yaml:9:7: seed: -1 is out of range (0 or more is possible); choose a value in the range"},
      {"a fraction for a whole number",
       {{6, "  m: {jobs: 2.5, draw: {all: {where: {}}}}"}},
       {},
       "s.yaml:6:13: mixes.m.jobs: 2.5 is not a whole number (1 to 1000000 is possible); round it"},
      {"no replications",
       {{6, "  m: {replications: 0, draw: {all: {where: {}}}}"}},
       {},
       "s.yaml:6:21: mixes.m.replications: 0 is out of range (1 to 1000000000 is possible); choose a value in the range"},
      {"no jobs",
       {{6, "  m: {jobs: 0, draw: {all: {where: {}}}}"}},
       {},
       "s.yaml:6:13: mixes.m.jobs: 0 is out of range (1 to 1000000 is possible); choose a value in the range"},
      {"a missing key",
       {{2, ""}},
       {},
       "s.yaml:1:1: name: this key is missing (name of the study; results go to out/NAME); add it, for example name: "
       "production-mix"},
      {"a name that is a path",
       {{2, "name: ../t"}},
       {},
       "s.yaml:2:7: name: \"../t\" cannot be part of a file name; use at most 100 letters, digits, '.', '_' and '-', not "
       "starting with '.'"},
      {"several mistakes at once",
       {{2, "name: 5"}, {7, "cuts: [2]"}, {9, "sed: 1"}},
       {},
       "s.yaml:2:7: name: 5 is not text (it reads as a number or truth value); write it in quotes: \"5\"\ns.yaml:7:8: cuts.0: 2 "
       "is out of range (0 to 1 is possible); choose a value in the range\ns.yaml:9:1: sed: unknown key (it would have no "
       "effect); did you mean \"seed\"?"},
  });
}
