#include <cstdio>
#include <filesystem>

#include "cli/command.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/output_file.hpp"
#include "wattfill/report/settlement_files.hpp"
#include "wattfill/scenario/contract_file.hpp"

namespace wattfill::cli {

void contract_options(po::options_description& options) {
  options.add_options()("out", po::value<std::string>()->value_name("DIR"), "folder for settlement.csv and settled_events.csv (default: out/<contract name>)");
  options.add_options()("set", po::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
                        "change a key of the contract, e.g. baseline.rule=pjm-3-plus-2 (repeatable)");
  options.add_options()("quiet", "no table");
}

int contract(std::vector<std::string> const& operands, po::variables_map const& given) {
  namespace fs = std::filesystem;
  expect_operands(operands, 2, 2, "METER.csv CONTRACT.yaml");
  if (auto const is_text = [](fs::path const& file) { return file.extension() == ".yaml" || file.extension() == ".yml"; };
      is_text(operands[0]) && !is_text(operands[1]))
    throw InputError("the meter comes first, the contract second; use: wattfill contract " + operands[1] + " " + operands[0]);
  auto const terms = read_contract(operands[1], given.count("set") > 0 ? given["set"].as<std::vector<std::string>>() : std::vector<std::string>{});
  auto const settlement = settle(terms, read_meter(operands[0], terms));
  fs::path const folder = given.count("out") > 0 ? fs::path(given["out"].as<std::string>()) : fs::path("out") / terms.name;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw MachineError(folder.string() + ": the folder cannot be made: " + failed.message() + "; choose another with --out");
  for (auto const* name : {"settlement.csv", "settled_events.csv"})
    for (auto const& input : operands)
      if (fs::equivalent(folder / name, input, failed) && !failed)
        throw InputError({{}, "--out", input + " is an input and would be overwritten by " + name + "; choose another folder"});
  write_file(folder / "settlement.csv", settlement_header() + settlement_rows(terms, settlement));
  write_file(folder / "settled_events.csv", settled_events_header() + settled_events_rows(terms, settlement));
  if (given.count("quiet") == 0)
    std::fputs((terms.name + ":\n" + settlement_table(terms, settlement) + "results in " + folder.string() + "\n").c_str(), stdout);
  return 0;
}

}  // namespace wattfill::cli
