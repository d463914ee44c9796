#include "wattfill/scenario/library_file.hpp"

#include "scenario/mistakes.hpp"

namespace {

std::string const good_yaml =
    "wattfill: 1\ngpu: {model: X, tdp_w: 400}\nprovenance: measured\nsource: {citation: made up}\nspeed_unit: it/s\ncurves:\n  - {name: a, task: "
    "t}\n";
std::string const good_csv = "curve,cap_w,power_w,speed\na,100,90,1\na,200,190,2\n";

std::string said_of(std::string const& yaml, std::string const& csv) {
  TemporaryFolder const folder;
  auto const file = folder.write("lib.yaml", yaml);
  if (!csv.empty()) folder.write("lib.csv", csv);
  try {
    wattfill::read_library(file);
  } catch (wattfill::InputError const& error) {
    return folder.relative(error.what());
  }
  return "accepted";
}

}  // namespace

TEST_CASE("A library is read with all that is known of its curves") {
  auto const file = wattfill::read_library(test_data() / "small.yaml");
  auto const& library = file.library;
  CHECK(library.name == "small");
  CHECK(library.tdp_w == 700);
  REQUIRE(library.curves.size() == 3);
  auto const* curve = library.find("dense-a");
  REQUIRE(curve != nullptr);
  CHECK(curve->id() == "small/dense-a");
  CHECK(curve->gpus == 8);
  CHECK(curve->speed_unit == "tokens/s");
  CHECK(curve->flop_per_unit == 1e10);
  CHECK(curve->telemetry.at("dram") == 0.4);
  CHECK(curve->curve.max_draw() == 650);
  CHECK(file.files.size() == 2);
  CHECK(file.notes.empty());
}

TEST_CASE("BOM and CRLF in both files of a library change nothing") {
  auto const crlf = [](std::string text) {
    for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) text.replace(at, 1, "\r\n");
    return "\xEF\xBB\xBF" + text;
  };
  CHECK(said_of(crlf(good_yaml), crlf(good_csv)) == "accepted");
}

TEST_CASE("What is odd but usable in a library is noted, not refused") {
  TemporaryFolder const folder;
  auto const file = folder.write("lib.yaml", good_yaml);
  folder.write("lib.csv", "curve,cap_w,power_w,speed,host\na,100,105,2,x\na,150,140,1,x\na,200,139,3,x\na,250,139,3,x\n");
  auto const notes = wattfill::read_library(file).notes;
  std::string text;
  for (auto const& note : notes) text += folder.relative(note) + "\n";
  CHECK(text ==
        "lib.csv: columns that have no meaning here are kept out: host\n"
        "lib.csv: a: 2 points moved: speed is not monotone in draw there; policies use its isotonic regression\n"
        "lib.csv: a: 1 point merged: they repeat a draw; policies use their mean\n"
        "lib.csv: a: 1 point above the cap: more was drawn than was allowed\n"
        "lib.csv: a: the largest draw was not measured at the highest cap; figures use the highest cap, policies the largest draw\n");
}

TEST_CASE("Every mistake in a library is named with its file, line and column") {
  CHECK(said_of(good_yaml, "") == "lib.csv: there is no such file; check the path");
  CHECK(said_of(good_yaml, "curve,cap_w,power_w,speed\na,100,90,1\n") ==
        "lib.csv:2:1: curve: a: a curve needs at least two points, this one has 1 (no slope can be read from one point); add the other caps of the "
        "sweep");
  CHECK(said_of(good_yaml, good_csv + "a,300,-5,3\n") ==
        "lib.csv:4:7: power_w: -5 is out of range (above 0 is possible); correct the measurement or remove the row");
  CHECK(said_of(good_yaml, good_csv + "a,300,250 W,3\n") == "lib.csv:4:7: power_w: \"250 W\" is not a number; write digits, '.' for decimals, and no unit");
  CHECK(said_of(good_yaml, good_csv + "a,300,250,\n") ==
        "lib.csv:4:11: speed: the cell is empty (a missing number is not zero); give the number or remove the row");
  CHECK(said_of(good_yaml, good_csv + "a,300,nan,3\n") ==
        "lib.csv:4:7: power_w: \"nan\" is not a finite number (one such value poisons every result); give the number or remove the row");
  CHECK(said_of(good_yaml, "curve,cap_w,power,speed\na,100,90,1\n") ==
        "lib.csv:1:1: power_w: there is no column of this name (columns are found by name only); the columns are: curve, cap_w, power, speed");
  CHECK(said_of(good_yaml, good_csv + "b,100,90,1\n") ==
        "lib.csv:4:1: curve: \"b\" is not among the curves of lib.yaml (nothing is known of the job); did you mean \"a\"?");
  CHECK(said_of(good_yaml + "  - {name: other}\n", good_csv) ==
        "lib.yaml:8:12: curves.1.name: the curve \"other\" has no row in lib.csv (a curve is its points); add its rows or remove it");
  CHECK(said_of(good_yaml + "  - {name: a}\n", good_csv) ==
        "lib.yaml:8:12: curves.1.name: the curve \"a\" is there twice, first on line 7 (its points could belong to either); rename or remove one");
  CHECK(said_of("wattfill: 2\n", good_csv) ==
        "lib.yaml:1:11: wattfill: this curve library has format version 2, this program reads versions up to 1 (newer keys may mean other things); "
        "use a newer wattfill");
}

TEST_CASE("Several mistakes in one CSV file are reported together") {
  CHECK(said_of(good_yaml, good_csv + "a,x,90,1\na,100,90,\n") ==
        "lib.csv:4:3: cap_w: \"x\" is not a number; write digits, '.' for decimals, and no unit\n"
        "lib.csv:5:10: speed: the cell is empty (a missing number is not zero); give the number or remove the row");
}
