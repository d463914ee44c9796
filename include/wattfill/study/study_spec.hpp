#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattfill/flexibility/belief.hpp"
#include "wattfill/policy/policy_spec.hpp"
#include "wattfill/sim/metering_spec.hpp"
#include "wattfill/sim/objective.hpp"
#include "wattfill/workload/mix_spec.hpp"

namespace wattfill {

/// Outer bootstrap: repeats the whole study on resampled curve clusters (model x task, within each group) and on other library members.
struct OuterSpec {
  std::uint64_t draws = 0;                    ///< 0: none
  bool clusters = false;                      ///< resample clusters with replacement
  std::vector<std::vector<MixSpec>> members;  ///< the mixes over each library member, same names and order as StudySpec::mixes; empty: the study's own
};

/// What is asked of a capacity study.
struct CapacitySpec {
  std::vector<double> speed_losses{0.05};            ///< how much of the objective may be lost, each in (0, 1)
  std::vector<double> confidences{0.9, 0.95, 0.99};  ///< share of the mixes that can deliver, each in (0, 1)
};

/// One snapshot study in domain terms; knows neither YAML nor files. The curve libraries it points into must outlive it.
struct StudySpec {
  std::uint64_t seed = 0;
  Objective objective = Objective::gpu_speed;
  std::vector<MixSpec> mixes;
  std::vector<double> cuts;      ///< fractions of the uncapped draw, ascending as given, in [0, 1]; used if limits_w is empty
  std::vector<double> limits_w;  ///< explicit limits [W] instead of cuts
  std::vector<PolicySpec> policies;
  std::string reference = "proportional";  ///< label of the policy that differences refer to
  BeliefSpec belief;
  OuterSpec outer;
  std::optional<MeteringSpec> metering;  ///< the way to the meter, and where cuts and limits_w are meant; absent: at the GPUs
  std::optional<RackSpec> racks;         ///< limits of single racks beside the one of all GPUs; not together with metering
  std::optional<CapacitySpec> capacity;  ///< what reduction can be promised; the first cut is then 0
};

}  // namespace wattfill
