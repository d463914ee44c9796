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

/// When a mix is drawn often enough: the first time that, after a whole piece of its replications, the 95 % interval of the mean of a score is narrow enough
/// under every policy (or one) at every target. Decided on the replications folded in their order, so that where they were made does not show. The spread is
/// estimated from the same replications that decide: such intervals cover a little less than 95 % (Chow and Robbins 1965: it vanishes with the half width).
struct StopSpec {
  std::size_t score = 0;       ///< score::Index
  double half_width = 0;       ///< in its unit, > 0
  std::string policy;          ///< label; empty: every policy
  std::uint64_t least = 1024;  ///< not before so many replications
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
  std::optional<StopSpec> stop;          ///< mixes have up to their replications, as many as that needs. The outer bootstrap has all
  std::optional<CapacitySpec> capacity;  ///< what reduction can be promised; the first cut is then 0
};

}  // namespace wattfill
