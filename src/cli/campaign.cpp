#include "cli/campaign.hpp"

#include <cstdio>
#include <filesystem>

#include "cli/inputs.hpp"
#include "cli/result_folder.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/output_file.hpp"
#include "wattfill/report/manifest.hpp"
#include "wattfill/scenario/campaign_file.hpp"

namespace wattfill::cli {

int run_campaign(std::vector<std::string> const& operands, po::variables_map const& given) {
  namespace fs = std::filesystem;
  auto const scenario = load_campaign(operands.front(), given.count("set") > 0 ? given["set"].as<std::vector<std::string>>() : std::vector<std::string>{});
  std::vector<Campaign> rows;
  try {
    rows = campaigns(scenario);
  } catch (InputError const& error) {
    rethrow_with_file(error, operands.front());
  }
  ResultFolder const made(given.count("out") > 0 ? given["out"].as<std::string>() : (fs::path("out") / scenario.name).string(), scenario.name,
                          {operands.front()});
  fs::remove(made.path() / "manifest.json");  // comes last: a folder without one holds a run that did not end
  write_file(made.path() / "campaign.csv", campaign_csv(rows));
  Manifest manifest;
  manifest.scenario_name = scenario.name;
  manifest.kind = scenario.kind;
  manifest.resolved = scenario.resolved;
  manifest.inputs = {operands.front()};
  manifest.outputs = {"campaign.csv"};
  manifest.command = command_line("run", operands, given);
  write_file(made.path() / "manifest.json", manifest_json(manifest, made.path()));
  if (given.count("quiet") > 0) return 0;
  std::printf("%7s %10s %10s %8s %12s %12s %10s %8s\n", "saving", "budget MW", "GPUs", "days", "MWh", "MUSD", "kt CO2", "peak MW");
  for (auto const& r : rows)
    std::printf("%6.0f%% %10.0f %10.0f %8.1f %12.0f %12.2f %10.1f %8.0f\n", 100 * r.saving, r.budget_w / 1e6, r.gpus, r.days, r.mwh, r.usd / 1e6, r.t_co2 / 1e3,
                r.peak_mw);
  std::printf("results in %s\n", made.path().c_str());
  return 0;
}

}  // namespace wattfill::cli
