#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattfill/contract/contract_spec.hpp"
#include "wattfill/sim/timeline_spec.hpp"
#include "wattfill/study/firm_spec.hpp"
#include "wattfill/workload/arrivals_spec.hpp"

namespace wattfill {

/// A contract over the time of a run. Its events are instants, time 0 of the run is `start`.
struct TimelineContract {
  ContractSpec terms;
  std::string name;
  bool follow = false;  ///< the meter is limited during events to the baseline of a run without them less what is owed
  double lead_s = 0;    ///< and this long before, to the level of the start: fans and cooling lag behind
};

/// One timeline study in domain terms.
struct TimelineStudySpec {
  std::uint64_t seed = 0;
  TimelineSpec run;                      ///< its jobs are those of every replication, unless they arrive at random
  std::optional<ArrivalsSpec> arrivals;  ///< jobs beside those of `run`
  std::vector<TimelinePolicySpec> policies;
  std::string reference = "proportional";    ///< label of the policy that differences refer to
  Instant start = 0;                         ///< what time 0 is
  std::optional<TimelineContract> contract;  ///< needs the run's metering with reading_s
  std::optional<FirmSpec> firm;              ///< what can be promised; needs the same, the run's probe, and no limit
  std::optional<LimitEventsSpec> events;     ///< the limit is drawn, instead of that of `run`
  LimitTerms terms;                          ///< of falls of the limit
  std::uint64_t repeats = 1;                 ///< replications where jobs do not arrive at random: other draws of everything else

  std::uint64_t replications() const { return arrivals ? arrivals->replications : repeats; }
};

}  // namespace wattfill
