#include "cli/pipeline_job.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "cli/inputs.hpp"
#include "cli/result_folder.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/output_file.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/report/manifest.hpp"
#include "wattfill/scenario/job_library.hpp"
#include "wattfill/scenario/library_writer.hpp"
#include "wattfill/scenario/pipeline_file.hpp"
#include "wattfill/training/comparison.hpp"
#include "wattfill/training/frontier_csv.hpp"
#include "wattfill/training/search_growth.hpp"
#include "wattfill/training/stage_power.hpp"
#include "wattfill/training/timeline.hpp"

namespace wattfill::cli {
namespace {

namespace fs = std::filesystem;

constexpr int stage_power_points = 11;  // of stages.csv: the way from the shortest time to that of least energy in tenths

/// The time that `plan:` asks for [s].
double planned_time(PipelineScenario const& scenario, IterationEnergy const& energy) {
  auto const& plan = scenario.fields.plan;
  if (plan.deadline_s) {
    if (*plan.deadline_s < energy.shortest_s())
      throw InputError(Problem{plan.place.at, "plan.deadline_s",
                               "is " + number_text(*plan.deadline_s) + " s, below the shortest possible time of " + number_text(energy.shortest_s()) +
                                   " s (every computation at its fastest); allow more time"});
    return std::min(*plan.deadline_s, energy.best_s());  // waiting costs more than slower computations save from there on
  }
  if (plan.energy_j) {
    auto const least = energy.at(energy.best_s()) * scenario.job.gpus_per_rank;
    if (*plan.energy_j < least)
      throw InputError(Problem{plan.place.at, "plan.energy_j",
                               "is " + number_text(*plan.energy_j) + " J, below the least possible of " + number_text(least) +
                                   " J for an iteration of one replica; allow more energy"});
    return energy.time_for_energy(*plan.energy_j / scenario.job.gpus_per_rank);
  }
  if (plan.power_w) {
    if (*plan.power_w <= scenario.job.blocking_w)
      throw InputError(Problem{plan.place.at, "plan.power_w",
                               "is " + number_text(*plan.power_w) + " W, not above the " + number_text(scenario.job.blocking_w) +
                                   " W of a waiting GPU (no iteration would ever end); allow more power"});
    return energy.time_for_power(*plan.power_w * scenario.job.pipeline.stages);
  }
  return energy.shortest_s();
}

std::string megatron_text(PipelineScenario const& scenario, DiscretePlan const& plan) {
  auto const& m = scenario.megatron;
  auto const gpus = scenario.job.gpus_per_rank * scenario.job.pipeline.stages;
  auto const tokens = m.sequence > 0 ? "# tokens/s of the whole job: " + number_text(scenario.work() / plan.time_s) + "\n" : "";
  return "# " + scenario.fields.name + ": " + number_text(m.gpus()) + " GPUs, " + std::to_string(m.data) + " replicas of " +
         std::to_string(scenario.job.pipeline.stages) + " stages, " + std::to_string(scenario.job.pipeline.microbatches) + " microbatches each\n" +
         "# iteration: " + number_text(plan.time_s) + " s, " + number_text(plan.energy_j * scenario.job.gpus_per_rank) + " J a replica, " +
         number_text(plan.power_w() * scenario.job.gpus_per_rank / gpus) + " W a GPU\n" + tokens + m.flags() + "\n";
}

/// What the search finds with how many measurements, of each partition.
std::string budget_text(KareusSpec const& spec, KareusBudgetFields const& budget) {
  auto text = search_growth_head();
  SearchSize const size{static_cast<int>(budget.start), static_cast<int>(budget.batches), static_cast<int>(budget.per_batch)};
  for (auto const& partition : spec.partitions)
    text += search_growth_rows(partition.name, search_growth(every_setting(spec, partition), {size, spec.device.static_w, spec.seed, false}, budget.seeds));
  return text;
}

void print(PipelineScenario const& scenario, IterationEnergy const& energy, std::vector<Compared> const& rows, DiscretePlan const& plan) {
  auto const g = scenario.job.gpus_per_rank;
  std::printf("%s: %d stages, %d microbatches, %g GPUs a replica\n", scenario.fields.name.c_str(), scenario.job.pipeline.stages,
              scenario.job.pipeline.microbatches, g * scenario.job.pipeline.stages);
  std::printf("%-16s %12s %16s\n", "frontier", "time s", "energy J");
  for (auto const& [name, t] :
       {std::pair{"shortest", energy.shortest_s()}, std::pair{"least energy", energy.best_s()}, std::pair{"longest", energy.longest_s()}})
    std::printf("%-16s %12.4f %16.1f\n", name, t, energy.at(t) * g);
  std::printf("\n%-16s %12s %16s %9s %9s\n", "plan", "time s", "energy J", "saving", "slowdown");
  auto const line = [](Compared const& r) {
    std::printf("%-16s %12.4f %16.1f %8.2f %% %7.2f %%\n", r.name.c_str(), r.time_s, r.energy_j, 100 * r.saving, 100 * r.slowdown);
  };
  for (auto const& r : rows)
    if (!r.name.starts_with("zeus")) line(r);
  // Of the limits that cost at most 1 % of speed, the one that saves most.
  for (auto const* name : {"zeus-per-stage", "zeus-global"}) {
    Compared const* best = nullptr;
    for (auto const& r : rows)
      if (r.name == name && r.slowdown <= 0.01 && (best == nullptr || r.saving > best->saving)) best = &r;
    if (best != nullptr) line(*best);
  }
  std::printf("\nplan written: %.4f s, %.1f J, %.1f W a GPU\n", plan.time_s, plan.energy_j * g, plan.power_w() / scenario.job.pipeline.stages);
  auto const& proof = energy.frontier().certificate();
  std::printf("certificate: %s (%zu pieces checked, largest gap %s J)\n", proof.holds() ? "optimal" : "REFUTED", proof.pieces,
              number_text(proof.gap_j).c_str());
}

}  // namespace

int pipeline_job(std::vector<std::string> const& operands, po::variables_map const& given) {
  auto const start = std::chrono::steady_clock::now();
  expect_operands(operands, 1, 1, "PLAN.yaml");
  auto const given_scenario = load_pipeline(operands.front(), given.count("set") > 0 ? given["set"].as<std::vector<std::string>>() : std::vector<std::string>{},
                                            given.count("allow-outside") > 0 ? Outside::allowed : Outside::refused);
  auto scenario = given_scenario;
  auto const quiet = given.count("quiet") > 0;
  try {
    std::string kareus;
    if (scenario.kareus) {
      auto systems = kareus_systems(*scenario.kareus, scenario.job);
      kareus = kareus_csv(systems);
      scenario.job = std::move(std::ranges::find(systems, "kareus", &KareusSystem::name)->job);
    }
    JobModel const model(scenario.job);
    auto const energy = model.iteration();
    if (!energy.frontier().certificate().holds()) throw Defect("the frontier of " + scenario.fields.name + " is not optimal: its certificate was refuted");
    auto const time_s = planned_time(scenario, energy);
    std::array const deadline{std::max(time_s / energy.tau_s(), static_cast<double>(energy.frontier().shortest()))};
    auto plan = rounded(model, plans(model.project(), deadline).front());
    if (scenario.fields.plan.use_slack) plan = with_slack_used(model, std::move(plan), std::max(time_s, top_clock(model).time_s));
    auto const rows = comparisons(model, energy);
    auto const library = job_library(given_scenario, scenario.fields.name + "-curves");

    ResultFolder const made(given.count("out") > 0 ? given["out"].as<std::string>() : (fs::path("out") / scenario.fields.name).string(), scenario.fields.name,
                            scenario.files);
    auto const& folder = made.path();
    Manifest manifest;
    auto const write = [&](std::string const& name, std::string const& text) {
      write_file(folder / name, text);
      manifest.outputs.push_back(name);
    };
    fs::remove(folder / "manifest.json");  // comes last: a folder without one holds a run that did not end
    write("frontier.csv", frontier_csv(energy, scenario.job.gpus_per_rank, scenario.job.pipeline.stages));
    write("savings.csv", comparison_csv(rows));
    write("stragglers.csv", straggler_csv(model, energy, scenario.megatron.data, scenario.fields.stragglers));
    write("timeline.csv", timeline_csv(model, plan));
    write("power.csv", power_csv(model, plan));
    write("ranks.csv", ranks_csv(model, plan));
    write("stages.csv", stage_power_csv(stage_power(model, energy, stage_power_points)));
    if (scenario.kareus) write("kareus.csv", kareus);
    if (scenario.kareus && scenario.fields.kareus->budget) write("search_budget.csv", budget_text(*scenario.kareus, *scenario.fields.kareus->budget));
    write("schedule.json", schedule_json(model, plan));
    write("megatron.txt", megatron_text(scenario, plan));
    auto const text = library_text(library);
    write(library.name + ".yaml", text.yaml);
    write(library.name + ".csv", text.csv);
    manifest.scenario_name = scenario.fields.name;
    manifest.kind = scenario.fields.kind;
    manifest.resolved = scenario.resolved;
    manifest.inputs = scenario.files;
    manifest.libraries = {&library};
    manifest.notes = scenario.notes;
    manifest.command = command_line("pipeline", operands, given);
    manifest.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    write_file(folder / "manifest.json", manifest_json(manifest, folder));
    if (!quiet) {
      for (auto const& note : scenario.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
      if (!kareus.empty()) std::printf("%s\n", kareus.c_str());
      print(scenario, energy, rows, plan);
      std::printf("results in %s\n", folder.string().c_str());
    }
  } catch (InputError const& error) {
    rethrow_with_file(error, operands.front());
  }
  return 0;
}

}  // namespace wattfill::cli
