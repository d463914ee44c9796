#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattfill/curve/curve_library.hpp"
#include "wattfill/scenario/fields.hpp"
#include "wattfill/training/job.hpp"
#include "wattfill/training/kareus_job.hpp"

/// Plain mirror of a pipeline scenario, with defaults in place; its table of keys is in src/scenario/pipeline_table.cpp, what it means together is
/// worked out in pipeline_file.
namespace wattfill {

/// `megatron:` as a map of Megatron-LM's flags without their dashes, or as the command line itself.
struct MegatronFields {
  std::optional<Placed<std::uint64_t>> tensor, pipeline, data, context, micro_batch, global_batch, world, layers, layers_per_chunk, group, sequence;
  Placed<std::string> flags;  ///< if it was written as a command line
  Place place;
};

/// `profile:`
struct ProfileFields {
  Placed<std::string> file;
  double repeat = 1;
  std::vector<std::uint64_t> stages;
  Place place;
};

/// `gpu:`
struct PipelineGpuFields {
  std::string model;
  double tdp_w = 0;
  double blocking_w = 0;
};

/// `plan:`
struct PlanFields {
  std::optional<double> deadline_s, energy_j, power_w;
  bool use_slack = true;
  Place place;
};

/// `curve:`
struct DerivedCurveFields {
  double least_speed = 0.1;
  std::uint64_t points = 24;
  std::string architecture, task, model;
};

/// An entry of `kareus.partitions.NAME.sweeps:`
struct KareusSweepFields {
  double clock_mhz = 0;
  Placed<std::string> file;
  Place place;
};
/// An entry of `kareus.partitions:`: measured in sweeps, or groups of computations on the device.
struct KareusPartitionFields {
  Direction direction = Direction::forward;
  double count = 1;
  std::vector<std::vector<double>> groups;  ///< [flop, bytes] each
  std::optional<double> message_bytes;
  std::vector<KareusSweepFields> sweeps;
  std::uint64_t ranks = 1;
  Place place;
};
/// `kareus.budget:`
struct KareusBudgetFields {
  std::uint64_t seeds = 50, start = 24, batches = 8, per_batch = 12;
};
enum class KareusSearch { small, medium, large, exhaustive };
/// `kareus:`
struct KareusFields {
  DeviceModel device;
  std::vector<double> clocks_mhz;
  std::vector<std::uint64_t> sms;
  std::vector<std::uint64_t> blocks{512};
  std::uint64_t default_sms = 20;
  std::vector<Named<KareusPartitionFields>> partitions;
  std::vector<KareusOutside> outside;
  KareusSearch search = KareusSearch::small;
  std::optional<KareusBudgetFields> budget;
  std::uint64_t seed = 0;
  Place place;
};

/// A pipeline scenario.
struct PipelineFields {
  std::uint64_t wattfill = 1;
  std::string name;
  std::string kind = "pipeline";
  MegatronFields megatron;
  PipelineSpec::Schedule schedule = PipelineSpec::Schedule::one_f_one_b;
  std::optional<ProfileFields> profile;
  std::optional<KareusFields> kareus;
  PipelineGpuFields gpu;
  double tau_s = 0.001;
  CostForm costs = CostForm::fitted;
  PlanFields plan;
  std::vector<double> stragglers;
  DerivedCurveFields curve;
  std::optional<Source> source;
  Place place;
};

Format<PipelineFields> const& pipeline_format();

}  // namespace wattfill
