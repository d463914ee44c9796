#include "wattfill/scenario/pipeline_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "scenario/input_file.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/library_shelf.hpp"
#include "wattfill/scenario/partition_table.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

std::size_t one_of(CsvTable const& table, std::vector<std::string> const& names) {
  for (auto const& name : names)
    if (auto const column = table.find(name)) return *column;
  return table.column(names.front());  // says that it is missing
}

Direction direction_of(CsvTable const& table, std::size_t row, std::size_t column) {
  for (auto d : {Direction::forward, Direction::backward, Direction::recomputation})
    if (table.text(row, column) == to_string(d)) return d;
  throw InputError(
      Problem{table.at(row, column), "instruction",
              quotation(table.text(row, column)) + " is not known" + suggestion(table.text(row, column), {"forward", "backward", "recomputation"})});
}

/// A file that the scenario names. Throws InputError if it is out of reach.
std::filesystem::path in_reach(Placed<std::string> const& name, std::filesystem::path const& folder, FileReach const& reach) {
  auto file = folder / name.value;
  if (auto const refused = reach.refusal(name, file)) throw InputError(*refused);
  return file;
}

/// Of a partition, its measured sweeps, if it has some.
PartitionTable sweeps_of(KareusPartitionFields const& p, KareusFields const& fields, std::filesystem::path const& folder, FileReach const& reach,
                         std::vector<std::filesystem::path>& files) {
  PartitionTable table;
  std::vector<double> clocks;
  for (auto const& sweep : p.sweeps) {
    auto const clock = number_text(sweep.clock_mhz) + " MHz";
    if (std::ranges::find(fields.clocks_mhz, sweep.clock_mhz) == fields.clocks_mhz.end())
      throw InputError(
          Problem{sweep.place.at, joined_key(sweep.place.key, "clock_mhz"), clock + " is not among kareus.clocks_mhz (it would not be used); add it there"});
    if (std::ranges::find(clocks, sweep.clock_mhz) != clocks.end())
      throw InputError(
          Problem{sweep.place.at, joined_key(sweep.place.key, "clock_mhz"), "there are two sweeps at " + clock + " (which one counts?); keep one"});
    clocks.push_back(sweep.clock_mhz);
    files.push_back(in_reach(sweep.file, folder, reach));
    read_partition_table(files.back(), sweep.clock_mhz, static_cast<int>(p.ranks), table);
  }
  return table;
}

void check_partition(KareusPartitionFields const& p, Reading& reading) {
  if (!p.sweeps.empty() && (!p.groups.empty() || p.message_bytes))
    reading.refuse(p.place, "sweeps and groups or message_bytes are both given (each says what settings cost); remove one");
  if (p.sweeps.empty() && (p.groups.empty() || !p.message_bytes))
    reading.refuse(p.place, "groups and message_bytes are not both given, and sweeps are missing, too (what does a setting cost?); add either");
}

KareusSpec kareus_of(KareusFields const& fields, std::filesystem::path const& folder, FileReach const& reach, std::vector<std::filesystem::path>& files) {
  KareusSpec spec;
  spec.device = fields.device;
  spec.clocks_mhz = fields.clocks_mhz;
  spec.sms.assign(fields.sms.begin(), fields.sms.end());
  spec.blocks.assign(fields.blocks.begin(), fields.blocks.end());
  spec.default_sms = static_cast<int>(fields.default_sms);
  spec.default_block = spec.blocks.front();
  for (auto const& [name, p, place] : fields.partitions) {
    KareusPartition partition{name, p.direction, p.count, {{}, p.message_bytes.value_or(0)}, sweeps_of(p, fields, folder, reach, files)};
    for (auto const& g : p.groups) {
      auto const number = static_cast<int>(partition.shape.groups.size());
      partition.shape.groups.push_back({g[0], g[1], number, number});
    }
    spec.partitions.push_back(std::move(partition));
  }
  spec.outside = fields.outside;
  if (fields.search != KareusSearch::exhaustive)
    spec.search = fields.search == KareusSearch::small ? small_search : fields.search == KareusSearch::medium ? medium_search : large_search;
  spec.seed = fields.seed;
  return spec;
}

void check_plan(PlanFields const& plan, Reading& reading) {
  auto const given = static_cast<int>(plan.deadline_s.has_value()) + static_cast<int>(plan.energy_j.has_value()) + static_cast<int>(plan.power_w.has_value());
  if (given > 1) reading.refuse(plan.place, "deadline_s, energy_j and power_w each say which plan is wanted; give one of them");
}

}  // namespace

std::vector<StageProfile> read_stage_profiles(std::filesystem::path const& file, double repeat, std::vector<std::uint64_t> const& stages, Knob& knob) {
  auto const table = CsvTable::read(file);
  auto const stage = table.column("stage"), instruction = table.column("instruction");
  auto const time = one_of(table, {"time_s", "time"}), energy = one_of(table, {"energy_j", "energy"});
  knob = table.find("cap_w") && !table.find("clock_mhz") ? Knob::cap_w : Knob::clock_mhz;
  auto const setting = knob == Knob::cap_w ? table.column("cap_w") : one_of(table, {"clock_mhz", "frequency"});
  std::map<std::pair<std::uint64_t, Direction>, std::vector<ProfilePoint>> profiles;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto const s = table.number(row, stage);
    if (!(s >= 0 && s <= (1U << 20U) && s == std::floor(s)))
      throw InputError(Problem{table.at(row, stage), "stage", quotation(table.text(row, stage)) + " is not a stage (whole numbers from 0); correct it"});
    ProfilePoint const point{table.number(row, setting), table.number(row, time) * repeat, table.number(row, energy) * repeat};
    if (!(point.time_s > 0)) throw InputError(Problem{table.at(row, time), table.header()[time], table.text(row, time) + " is not positive; correct it"});
    if (!(point.energy_j >= 0)) throw InputError(Problem{table.at(row, energy), table.header()[energy], table.text(row, energy) + " is negative; correct it"});
    auto& points = profiles[{static_cast<std::uint64_t>(s), direction_of(table, row, instruction)}];
    if (std::ranges::find(points, point.knob, &ProfilePoint::knob) != points.end())
      throw InputError(Problem{table.at(row, setting), table.header()[setting],
                               table.text(row, setting) + " is there twice for this stage and instruction (which one is meant?); remove one"});
    points.push_back(point);
  }
  std::vector<StageProfile> result;
  if (stages.empty()) {
    for (auto const& [kind, points] : profiles) result.push_back({static_cast<int>(kind.first), kind.second, points});
    return result;
  }
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (auto d : {Direction::forward, Direction::backward, Direction::recomputation})
      if (auto const found = profiles.find({stages[s], d}); found != profiles.end()) result.push_back({static_cast<int>(s), d, found->second});
  return result;
}

PipelineScenario load_pipeline(std::filesystem::path const& file, std::vector<std::string> const& sets, Outside outside) {
  PipelineScenario scenario;
  Reading reading;
  auto& fields = scenario.fields;
  fields = read_fields(pipeline_format(), read_input(file, sets, "pipeline scenario", {"pipeline"}));
  scenario.resolved = to_yaml(pipeline_format().echo(fields));
  check_plan(fields.plan, reading);
  if (fields.kareus)
    for (auto const& partition : fields.kareus->partitions) check_partition(partition.value, reading);
  scenario.megatron = megatron_job(fields.megatron, fields.schedule, scenario.notes, reading);
  reading.finish();

  if (fields.profile.has_value() == fields.kareus.has_value())
    throw InputError(Problem{fields.place.at, "profile",
                             fields.profile
                                 ? "profile and kareus are both given (each says what the passes take); remove one"
                                 : "this key is missing, and kareus too (what do the passes take?); add one, for example profile: {file: profile.csv}"});
  scenario.files = {file};
  auto& job = scenario.job;
  job.pipeline = scenario.megatron.pipeline;
  job.costs = fields.costs;
  job.tau_s = fields.tau_s;
  job.blocking_w = fields.gpu.blocking_w;
  job.gpus_per_rank = 1.0 * scenario.megatron.tensor * scenario.megatron.context;
  auto const folder = folder_of(file);
  auto reachable = curve_folders({}, folder);
  reachable.push_back(folder);
  FileReach const reach(reachable, outside);
  if (fields.kareus) {
    scenario.kareus = kareus_of(*fields.kareus, folder, reach, scenario.files);
    return scenario;
  }
  auto const profile = in_reach(fields.profile->file, folder, reach);
  scenario.files.push_back(profile);
  job.profiles = read_stage_profiles(profile, fields.profile->repeat, fields.profile->stages, job.knob);
  return scenario;
}

}  // namespace wattfill
