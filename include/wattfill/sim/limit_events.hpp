#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "wattfill/sim/limit_events_spec.hpp"

namespace wattfill {

/// The limit of one replication: `base_w` with the drawn events in it, ascending in time, the first step at 0. Gaps, depths and lengths have streams of their
/// own, addressed by (seed, replication): every policy meets the same events, and they are known before anything is decided. Throws InputError if there would
/// be more than a million.
std::vector<LimitStep> draw_limit(LimitEventsSpec const& spec, std::uint64_t seed, std::uint64_t replication);

/// The limit that is owed: falls count `ramp_s` later, when the draw must be under them; rises count at once. At x it is the highest of [x - ramp_s, x].
std::vector<LimitStep> owed_limit(std::span<LimitStep const> announced, LimitTerms const& terms);

/// The limit that the fleet acts on: falls come `lead_s` earlier (below 0: later). At x it is the lowest of [x, x + lead_s], or the highest of [x + lead_s, x].
std::vector<LimitStep> aimed_limit(std::span<LimitStep const> announced, LimitTerms const& terms);

}  // namespace wattfill
