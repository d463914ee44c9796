#include "wattfill/scenario/scenario.hpp"

#include "scenario/mistakes.hpp"

TEST_CASE("A sweep is the cross product of its lists, the last changing fastest, each with its own study") {
  wattfill::LoadOptions options;
  options.sets = {"sweep.mixes.random.jobs=[1, 2, 3]", "sweep.objective=[gpu_speed, normalized]"};
  options.seed = 99;
  auto const scenario = wattfill::load_scenario(test_data() / "good.yaml", options);
  CHECK(scenario.sweep_columns == std::vector<std::string>{"mixes.random.jobs", "objective"});
  REQUIRE(scenario.points.size() == 6);
  CHECK(scenario.points[1].values == std::vector<std::string>{"1", "normalized"});
  CHECK(scenario.points[4].values == std::vector<std::string>{"3", "gpu_speed"});
  CHECK(scenario.points[4].study.mixes.at(0).jobs == 3);
  CHECK(scenario.points[5].study.objective == wattfill::Objective::normalized);
  CHECK(scenario.points[5].study.seed == 99);
  CHECK(scenario.files.size() == 5);  // the scenario, two libraries of two files
}

TEST_CASE("The resolved echo holds every default and loads to the same scenario") {
  auto const first = wattfill::load_scenario(test_data() / "good.yaml");
  CHECK_THAT(first.resolved, Catch::Contains("objective: gpu_speed") && Catch::Contains("weighting: arrivals"));
  TemporaryFolder const folder;
  auto const file = folder.write("again.yaml", first.resolved);
  for (auto const* name : {"small.yaml", "small.csv", "twin.yaml", "twin.csv"}) std::filesystem::copy_file(test_data() / name, folder.path() / name);
  CHECK(wattfill::load_scenario(file).resolved == first.resolved);
}

TEST_CASE("A list that was not given is left out of the echo where an empty one would be refused, and written where it would not") {
  using namespace wattfill;
  CHECK(list_of(text(), 1).echo({}).kind == Node::Kind::null);
  CHECK(to_flow(list_of(text()).echo({})) == "[]");
  CHECK(to_flow(list_of(text(), 1).echo({"a"})) == "[a]");
  TemporaryFolder const folder;
  for (auto const* name : {"small.yaml", "small.csv"}) std::filesystem::copy_file(test_data() / name, folder.path() / name);
  // Libraries of an outer bootstrap over clusters alone are such a list.
  auto const first = load_scenario(folder.write("s.yaml", scenario_with({{4, "curves: [small.yaml]"}, {9, "outer: {draws: 3, clusters: true}"}})));
  CHECK(load_scenario(folder.write("again.yaml", first.resolved)).resolved == first.resolved);
}

TEST_CASE("Too many sweep points are refused before any is made") {
  std::string values = "0";
  for (int i = 1; i < 400; ++i) values += ", " + std::to_string(i);
  CHECK_THAT(refusal_of(scenario_with({{9, "sweep: {seed: [" + values + "], pfi.grid: [" + values + "]}"}})),
             Catch::EndsWith("more than 100000 combinations; shorten the lists"));
}

TEST_CASE("A scenario that is not there, or is a folder, is the user's to mend") {
  CHECK_THROWS_WITH(wattfill::load_scenario("no/such.yaml"), "no/such.yaml: there is no such file; check the path");
  CHECK_THROWS_WITH(wattfill::load_scenario(test_data()), Catch::EndsWith("is a folder; name a file in it"));
}

TEST_CASE("What concerns the scenario as a whole is refused with place and key") {
  check_mistakes({
      {"a swept name", {{9, "sweep: {name: [a, b]}"}}, {}, "s.yaml:9:9: sweep.name: name is one for the whole study and cannot be swept; remove it from sweep"},
      {"a sweep over nothing", {{9, "sweep: {seed: []}"}}, {}, "s.yaml:9:15: sweep.seed: the list is empty (there would be nothing to do); give at least 1"},
      {"a wrong sweep value",
       {{9, "sweep:"}, {10, "  mixes.m.jobs: [5, none]"}},
       {},
       "s.yaml:10:21: mixes.m.jobs: \"none\" is not a number (1 to 1000000 is needed); write digits, '.' for decimals, and no "
       "unit"},
      {"a newer version",
       {{1, "wattfill: 2"}, {9, "new_key: 1"}},
       {},
       "s.yaml:1:11: wattfill: this scenario has format version 2, this program reads versions up to 1 (newer keys may mean "
       "other things); use a newer wattfill"},
      {"an unknown kind", {{3, "kind: snapshots"}}, {}, "s.yaml:3:7: kind: \"snapshots\" is not known here; did you mean \"snapshot\"?"},
  });
}
