#include "wattfill/scenario/schema.hpp"

#include <cstdlib>
#include <set>

#include "scenario/mistakes.hpp"
#include "support/skip.hpp"
#include "wattfill/scenario/contract_file.hpp"
#include "wattfill/scenario/pipeline_file.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace {

std::filesystem::path source(std::string const& path) { return std::filesystem::path(WATTFILL_SOURCE_DIR) / path; }

std::set<std::filesystem::path> yaml_files(std::string const& folder) {
  std::set<std::filesystem::path> files;
  if (!std::filesystem::exists(source(folder))) return files;
  for (auto const& entry : std::filesystem::directory_iterator(source(folder)))
    if (entry.path().extension() == ".yaml") files.insert(entry.path());
  return files;
}

/// Shipped scenarios of a format: pipeline, campaign, or scenario (all others).
std::set<std::filesystem::path> scenarios(std::string const& format) {
  auto files = yaml_files("scenarios");
  std::erase_if(files, [&](auto const& file) {
    auto const text = wattfill::read_text_file(file);
    auto const has = [&](char const* line) { return text.find(line) != std::string::npos; };
    return (has("\nkind: pipeline\n") ? "pipeline" : has("\nkind: campaign\n") ? "campaign" : "scenario") != format;
  });
  return files;
}

/// Checks files against a schema, and every example and default in the schema against its own key.
constexpr auto checker = R"(
import json, sys
try:
    import jsonschema, yaml
except ImportError:
    sys.exit(77)
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
def visit(node):
    if isinstance(node, dict):
        for value in node.get("examples", []) if isinstance(node.get("examples"), list) else []:
            jsonschema.Draft202012Validator(node).validate(value)
        if "default" in node and "description" in node:
            jsonschema.Draft202012Validator(node).validate(node["default"])
        for value in node.values():
            visit(value)
    elif isinstance(node, list):
        for value in node:
            visit(value)
visit(schema)
for name in sys.argv[3:] if sys.argv[2] == "refuses" else []:
    assert not jsonschema.Draft202012Validator(schema).is_valid(yaml.safe_load(open(name))), name
for name in sys.argv[3:] if sys.argv[2] == "accepts" else []:
    jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(yaml.safe_load(open(name)), default=str)))  # times as text
)";

void check_against(std::string const& schema, std::set<std::filesystem::path> const& files, std::string const& expected = "accepts") {
  TemporaryFolder const folder;
  auto command = "/usr/bin/python3 '" + folder.write("check.py", checker).string() + "' '" +
                 folder.write("schema.json", wattfill::schema_text(schema)).string() + "' " + expected;
  for (auto const& file : files) command += " '" + file.string() + "'";
  auto const status = std::system(command.c_str());
  if (status == 77 << 8 || status == 127 << 8) {
    return wattfill::testing::say_skipped("schema " + schema +
                                          " is not tried out: python3 with jsonschema and yaml is not there (apt install python3-jsonschema python3-yaml)");
  }
  CHECK(status == 0);
}

}  // namespace

TEST_CASE("The scenario schema accepts every shipped scenario and its own examples") { check_against("scenario", scenarios("scenario")); }

TEST_CASE("The scenario schema wants one of draw and explicit, one way to give a limit, and jobs of some kind") {
  TemporaryFolder const folder;
  std::set<std::filesystem::path> wrong;
  auto const plain = scenario_with({});
  REQUIRE(refusal_of(plain) == "accepted");
  check_against("scenario", {folder.write("plain.yaml", plain)});
  wrong.insert(folder.write("neither.yaml", scenario_with({{6, "  m: {jobs: 3}"}})));
  wrong.insert(folder.write("both.yaml", scenario_with({{6, "  m: {draw: {all: {where: {}}}, explicit: [{curve: small/dense-a}]}"}})));
  std::string const timeline = "wattfill: 1\nname: t\nkind: timeline\ncurves: [small]\npolicies: [proportional]\njobs: ";
  std::string const jobs = "{explicit: [{id: a, curve: small/dense-b, work_s: 1}]}\n";
  check_against("scenario", {folder.write("timeline.yaml", timeline + jobs + "limit: {steps: [[0, 900]]}\n")});
  wrong.insert(folder.write("jobless.yaml", timeline + "{}\n"));
  wrong.insert(folder.write("no-jobs.yaml", timeline + "{explicit: []}\n"));
  wrong.insert(folder.write("no-limit.yaml", timeline + jobs + "limit: {at: gpu}\n"));
  wrong.insert(folder.write("two-limits.yaml", timeline + jobs + "limit: {steps: [[0, 900]], series: f.csv}\n"));
  check_against("scenario", wrong, "refuses");
  for (auto const& file : wrong) CHECK(refusal_of(wattfill::read_text_file(file)) != "accepted");
}

TEST_CASE("The schemas of pipelines and campaigns accept every shipped one and their own examples") {
  check_against("pipeline", scenarios("pipeline"));
  check_against("campaign", scenarios("campaign"));
}

TEST_CASE("The curves schema accepts every shipped curve library and its own examples") { check_against("curves", yaml_files("curves")); }

TEST_CASE("The contract schema accepts every shipped contract and its own examples") {
  check_against("contract", yaml_files("scenarios/contracts"));
  for (auto const& file : yaml_files("scenarios/contracts")) CHECK_NOTHROW(wattfill::read_contract(file));
}

TEST_CASE("An unknown schema is named with those there are") {
  CHECK_THROWS_WITH(wattfill::schema_text("timeline"), "there is no schema \"timeline\"; \"scenario\" holds snapshots and timelines");
  CHECK_THROWS_WITH(wattfill::schema_text("curve"), "there is no schema \"curve\"; did you mean \"curves\"?");
}

TEST_CASE("scenarios/schema holds what wattfill schema prints, and every shipped scenario names its schema for editors") {
  for (auto const& name : wattfill::schema_names()) {
    auto const file = source("scenarios/schema/" + name + ".json");
    if (std::getenv("WATTFILL_UPDATE") != nullptr) {
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file, std::ios::binary) << wattfill::schema_text(name);
    }
    INFO("refresh with: WATTFILL_UPDATE=1 ctest --preset dev -R scenarios/schema");
    CHECK(wattfill::read_text_file(file) == wattfill::schema_text(name));
  }
  std::string const start = "# yaml-language-server: $schema=";
  for (auto const* folder : {"scenarios", "scenarios/contracts", "scenarios/own_gpu"})
    for (auto const& file : yaml_files(folder)) {
      INFO(file.string());
      auto const text = wattfill::read_text_file(file);
      REQUIRE(text.starts_with(start));
      auto const schema = text.substr(start.size(), text.find('\n') - start.size());
      CHECK(std::filesystem::exists(file.parent_path() / schema));
    }
}

TEST_CASE("scenarios/README.md is what the tables of keys generate") {
  auto const page = source("scenarios/README.md");
  if (std::getenv("WATTFILL_UPDATE") != nullptr) std::ofstream(page, std::ios::binary) << wattfill::keys_page();
  INFO("refresh with: WATTFILL_UPDATE=1 ctest --preset dev -R scenarios/README");
  CHECK(wattfill::read_text_file(page) == wattfill::keys_page());
}

TEST_CASE("Every shipped scenario loads with the shipped curves") {
  for (auto const& file : scenarios("scenario")) {
    INFO(file.string());
    CHECK_NOTHROW(wattfill::load_scenario(file));
  }
  for (auto const& file : scenarios("pipeline")) {
    INFO(file.string());
    CHECK_NOTHROW(wattfill::load_pipeline(file));
    CHECK_THROWS_WITH(wattfill::load_scenario(file), Catch::Contains("wattfill pipeline"));
  }
}
