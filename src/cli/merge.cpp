#include <algorithm>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/keeping.hpp"
#include "cli/running.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/study/executor.hpp"

namespace wattfill::cli {
namespace {

namespace fs = std::filesystem;

/// The scenario that the pieces say they are of, read again.
Scenario scenario_again(PieceFile const& pieces, std::string& file) {
  LoadOptions options;
  for (auto const& [name, value] : pieces.header().origin) {
    if (name == "scenario") file = value;
    if (name == "set") options.sets.push_back(value);
    if (name == "curves") options.curve_dirs.emplace_back(value);
    if (name == "allow-outside") options.outside = Outside::allowed;
    if (name == "seed") options.seed = std::strtoull(value.c_str(), nullptr, 10);
  }
  if (!fs::exists(file))
    throw InputError(
        {{pieces.path().string()},
         "",
         "is of the scenario " + file + ", which is not there (the shards do not hold its policies and names); put it and its curves back for the merge"});
  return load_scenario(file, options);
}

}  // namespace

void merge_options(po::options_description& options) {
  options.add_options()("out", po::value<std::string>()->value_name("DIR"), "folder for the results (default: out/<scenario name>)");
  options.add_options()("threads", po::value<std::string>()->value_name("N"), "threads (default: what affinity, cgroup and SLURM_CPUS_PER_TASK allow)");
  options.add_options()("quiet", "no table and no progress");
}

int merge(std::vector<std::string> const& operands, po::variables_map const& given) {
  expect_operands(operands, 1, SIZE_MAX, "DIR");
  std::vector<PieceFile> files;
  for (auto const& operand : operands) {
    auto const file = fs::path(operand) / pieces_name;
    auto pieces = PieceFile::read(file);
    if (!pieces)
      throw InputError({{file.string()}, "", "is not there, or was torn before its first piece; name the --out folders of wattfill run --shard I/N"});
    files.push_back(std::move(*pieces));
  }
  Running running;
  auto const scenario = scenario_again(files.front(), running.scenario_file);
  auto const rows = [&] {
    for (auto const& [name, value] : files.front().header().identity)
      if (name == "rows") return value;
    return std::string("all");
  }();
  auto const table = piece_table(scenario);
  check_shards(files, table, piece_header(scenario, running.scenario_file, {}, rows));
  set_rows(running, rows);
  running.quiet = given.count("quiet") > 0;
  running.threads = static_cast<unsigned>(whole_number(given, "threads", 1, 4096).value_or(available_threads()));
  auto const out = given.count("out") > 0 ? given["out"].as<std::string>() : (fs::path("out") / scenario.name).string();
  for (auto const& operand : operands) {
    std::error_code failed;
    if (fs::equivalent(operand, out, failed)) throw InputError({{}, "--out", out + " is one of the shards (its pieces would be lost); choose another folder"});
  }
  ResultFolder const folder(out, scenario.name, scenario.files);
  running.stop = stop_on_signals();
  auto manifest = manifest_of("merge", scenario, running.threads, operands, given);
  manifest.merged = operands;
  StoredPieces pieces(table, std::move(files), nullptr);
  running.pieces = &pieces;
  run_into(scenario, running, folder, std::move(manifest));
  return 0;
}

}  // namespace wattfill::cli
