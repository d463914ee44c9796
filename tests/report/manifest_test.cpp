#include "wattfill/report/manifest.hpp"

#include <cstdlib>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/skip.hpp"
#include "wattfill/core/output_file.hpp"
#include "wattfill/core/sha256.hpp"
#include "wattfill/core/version.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

Manifest odd_manifest(Folder const& folder, CurveLibrary const& library) {
  write_file(folder / "in.yaml", "name: x\n");
  write_file(folder / "summary.csv", "mix\n");
  Manifest m;
  m.scenario_name = "quote \" backslash \\ newline \n tab \t byte \xff";
  m.kind = "snapshot";
  m.resolved = "wattfill: 1\nname: x\n";
  m.seed = 18446744073709551615ULL;
  m.inputs = {folder / "in.yaml", folder / "gone.yaml"};
  m.libraries = {&library};
  m.notes = {"one", "two"};
  m.command = {"wattfill", "run", "in.yaml"};
  m.outputs = {"summary.csv"};
  m.threads = 3;
  m.wall_s = 0.1;
  return m;
}

}  // namespace

TEST_CASE("the manifest holds version, seed, resolved scenario, and the hashes of what was read and written") {
  Folder const folder("manifest");
  CurveLibrary library;
  library.name = "lab";
  library.assumptions = {"u = 0.93"};
  auto const text = manifest_json(odd_manifest(folder, library), folder.path());
  for (auto const& part :
       {std::string("\"program\": \"wattfill\""), "\"version\": \"" + std::string(version) + "\"", std::string("\"seed\": 18446744073709551615"),
        "\"sha256\": \"" + sha256("name: x\n") + "\"", "\"sha256\": \"" + sha256("mix\n") + "\"", std::string("\"sha256\": null"), std::string("\"u = 0.93\""),
        std::string("\"threads\": 3"), std::string("\"wall_s\": 0.1"), std::string("\"resolved\": \"wattfill: 1\\nname: x\\n\"")}) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }
}

TEST_CASE("the manifest is JSON, whatever the names, full or empty (read by Python where there is one)") {
  if (std::system("python3 -c 'import json' > /dev/null 2>&1") != 0) {
    return testing::say_skipped("no python3 to read the manifest with");
  }
  Folder const folder("json");
  CurveLibrary const library;
  write_file(folder / "full.json", manifest_json(odd_manifest(folder, library), folder.path()));
  write_file(folder / "empty.json", manifest_json({}, folder.path()));
  for (auto name : {"full.json", "empty.json"}) {
    auto const file = (folder / name).string();
    CHECK(std::system(("python3 -m json.tool '" + file + "' > /dev/null").c_str()) == 0);
  }
  auto const check =
      "python3 -c 'import json, sys; m = json.load(open(sys.argv[1])); assert m[\"seed\"] == 2**64 - 1 and len(m[\"inputs\"]) == 2 and "
      "m[\"scenario\"].startswith(\"quote \\\"\")' '" +
      (folder / "full.json").string() + "'";
  CHECK(std::system(check.c_str()) == 0);
}
