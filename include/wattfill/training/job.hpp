#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "wattfill/training/cost_model.hpp"
#include "wattfill/training/pipeline.hpp"
#include "wattfill/training/savings.hpp"

namespace wattfill {

enum class Knob { clock_mhz, cap_w };
enum class CostForm { fitted, measured };  ///< exponential through the options, or their convex hull

/// The measured ways to do the passes through one virtual stage; time and energy of one GPU.
struct StageProfile {
  int virtual_stage;
  Direction direction;
  std::vector<ProfilePoint> points;
};

/// One iteration of one pipeline of a training job. Plain data.
struct TrainingJob {
  PipelineSpec pipeline;
  std::vector<StageProfile> profiles;
  Knob knob = Knob::clock_mhz;
  CostForm costs = CostForm::fitted;
  double tau_s = 0.001;      ///< time step of planned durations
  double blocking_w = 0;     ///< draw of one waiting GPU
  double gpus_per_rank = 1;  ///< tensor x context parallel GPUs that do the same at the same time
};

/// A job with everything that follows from it and costs little: graph, options and costs. Energies are of one GPU per rank throughout; whoever reports
/// multiplies by gpus_per_rank.
class JobModel {
 public:
  /// Throws InputError for what PipelineSpec, profiles and costs refuse, and for a stage without a profile.
  explicit JobModel(TrainingJob job);

  TrainingJob const& job() const { return job_; }
  Pipeline const& pipeline() const { return pipeline_; }
  Project const& project() const { return project_; }
  std::size_t kinds() const { return profiles_.size(); }
  /// The kind of an instruction: equal kinds have equal profiles.
  std::size_t kind_of(std::size_t instruction) const { return kind_of_[instruction]; }
  std::span<ProfilePoint const> profile(std::size_t kind) const { return profiles_[kind].points; }
  StageProfile const& stage_profile(std::size_t kind) const { return profiles_[kind]; }
  std::span<CostOption const> options(std::size_t kind) const { return options_[kind]; }
  double waiting_w() const { return job_.blocking_w * job_.pipeline.stages; }

  /// The exact frontier with its certificate.
  IterationEnergy iteration() const;
  /// E0 of the paper's emulation: measured energies at the top knob, waiting counted up to `time_s`.
  double fastest_energy_j(double time_s) const;

 private:
  TrainingJob job_;
  Pipeline pipeline_;
  std::vector<StageProfile> profiles_;
  std::vector<std::vector<CostOption>> options_;
  std::vector<std::size_t> kind_of_;
  Project project_;
};

}  // namespace wattfill
