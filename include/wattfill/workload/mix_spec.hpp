#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "wattfill/curve/curve_library.hpp"

namespace wattfill {

/// What the weights of a mix's groups count; decides how they become the share of jobs in a mix.
enum class Weighting {
  arrivals,    ///< submitted jobs: share of jobs = weight
  in_service,  ///< arrivals seen by a power manager: share of running jobs = weight x mean duration (Little's law)
  gpu_time,    ///< GPU time: share of running jobs = weight / mean GPUs of the group's curves
};

/// What was agreed with a job's owner.
struct JobTerms {
  double priority = 1;   ///< value of the job under the objective `weighted`, >= 0
  double min_speed = 0;  ///< agreed minimum as a fraction of full speed, in [0, 1]
  auto operator<=>(JobTerms const&) const = default;
};

/// A named group of a drawn mix: inside the group every curve is equally likely.
struct DrawGroup {
  std::string name;
  std::vector<Curve const*> curves;  ///< not empty; the libraries outlive the spec
  double weight = 1;                 ///< >= 0; normalised over the groups
  JobTerms terms;
  double mean_duration_s = 1;  ///< > 0; used under Weighting::in_service
};

/// `count` equal jobs of an explicit mix.
struct ExplicitJobs {
  Curve const* curve = nullptr;
  std::uint64_t count = 1;
  JobTerms terms;
};

/// How one mix of a study is made: drawn from groups, or listed (then there is no randomness and one replication).
struct MixSpec {
  std::string name;
  std::uint64_t replications = 500;
  std::uint64_t jobs = 100;  ///< jobs of a drawn mix
  Weighting weighting = Weighting::arrivals;
  std::vector<DrawGroup> draw;
  std::vector<ExplicitJobs> listed;
};

}  // namespace wattfill
