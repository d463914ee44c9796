#include "wattfill/scenario/campaign_file.hpp"

#include "scenario/mistakes.hpp"

using namespace wattfill;

namespace {

std::string const campaign_text =
    "wattfill: 1\nname: c\nkind: campaign\nrun: {gpus: 1000, gpu_w: 600, host_w: 200, pue: 1.25, tokens: 1e12, flop_per_token: 4.5e7, peak_flop_per_s: 1e12, "
    "mfu: "
    "0.5}\nsavings: [0, 0.5]\nbudgets_w: [5e5]\n";

}  // namespace

TEST_CASE("A campaign scenario: every saving without a budget, then at each; its echo loads to the same") {
  TemporaryFolder const folder;
  auto const file = folder.write("c.yaml", campaign_text);
  CHECK(is_campaign(file));
  auto const scenario = load_campaign(file);
  auto const rows = campaigns(scenario);
  REQUIRE(rows.size() == 4);
  CHECK(rows[1].saving == 0.5);
  CHECK(rows[1].budget_w == 0);
  CHECK(rows[3].gpus == 800);
  CHECK(load_campaign(folder.write("again.yaml", scenario.resolved)).resolved == scenario.resolved);
  CHECK(load_campaign(file, {"savings=[0.1]"}).savings == std::vector<double>{0.1});
}

TEST_CASE("Mistakes of a campaign are named with their place") {
  TemporaryFolder const folder;
  auto const file = folder.write("c.yaml", campaign_text);
  try {
    load_campaign(file, {"run.mfu=2", "run.gpu=3"});
    FAIL("accepted");
  } catch (InputError const& error) {
    std::string const what = error.what();
    CHECK_THAT(what, Catch::Contains("run.mfu: 2 is out of range (above 0 up to 1 is possible); choose a value in the range") &&
                         Catch::Contains("run.gpu: unknown key (it would have no effect); did you mean \"gpus\"?"));
  }
  try {
    load_campaign(folder.write("list.yaml", "- campaign\n"));
    FAIL("accepted");
  } catch (InputError const& error) {
    CHECK(folder.relative(error.what()) == "list.yaml:1:1: a list stands where a scenario belongs; see scenarios/README.md for its keys");
  }
}
