#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattfill/curve/curve_library.hpp"
#include "wattfill/scenario/fields.hpp"
#include "wattfill/training/job.hpp"

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

/// A pipeline scenario.
struct PipelineFields {
  std::uint64_t wattfill = 1;
  std::string name;
  std::string kind = "pipeline";
  MegatronFields megatron;
  PipelineSpec::Schedule schedule = PipelineSpec::Schedule::one_f_one_b;
  ProfileFields profile;
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
