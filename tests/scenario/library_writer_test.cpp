#include "wattfill/scenario/library_writer.hpp"

#include <yaml-cpp/yaml.h>

#include <filesystem>

#include "support/catch.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/text_file.hpp"

using namespace wattfill;

namespace {

CurveLibrary awkward() {
  CurveLibrary library;
  library.name = "lab";
  library.gpu_model = "GPU \"X\": 1 # not a comment";
  library.tdp_w = 0.1 + 0.2;  // 0.30000000000000004
  library.source = {"A\\B\nC\tD", "https://example.org", "null", "é – ü"};
  library.assumptions = {"yes", "- no", "{a: b}"};
  library.curves.push_back({.library = "lab",
                            .name = "a,b \"c\"",
                            .architecture = "dense",
                            .task = "",
                            .model = "1e3",
                            .gpus = 8,
                            .speed_unit = {},
                            .provenance = Provenance::measured,
                            .flop_per_unit = 4.236e11,
                            .telemetry = {{"dram activity", 1.0 / 3}},
                            .curve = PowerSpeedCurve({{200, 200.1, 1.0 / 3}, {100, 99.9, 1e-20}})});
  return library;
}

}  // namespace

TEST_CASE("Awkward strings come back as they were, as strings") {
  auto const yaml = YAML::Load(library_text(awkward()).yaml);
  CHECK(yaml["gpu"]["model"].as<std::string>() == "GPU \"X\": 1 # not a comment");
  CHECK(yaml["source"]["citation"].as<std::string>() == "A\\B\nC\tD");
  CHECK(yaml["source"]["licence"].as<std::string>() == "null");
  CHECK(yaml["source"]["note"].as<std::string>() == "é – ü");
  CHECK(yaml["assumptions"][0].as<std::string>() == "yes");
  CHECK(yaml["assumptions"][2].as<std::string>() == "{a: b}");
  CHECK(yaml["curves"][0]["name"].as<std::string>() == "a,b \"c\"");
  CHECK(yaml["curves"][0]["model"].Tag() == "!");  // quoted: no reader takes it for a number
}

TEST_CASE("Numbers come back bit for bit, in both files") {
  auto const text = library_text(awkward());
  auto const yaml = YAML::Load(text.yaml);
  CHECK(yaml["gpu"]["tdp_w"].as<double>() == 0.1 + 0.2);
  CHECK(yaml["curves"][0]["flop_per_unit"].as<double>() == 4.236e11);
  CHECK(yaml["curves"][0]["telemetry"]["dram activity"].as<double>() == 1.0 / 3);
  auto const table = CsvTable::parse(text.csv, "lab.csv");
  REQUIRE(table.rows() == 2);
  CHECK(table.header() == std::vector<std::string>{"curve", "cap_w", "power_w", "speed"});
  CHECK(table.text(0, 0) == "a,b \"c\"");
  CHECK(table.number(0, 1) == 100);
  CHECK(table.number(0, 2) == 99.9);
  CHECK(table.number(0, 3) == 1e-20);
  CHECK(table.number(1, 3) == 1.0 / 3);
}

TEST_CASE("What is not known of a curve is left out") {
  auto library = awkward();
  library.curves[0].flop_per_unit.reset();
  library.curves[0].telemetry.clear();
  library.assumptions.clear();
  auto const yaml = YAML::Load(library_text(library).yaml);
  CHECK_FALSE(yaml["curves"][0]["flop_per_unit"]);
  CHECK_FALSE(yaml["curves"][0]["telemetry"]);
  for (auto const* key : {"speed_unit", "statistic"}) CHECK_FALSE(yaml[key]);
  CHECK_FALSE(yaml["curves"][0]["task"]);
  CHECK_FALSE(yaml["assumptions"]);
}

TEST_CASE("A library is saved whole or not at all") {
  testing::Folder const parent("library-writer");
  auto const folder = parent / "new";
  CHECK_THROWS_AS(save_library(awkward(), folder / "lab"), MachineError);
  std::filesystem::create_directories(folder);
  save_library(awkward(), folder / "lab");
  auto const text = library_text(awkward());
  CHECK(read_text_file(folder / "lab.yaml") == text.yaml);
  CHECK(read_text_file(folder / "lab.csv") == text.csv);
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 2);
}
