#include "wattfill/scenario/scenario.hpp"

#include <algorithm>

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

TEST_CASE("Samples spread points over ranges of keys, each with every combination of the sweep, and tell them apart by a column") {
  wattfill::LoadOptions options;
  options.sets = {"sweep={objective: [gpu_speed, normalized]}",
                  "samples={method: sobol, points: 3, over: {mixes.random.jobs: [1, 4], pfi.rmse: [0, 0.4]}, whole: [mixes.random.jobs]}", "pfi.source=noisy"};
  auto const scenario = wattfill::load_scenario(test_data() / "good.yaml", options);
  CHECK(scenario.sweep_columns == std::vector<std::string>{"objective", "sample", "mixes.random.jobs", "pfi.rmse"});
  REQUIRE(scenario.points.size() == 6);
  CHECK(scenario.points[0].values == std::vector<std::string>{"gpu_speed", "0", "3", "0.2"});   // (0.5, 0.5)
  CHECK(scenario.points[4].values == std::vector<std::string>{"normalized", "1", "4", "0.1"});  // (0.75, 0.25)
  CHECK(scenario.points[4].study.mixes.at(0).jobs == 4);
  CHECK(scenario.points[5].values == std::vector<std::string>{"normalized", "2", "2", "0.30000000000000004"});
  options.sets[1] = "samples={method: latin-hypercube, points: 3, over: {pfi.rmse: [0, 0.3]}}";
  std::vector<int> thirds;
  for (auto const& point : wattfill::load_scenario(test_data() / "good.yaml", options).points)
    thirds.push_back(static_cast<int>(std::stod(point.values[2]) * 10));
  std::sort(thirds.begin(), thirds.end());
  CHECK(thirds == std::vector<int>{0, 0, 1, 1, 2, 2});
}

TEST_CASE("Samples that are none are refused by their exact message") {
  auto const refused = [](std::string const& samples, std::string const& more = "sweep={}") {
    wattfill::LoadOptions options;
    options.sets = {"samples=" + samples, more};
    try {
      wattfill::load_scenario(test_data() / "good.yaml", options);
    } catch (wattfill::InputError const& error) {
      std::string const text = error.what();
      return text.substr(text.find(": samples") == std::string::npos ? 0 : text.find(": samples") + 2);
    }
    return std::string("nothing");
  };
  CHECK(refused("{points: 3, over: {pfi.rmse: [1, 1]}}") == "samples.over.pfi.rmse: [1, 1] is no range; write the lower end first");
  CHECK(refused("{points: 3, over: {mixes.random.jobs: [1, 2.5]}, whole: [mixes.random.jobs]}") ==
        "samples.over.mixes.random.jobs: this key takes whole numbers (samples.whole); give the range whole ends, of at most 1e15");
  CHECK(refused("{points: 3, over: {seed: [1, 2]}, whole: [sed]}") == "samples.whole.0: sed is not among the keys of samples.over; name one of them");
  CHECK(refused("{points: 3, over: {name: [1, 2]}}") == "samples.over.name: name is one for the whole study and cannot be swept; remove it from samples");
  CHECK_THAT(refused("{points: 3, over: {seed: [1, 2]}, whole: [seed]}", "sweep={seed: [4, 5]}"), Catch::Contains("lies inside the swept key seed"));
  std::string many = "{points: 2, over: {";
  for (int k = 0; k < 3668; ++k) many += "k" + std::to_string(k) + ": [0, 1], ";
  CHECK_THAT(refused(many + "}}"),
             Catch::Contains("samples.over: 3668 keys are named, Sobol's sequence has 3667 coordinates; name fewer, or take method: latin-hypercube"));
}

TEST_CASE("A rule to stop that is none is refused by its exact message") {
  auto const refused = [](std::vector<std::string> const& sets) {
    wattfill::LoadOptions options;
    options.sets = sets;
    try {
      wattfill::load_scenario(test_data() / "good.yaml", options);
    } catch (wattfill::InputError const& error) {
      std::string const text = error.what();
      auto const at = text.find(": stop");
      return at == std::string::npos ? text : text.substr(at + 2);
    }
    return std::string("nothing");
  };
  CHECK(refused({"stop={score: speed_gpu, half_width: 0.001}"}) == "nothing");
  CHECK(refused({"stop={score: meter_w, half_width: 1}"}) ==
        "stop.score: meter_w needs a facility (nothing says what stands between the GPUs and the meter); add facility: {node: h200}");
  CHECK_THAT(refused({"stop={score: speed_gpu, half_width: 1, policy: orcle}"}), Catch::StartsWith("stop.policy: \"orcle\" is no policy of this study"));
  CHECK_THAT(refused({"stop={score: speed, half_width: 0}"}), Catch::StartsWith("stop.half_width: "));
  CHECK(refused({"stop={score: speed_gpu, half_width: 1}", "capacity={}", "cuts={from: 0, to: 0.4, step: 0.1}"}) ==
        "stop: a capacity study needs every mix (a promise is an order statistic of them); remove stop or capacity");
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
