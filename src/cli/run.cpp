#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>

#include "cli/campaign.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/progress.hpp"
#include "cli/result_folder.hpp"
#include "cli/run_timeline.hpp"
#include "cli/validate.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/report/study_files.hpp"
#include "wattfill/scenario/campaign_file.hpp"
#include "wattfill/study/device.hpp"

namespace wattfill::cli {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

/// The first signal asks the run to end, a second one ends the process.
void on_signal(int number) {
  stop = true;
  std::signal(number, SIG_DFL);
}

std::atomic<bool> const* stop_on_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGHUP, on_signal);
  return &stop;
}

bool wants_rows(po::variables_map const& given) {
  auto const rows = given["rows"].as<std::string>();
  if (rows != "all" && rows != "summary") throw InputError({{}, "--rows", "\"" + rows + "\" is not known; write all or summary"});
  return rows == "all";
}

enum class DeviceChoice { cpu, cuda, automatic };

DeviceChoice device_choice(po::variables_map const& given) {
  auto const name = given["device"].as<std::string>();
  if (name == "cpu") return DeviceChoice::cpu;
  if (name == "cuda") return DeviceChoice::cuda;
  if (name == "auto") return DeviceChoice::automatic;
  throw InputError({{}, "--device", "\"" + name + "\" is not known; write cpu, cuda or auto"});
}

/// The devices of a run, if it is to have some: what `auto` cannot do there the host does, with a note.
std::unique_ptr<DeviceDriver> devices_of(DeviceChoice choice, bool quiet, RunOptions& options) {
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
  if (choice == DeviceChoice::automatic) options.device_note = note;
  options.device = driver.get();
  return driver;
}

}  // namespace

void run_options(po::options_description& options) {
  add_scenario_options(options);
  options.add_options()("out", po::value<std::string>()->value_name("DIR"),
                        "folder for the results (default: out/<scenario name>; with --replication I, out/<scenario name>-replication-I)");
  options.add_options()("threads", po::value<std::string>()->value_name("N"), "threads (default: what affinity, cgroup and SLURM_CPUS_PER_TASK allow)");
  options.add_options()("replication", po::value<std::string>()->value_name("I"), "only this replication of every mix, from 0, with who gets what");
  options.add_options()("rows", po::value<std::string>()->default_value("all")->value_name("all|summary"), "write every replication, or the summary alone");
  options.add_options()("device", po::value<std::string>()->default_value("cpu")->value_name("cpu|cuda|auto"),
                        "what makes the mixes of a snapshot study, with the same results; auto: a CUDA device if there is one");
  options.add_options()("quiet", "no table and no progress");
  options.add_options()("verbose", "also say what was accepted in the inputs but should be known");
}

int run(std::vector<std::string> const& operands, po::variables_map const& given) {
  if (operands.size() == 1 && is_campaign(operands.front())) return run_campaign(operands, given);
  auto const start = std::chrono::steady_clock::now();
  auto const scenario = scenario_of(operands, given);
  auto const device = device_choice(given);
  if (scenario.kind == "timeline" && device == DeviceChoice::cuda)
    throw InputError({{}, "--device", "cuda: timelines run on the host; leave the option out, or write auto"});
  if (scenario.kind == "timeline") return run_timeline(scenario, operands, given, wants_rows(given), stop_on_signals);
  bool const quiet = given.count("quiet") > 0, rows_wanted = wants_rows(given);
  auto const threads = static_cast<unsigned>(whole_number(given, "threads", 1, 4096).value_or(available_threads()));
  RunOptions options;
  options.replication = whole_number(given, "replication", 0, UINT64_MAX);
  options.stop = &stop;
  if (given.count("verbose") > 0)
    for (auto const& note : scenario.notes) std::fprintf(stderr, "note: %s\n", note.c_str());

  auto const usual = scenario.name + (options.replication ? "-replication-" + std::to_string(*options.replication) : "");  // one mix does not replace a study
  auto const wanted = given.count("out") > 0 ? given["out"].as<std::string>() : (fs::path("out") / usual).string();
  ResultFolder const made(wanted, scenario.name, scenario.files);
  auto const& folder = made.path();
  stop_on_signals();
  std::uint64_t total = 0;
  for (auto const& point : scenario.points) total += replications_of(point.study, options);
  auto const executor = make_executor(threads);
  auto const devices = devices_of(device, quiet, options);
  std::optional<ReplicationsCsv> rows;
  bool const metered = std::ranges::any_of(scenario.points, [](SweepPoint const& point) { return point.study.metering.has_value(); });
  if (rows_wanted) rows.emplace(folder / "replications.csv", scenario.sweep_columns, metered);
  OutputFile summary(folder / "summary.csv");
  summary.write(summary_header(scenario.sweep_columns, metered));
  std::string allocation, components, promises, tables;
  try {
    Progress progress(total, quiet);
    options.progress = [&](std::uint64_t done) { progress.add(done); };
    for (auto const& point : scenario.points) {
      if (rows) rows->start(point.study, point.values);
      options.rows = rows ? &*rows : nullptr;
      std::optional<Capacity> capacity;
      if (point.study.capacity && !options.replication) options.rows = &capacity.emplace(point.study, *point.study.capacity, options.rows);
      auto const result = run_study(point.study, *executor, options);
      summary.write(summary_rows(point.study, result, point.values, metered));
      if (capacity) promises += capacity_rows(point.study, capacity->promises(), point.values);
      auto single = point.study;
      if (!options.replication) std::erase_if(single.mixes, [](MixSpec const& mix) { return mix.listed.empty(); });
      auto const given_out = allocations(single, options.replication.value_or(0));
      allocation += allocation_rows(given_out, point.values);
      if (single.metering) components += facility_rows(single, given_out, point.values);
      constexpr std::size_t most_tables = 12;
      if (&point - scenario.points.data() < static_cast<std::ptrdiff_t>(most_tables))
        tables += point_line(scenario, point) + summary_table(point.study, result);
    }
  } catch (InputError const& error) {
    rethrow_with_file(error, operands.front());
  }

  auto manifest = manifest_of("run", scenario, scenario.points.front().study.seed, threads, operands, given);
  fs::remove(folder / "manifest.json");  // comes last: a folder without one holds a run that did not end
  if (rows) {
    rows->commit();
    manifest.outputs.push_back("replications.csv");
  }
  summary.commit();
  manifest.outputs.push_back("summary.csv");
  if (!allocation.empty()) {
    write_file(folder / "allocation.csv", allocation_header(scenario.sweep_columns) + allocation);
    manifest.outputs.push_back("allocation.csv");
  }
  if (!components.empty()) {
    write_file(folder / "facility.csv", facility_header(scenario.sweep_columns) + components);
    manifest.outputs.push_back("facility.csv");
  }
  if (!promises.empty()) {
    write_file(folder / "capacity.csv", capacity_header(scenario.sweep_columns) + promises);
    manifest.outputs.push_back("capacity.csv");
  }
  made.remove_others(manifest.outputs);
  manifest.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_file(folder / "manifest.json", manifest_json(manifest, folder));
  if (!quiet) std::fputs((provenance_line(scenario) + tables + "results in " + folder.string() + "\n").c_str(), stdout);
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
