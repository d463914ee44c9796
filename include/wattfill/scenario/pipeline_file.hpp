#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "wattfill/scenario/file_reach.hpp"
#include "wattfill/scenario/megatron.hpp"
#include "wattfill/scenario/pipeline_spec.hpp"
#include "wattfill/training/job.hpp"
#include "wattfill/training/kareus_job.hpp"

namespace wattfill {

/// A pipeline scenario as understood: complete and checked.
struct PipelineScenario {
  PipelineFields fields;
  MegatronJob megatron;
  TrainingJob job;                           ///< with `kareus:` without profiles
  std::optional<KareusSpec> kareus;          ///< instead of a profile
  std::string resolved;                      ///< every key with its value, as YAML
  std::vector<std::filesystem::path> files;  ///< every file read, for hashing
  std::vector<std::string> notes;

  std::string speed_unit() const { return megatron.sequence > 0 ? "tokens/s" : "iterations/s"; }
  double work() const { return megatron.sequence > 0 ? static_cast<double>(megatron.global_batch) * static_cast<double>(megatron.sequence) : 1; }
};

/// Reads a scenario of kind pipeline and its profile; `sets` as for other scenarios. Throws InputError that lists every mistake found.
PipelineScenario load_pipeline(std::filesystem::path const& file, std::vector<std::string> const& sets = {}, Outside outside = Outside::refused);

/// Reads a profile: columns stage, instruction (forward, backward, recomputation), clock_mhz (or frequency) or cap_w, time_s (or time), energy_j (or
/// energy). Every time and energy is multiplied by `repeat`. `stages`: the profile's stage for each virtual stage; empty: the same numbers.
std::vector<StageProfile> read_stage_profiles(std::filesystem::path const& file, double repeat, std::vector<std::uint64_t> const& stages, Knob& knob);

}  // namespace wattfill
