#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattfill/sim/timeline_spec.hpp"
#include "wattfill/workload/arrivals_spec.hpp"

namespace wattfill {

/// One timeline study in domain terms.
struct TimelineStudySpec {
  std::uint64_t seed = 0;
  TimelineSpec run;                      ///< its jobs are those of every replication, unless they arrive at random
  std::optional<ArrivalsSpec> arrivals;  ///< jobs beside those of `run`
  std::vector<TimelinePolicySpec> policies;
  std::string reference = "proportional";  ///< label of the policy that differences refer to

  std::uint64_t replications() const { return arrivals ? arrivals->replications : 1; }
};

}  // namespace wattfill
