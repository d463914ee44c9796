#include "wattfill/scenario/library_shelf.hpp"

#include <cstdlib>

#include "scenario/mistakes.hpp"

TEST_CASE("A library that is not found is named with every folder looked in and the nearest name") {
  auto const message = refusal_of(scenario_with({{4, "curves: [smal]"}}));
  CHECK_THAT(message, Catch::StartsWith("s.yaml:4:10: curves.0: there is no curve library \"smal\" (looked in curves, ") &&
                          Catch::EndsWith("share/wattfill/curves); did you mean \"small\"?"));
}

TEST_CASE("Folders given come first, then WATTFILL_CURVES, then those beside the scenario") {
  setenv("WATTFILL_CURVES", "one::two", 1);
  auto const folders = wattfill::curve_folders({"given"}, "s");
  unsetenv("WATTFILL_CURVES");
  REQUIRE(folders.size() == 8);  // the last three: installed with the program, beside the folder of builds, the configured prefix
  CHECK(folders[0] == "given");
  CHECK(folders[1] == "one");
  CHECK(folders[2] == "two");
  CHECK(folders[3] == "s/curves");
  CHECK(folders[4] == "s/../curves");
}

TEST_CASE("A mistake in a library is shown with the library's own place") {
  TemporaryFolder const folder;
  folder.write("bad.yaml", "wattfill: 1\ngpu: {model: X}\n");
  auto const file = folder.write("s.yaml", scenario_with({{4, "curves: [bad.yaml]"}}));
  try {
    wattfill::load_scenario(file);
    FAIL("accepted");
  } catch (wattfill::InputError const& error) {
    CHECK_THAT(folder.relative(error.what()), Catch::StartsWith("bad.yaml:2:6: gpu.tdp_w: this key is missing"));
  }
}

TEST_CASE("A curve library that cannot be found is named with where it was looked for and what is near") {
  check_mistakes({
      {"a missing library file",
       {{4, "curves: [lib/none.yaml]"}},
       {},
       "s.yaml:4:10: curves.0: there is no curve library file lib/none.yaml (the path is relative to the scenario); check the "
       "path"},
      {"a library twice",
       {{4, "curves: [small, curves/small.yaml]"}},
       {},
       "s.yaml:4:17: curves.1: \"curves/small.yaml\" is there twice (its curves would be drawn twice as often); remove one"},
  });
}
