#include "wattfill/training/kareus_job.hpp"

#include <algorithm>
#include <cmath>

#include "wattfill/core/error.hpp"
#include "wattfill/core/random.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

using Settings = std::vector<PartitionSetting>;

/// What there is without scheduling: one setting per clock.
Settings default_settings(KareusSpec const& spec, KareusPartition const& partition, bool overlap) {
  auto const& measured = partition.table.settings;
  int first = 0, last = 0;
  if (measured.empty()) {
    first = partition.shape.groups.front().first;
    last = partition.shape.groups.back().last;
  } else {
    for (auto const& s : measured) last = std::max(last, s.end);
  }
  Settings settings;
  for (auto clock : spec.clocks_mhz) {
    PartitionSetting const setting{clock, overlap ? first : -1, overlap ? last : -1, spec.default_sms, spec.default_block};
    if (measured.empty() || std::ranges::find(measured, setting) != measured.end()) settings.push_back(setting);
  }
  if (settings.empty())
    throw InputError("the table of partition " + partition.name + " holds no setting " +
                     (overlap ? "that overlaps from the first group to the last" : "without overlap") + " with " + std::to_string(spec.default_sms) +
                     " SMs and blocks of " + std::to_string(spec.default_block) +
                     " (what communication gets where nothing schedules it); set default_sms and the first of blocks to measured ones");
  return settings;
}

PartitionKind with_costs(KareusSpec const& spec, KareusPartition const& partition, Settings settings) {
  PartitionKind kind{partition.name, partition.count, std::move(settings), {}};
  auto const& table = partition.table;
  for (auto const& s : kind.settings) {
    if (table.settings.empty())
      kind.costs.push_back(cost_of(spec.device, partition.shape, s));
    else
      kind.costs.push_back(table.costs[static_cast<std::size_t>(std::ranges::find(table.settings, s) - table.settings.begin())]);
  }
  return kind;
}

PartitionKind searched(KareusSpec const& spec, KareusPartition const& partition) {
  auto const all = every_setting(spec, partition);
  if (!spec.search) return {partition.name, partition.count, all.settings, all.costs};
  auto const order = search_partition(all.settings, [&](std::size_t i) { return all.costs[i]; },
                                      {*spec.search, spec.device.static_w, spec.seed + hash_name(partition.name), true});
  Settings found;
  for (auto i : order) found.push_back(all.settings[i]);
  // The defaults are known anyway, so that a search is never worse than not searching.
  for (bool overlap : {false, true})
    for (auto const& s : default_settings(spec, partition, overlap))
      if (std::ranges::find(found, s) == found.end()) found.push_back(s);
  return with_costs(spec, partition, std::move(found));
}

std::vector<OutsideCost> outside_of(KareusSpec const& spec, Direction direction, bool last_stage) {
  std::vector<OutsideCost> result;
  for (auto clock : spec.clocks_mhz) {
    OutsideCost cost{clock, {0, 0}};
    for (auto const& o : spec.outside) {
      if (o.direction != direction || (o.last_stage_only && !last_stage)) continue;
      auto const c = cost_of(spec.device, {{{o.flop, o.bytes, 0, 0}}, 0}, {clock, -1, -1, 1, spec.default_block});
      cost.cost.time_s += c.time_s;
      cost.cost.energy_j += c.energy_j;
    }
    result.push_back(cost);
  }
  return result;
}

using Kinds = std::vector<std::pair<Direction, PartitionKind>>;

KareusSystem system_of(std::string name, KareusSpec const& spec, TrainingJob job, Kinds const& kinds, double least_clock) {
  KareusSystem system{std::move(name), std::move(job), 0};
  system.job.profiles.clear();
  system.job.blocking_w = spec.device.static_w;
  for (auto const& [direction, kind] : kinds) system.measurements += kind.settings.size();
  for (auto direction : {Direction::forward, Direction::backward}) {
    std::vector<PartitionKind> of;
    for (auto const& [d, kind] : kinds)
      if (d == direction) of.push_back(kind);
    for (bool last : {false, true}) {
      auto outside = outside_of(spec, direction, last);
      std::erase_if(outside, [&](OutsideCost const& o) { return o.clock_mhz < least_clock; });
      auto const profile = profile_of(microbatch_frontier(of, outside, spec.device.static_w));
      auto const stages = system.job.pipeline.stages;
      for (int s = last ? stages - 1 : 0; s < (last ? stages : stages - 1); ++s) system.job.profiles.push_back({s, direction, profile});
    }
  }
  return system;
}

}  // namespace

PartitionTable every_setting(KareusSpec const& spec, KareusPartition const& partition) {
  PartitionTable all;
  if (!partition.table.settings.empty()) {
    for (std::size_t i = 0; i < partition.table.settings.size(); ++i) {
      auto const& s = partition.table.settings[i];
      if (std::ranges::find(spec.clocks_mhz, s.clock_mhz) == spec.clocks_mhz.end()) continue;
      all.settings.push_back(s);
      all.costs.push_back(partition.table.costs[i]);
    }
    return all;
  }
  auto const& groups = partition.shape.groups;
  for (auto clock : spec.clocks_mhz)
    for (auto sms : spec.sms)
      for (auto block : spec.blocks) {
        all.settings.push_back({clock, -1, -1, sms, block});
        for (std::size_t a = 0; a < groups.size(); ++a)
          for (auto b = a; b < groups.size(); ++b) all.settings.push_back({clock, groups[a].first, groups[b].last, sms, block});
      }
  all.costs = with_costs(spec, partition, all.settings).costs;
  return all;
}

std::vector<KareusSystem> kareus_systems(KareusSpec const& spec, TrainingJob const& job) {
  if (spec.clocks_mhz.empty() || spec.sms.empty() || spec.blocks.empty())
    throw InputError("a Kareus job needs clocks, SMs and blocks to choose from; give some");
  if (job.pipeline.schedule == PipelineSpec::Schedule::interleaved || job.pipeline.schedule == PipelineSpec::Schedule::early_recomputation)
    throw InputError("Kareus's partitions are composed for 1f1b and gpipe; set schedule to one of them");
  for (auto const& p : spec.partitions)
    if (p.table.settings.empty() && p.shape.groups.empty())
      throw InputError("the partition " + p.name + " computes nothing (there is nothing to send beside); give groups");
  auto const kinds = [&](auto const& make) {
    Kinds result;
    for (auto const& p : spec.partitions) result.emplace_back(p.direction, make(p));
    return result;
  };
  auto const sequential = kinds([&](auto const& p) { return with_costs(spec, p, default_settings(spec, p, false)); });
  auto const overlapped = kinds([&](auto const& p) { return with_costs(spec, p, default_settings(spec, p, true)); });
  auto const found = kinds([&](auto const& p) { return searched(spec, p); });
  auto const all = kinds([&](auto const& p) { return with_costs(spec, p, every_setting(spec, p).settings); });
  auto const top = *std::ranges::max_element(spec.clocks_mhz);
  return {system_of("megatron-perseus", spec, job, sequential, 0),
          system_of("nanobatching-perseus", spec, job, overlapped, 0),
          system_of("kareus", spec, job, found, 0),
          system_of("kareus-no-clock", spec, job, all, top),
          system_of("kareus-no-scheduling", spec, job, kinds([&](auto const& p) {
                      auto settings = default_settings(spec, p, false);
                      auto const overlap = default_settings(spec, p, true);
                      settings.insert(settings.end(), overlap.begin(), overlap.end());
                      return with_costs(spec, p, std::move(settings));
                    }),
                    0),
          system_of("kareus-exhaustive", spec, job, all, 0)};
}

std::string kareus_csv(std::vector<KareusSystem> const& systems) {
  std::string text = "system,measurements,shortest_s,energy_j,static_j,dynamic_j,best_s,best_energy_j,iso_time,iso_energy,saving\n";
  if (systems.empty()) return text;
  JobModel const first(systems.front().job);
  auto const base = first.iteration();
  auto const top_j = first.fastest_energy_j(base.shortest_s());
  for (auto const& s : systems) {
    auto const energy = JobModel(s.job).iteration();
    auto const g = gain(base, energy);
    auto const shortest = energy.shortest_s(), gpus = s.job.gpus_per_rank;
    auto const static_j = energy.waiting_w() * shortest;
    text += s.name + "," + std::to_string(s.measurements);
    auto const add = [&](double x) { text += "," + number_text(x); };
    for (double x : {shortest, energy.at(shortest) * gpus, static_j * gpus, (energy.at(shortest) - static_j) * gpus, energy.best_s(),
                     energy.at(energy.best_s()) * gpus, g.iso_time, g.iso_energy})
      add(x);
    add(shortest <= base.shortest_s() ? 1 - energy.at(std::min(base.shortest_s(), energy.best_s())) / top_j : std::nan(""));
    text += "\n";
  }
  return text;
}

}  // namespace wattfill
