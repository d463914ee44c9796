#pragma once
#include <filesystem>
#include <optional>

#include "support/skip.hpp"
#include "training/profiles.hpp"
#include "wattfill/training/job.hpp"

namespace wattfill::test {

/// Two stages, `microbatches` of them: forward 1 s at 100 W or 2 s at 40 W, backward twice that; the second stage is the lighter by a factor `light`.
/// Waiting draws 10 W; tau 0.25 s.
inline TrainingJob small_job(int microbatches = 2, double light = 0.5) {
  TrainingJob job;
  job.pipeline = {.stages = 2, .microbatches = microbatches};
  job.costs = CostForm::measured;
  job.tau_s = 0.25;
  job.blocking_w = 10;
  for (int s = 0; s < 2; ++s) {
    auto const f = s == 0 ? 1.0 : light;
    job.profiles.push_back({s, Direction::forward, {{1000, f, 100 * f}, {750, 1.5 * f, 90 * f}, {500, 2 * f, 80 * f}}});
    job.profiles.push_back({s, Direction::backward, {{1000, 2 * f, 200 * f}, {750, 3 * f, 180 * f}, {500, 4 * f, 160 * f}}});
  }
  return job;
}

/// GPT-3 175B of the published emulation, if it is there; says so where it is not.
inline std::optional<TrainingJob> gpt3(int microbatches, bool a100 = true) {
  auto const file = testing::public_data("perseus-sosp24/stage_profile/gpt3-175b+" + std::string(a100 ? "a100_sxm" : "a40") + "_bf16.csv");
  if (!testing::is_there(file)) return std::nullopt;
  TrainingJob job;
  job.pipeline = {.stages = 8, .microbatches = microbatches};
  job.tau_s = a100 ? 1e-3 : 1e-4;
  job.blocking_w = a100 ? 83.64 : 70.38;
  job.gpus_per_rank = 8;
  for (auto const& [kind, points] : read_profiles(file)) job.profiles.push_back({kind.first, kind.second, points});
  return job;
}

}  // namespace wattfill::test
