#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/campaign.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/keeping.hpp"
#include "cli/run_timeline.hpp"
#include "cli/running.hpp"
#include "cli/validate.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/campaign_file.hpp"
#include "wattfill/study/communicator.hpp"
#include "wattfill/study/device.hpp"
#include "wattfill/study/rank_pieces.hpp"
#include "wattfill/study/study.hpp"

namespace wattfill::cli {
namespace {

namespace fs = std::filesystem;

bool wants_rows(po::variables_map const& given) {
  auto const rows = given["rows"].as<std::string>();
  if (rows != "all" && rows != "summary") throw InputError({{}, "--rows", quotation(rows) + " is not known; write all or summary"});
  return rows == "all";
}

enum class DeviceChoice { cpu, cuda, automatic };

DeviceChoice device_choice(po::variables_map const& given) {
  auto const name = given["device"].as<std::string>();
  if (name == "cpu") return DeviceChoice::cpu;
  if (name == "cuda") return DeviceChoice::cuda;
  if (name == "auto") return DeviceChoice::automatic;
  throw InputError({{}, "--device", quotation(name) + " is not known; write cpu, cuda or auto"});
}

/// The devices of a run, if it is to have some: what `auto` cannot do there the host does, with a note.
std::unique_ptr<DeviceDriver> devices_of(DeviceChoice choice, bool quiet, Running& running) {
  if (choice == DeviceChoice::cpu) return nullptr;
  auto const note = [quiet](std::string const& what) {
    if (!quiet) std::fprintf(stderr, "note: --device auto: %s\n", what.c_str());
  };
  std::unique_ptr<DeviceDriver> driver;
  try {
    driver = cuda_driver();
  } catch (DeviceError const& error) {
    if (choice == DeviceChoice::automatic)
      note("runs on the host: " + std::string(error.what()));
    else if (error.fault == DeviceFault::not_built)
      throw InputError({{}, "--device", "cuda: " + std::string(error.what())});
    else
      throw;
  }
  if (choice == DeviceChoice::automatic) running.device_note = note;
  running.device = driver.get();
  return driver;
}

bool wants_netcdf(po::variables_map const& given, Scenario const& scenario) {
  auto const format = given["format"].as<std::string>();
  if (format != "csv" && format != "netcdf") throw InputError({{}, "--format", "\"" + format + "\" is not known; write csv or netcdf"});
  if (format == "netcdf" && scenario.kind == "timeline") throw InputError({{}, "--format", "timelines have no NetCDF form; use --format csv"});
  return format == "netcdf";
}

[[noreturn]] void refuse_ranks(std::string const& file, std::string const& why) {
  throw InputError({{file}, "", why + ", which ranks cannot share; run it without mpirun"});
}

}  // namespace

void run_options(po::options_description& options) {
  add_scenario_options(options);
  options.add_options()("out", po::value<std::string>()->value_name("DIR"),
                        "folder for the results (default: out/<scenario name>; with --replication I, out/<scenario name>-replication-I; with --shard I/N, "
                        "out/<scenario name>-shard-I-of-N)");
  options.add_options()("threads", po::value<std::string>()->value_name("N"), "threads (default: what affinity, cgroup and SLURM_CPUS_PER_TASK allow)");
  options.add_options()("replication", po::value<std::string>()->value_name("I"), "only this replication of every mix, from 0, with who gets what");
  options.add_options()("rows", po::value<std::string>()->default_value("all")->value_name("all|summary"), "write every replication, or the summary alone");
  options.add_options()("device", po::value<std::string>()->default_value("cpu")->value_name("cpu|cuda|auto"),
                        "what makes the mixes of a snapshot study, with the same results; auto: a CUDA device if there is one");
  options.add_options()("format", po::value<std::string>()->default_value("csv")->value_name("csv|netcdf"),
                        "rows as replications.csv, or rows and means as results.nc");
  options.add_options()(
      "quantiles", po::value<std::string>()->value_name("Q,Q,..."),
      "quantiles over replications of every score, as quantiles.csv: exact for up to 4096 different values, else to within the error stated there");
  add_keeping_options(options);
  options.add_options()("quiet", "no table and no progress");
  options.add_options()("verbose", "also say what was accepted in the inputs but should be known");
}

int run(std::vector<std::string> const& operands, po::variables_map const& given) {
  auto const communicator = make_communicator();
  bool const alone = communicator->ranks() == 1, first_rank = communicator->rank() == 0;
  if (!first_rank) communicator->broadcast({});  // rank 0 reads the inputs first, so that their mistakes are told once
  if (operands.size() == 1 && is_campaign(operands.front())) {
    if (!alone) refuse_ranks(operands.front(), "a campaign is a few sums");
    return run_campaign(operands, given);
  }
  auto const scenario = scenario_of(operands, given);
  auto const device = device_choice(given);
  if (scenario.kind == "timeline" && device == DeviceChoice::cuda)
    throw InputError({{}, "--device", "cuda: timelines run on the host; leave the option out, or write auto"});
  auto const shard = shard_of(given);
  Running running;
  running.scenario_file = operands.front();
  running.rows = wants_rows(given);
  if (given.count("quantiles") > 0) {
    if (scenario.kind == "timeline" || given.count("replication") > 0)
      throw InputError({{}, "--quantiles", "quantiles are over the replications of a snapshot study; leave them out here"});
    running.quantiles = quantiles_of(given["quantiles"].as<std::string>(), ',');
  }
  running.netcdf = wants_netcdf(given, scenario);
  running.quiet = given.count("quiet") > 0 || !first_rank;
  running.threads = static_cast<unsigned>(whole_number(given, "threads", 1, 4096).value_or(available_threads()));
  running.replication = whole_number(given, "replication", 0, UINT64_MAX);
  running.parts = shard ? shard->count : first_rank ? 1 : communicator->ranks();
  if (given.count("verbose") > 0 && first_rank)
    for (auto const& note : scenario.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  bool const timeline = scenario.kind == "timeline";
  if (timeline) check_replication(scenario, running.replication);
  bool const settles = timeline && std::ranges::any_of(scenario.points, [](auto const& point) { return point.timeline.contract || point.timeline.firm; });
  bool const streams = settles || (timeline && running.rows && is_single(scenario, running.replication));
  if (settles && shard) throw InputError({{operands.front()}, "--shard", "settlements and capacities of timelines are not made in parts; leave --shard out"});
  if (streams && shard)
    throw InputError({{operands.front()},
                      "--shard",
                      "the power, jobs and events of single runs are one stream that cannot be made in parts; add --rows summary, or leave --shard out"});
  if (!alone && settles) refuse_ranks(operands.front(), "a contract or a capacity of a timeline is settled as one");
  if (!alone && streams) refuse_ranks(operands.front(), "the power, jobs and events of single runs are one stream (--rows summary does without)");
  if (!alone && running.replication) refuse_ranks(operands.front(), "a single replication is one piece");
  if (!alone && std::ranges::any_of(scenario.points, [](auto const& point) { return point.study.stop.has_value(); }))
    refuse_ranks(operands.front(), "a study with stop: knows when it has enough only where it is put together");
  if (!alone && shard) refuse_ranks(operands.front(), "a shard is one process's part");
  auto const table = piece_table(scenario);
  auto const devices = devices_of(timeline ? DeviceChoice::cpu : device, running.quiet, running);
  if (!first_rank) {
    running.stop = stop_on_signals();
    RankPieces pieces(*communicator, table, nullptr);
    running.pieces = &pieces;
    run_rank(scenario, running);
    communicator->finish();
    return 0;
  }

  auto usual = scenario.name;
  if (running.replication) usual += "-replication-" + std::to_string(*running.replication);  // one mix does not replace a study
  if (shard) usual += "-shard-" + std::to_string(shard->index + 1) + "-of-" + std::to_string(shard->count);
  ResultFolder const folder(given.count("out") > 0 ? given["out"].as<std::string>() : (fs::path("out") / usual).string(), scenario.name, scenario.files);
  running.stop = stop_on_signals();
  auto manifest = manifest_of("run", scenario, running.threads, operands, given);
  if (shard) manifest.shard = to_string(*shard);
  if (running.replication || streams) {
    run_into(scenario, running, folder, std::move(manifest));
    return 0;
  }
  std::optional<Keeping> keeping;
  if (!keeps_nothing(given))
    keeping.emplace(table, piece_header(scenario, operands.front(), given, rows_name(running)), folder.path(), given, piece_rows_header(scenario, running));
  running.pieces = keeping ? keeping->pieces() : nullptr;
  if (keeping && keeping->pieces()->keeps_rows()) running.commit_rows = [&](fs::path const& place) { return keeping->commit_rows(place); };
  std::optional<RankPieces> ranks;
  if (!alone) {
    communicator->broadcast({});
    running.pieces = &ranks.emplace(*communicator, table, running.pieces);
  }
  run_into(scenario, running, folder, std::move(manifest), [&] {
    if (keeping) keeping->finish();
  });
  return 0;
}

void validate_options(po::options_description& options) {
  add_scenario_options(options);
  options.add_options()("strict", "exit 1 if something was accepted that should be known");
}

int validate(std::vector<std::string> const& operands, po::variables_map const& given) {
  if (auto const code = validate_other(operands, given)) return *code;
  auto const scenario = scenario_of(operands, given);
  if (scenario.kind == "timeline") return validate_timeline(scenario, operands, given);
  try {
    constexpr std::size_t most_points = 64;  // policies and beliefs are prepared for the first sweep points
    for (std::size_t i = 0; i < std::min(scenario.points.size(), most_points); ++i) {
      auto const& study = scenario.points[i].study;
      for (auto const& mix : study.mixes)
        Snapshot(mix, study.policies, targets_of(study), study.belief, study.objective, study.seed, study.metering, study.racks);
    }
  } catch (InputError const& error) {
    rethrow_with_file(error, operands.front());
  }
  auto const& first = scenario.points.front().study;
  std::uint64_t mixes = 0;
  for (auto const& point : scenario.points) mixes += replications_of(point.study, {});
  std::fprintf(stdout, "%s: valid: %zu sweep points, %zu mixes, %zu policies, %zu targets, %llu mixes to evaluate\n", operands.front().c_str(),
               scenario.points.size(), first.mixes.size(), first.policies.size(), targets_of(first).size(), static_cast<unsigned long long>(mixes));
  for (auto const& note : scenario.notes) std::fprintf(stdout, "note: %s\n", note.c_str());
  return given.count("strict") > 0 && !scenario.notes.empty() ? 1 : 0;
}

}  // namespace wattfill::cli
