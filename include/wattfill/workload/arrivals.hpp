#pragma once
#include <cstdint>
#include <vector>

#include "wattfill/workload/arrivals_spec.hpp"

namespace wattfill {

/// The jobs of one replication of a Poisson process (rates that change over the day by thinning: Lewis and Shedler 1979), ids "GROUP-NUMBER" in order of
/// arrival. Drawn before anything is decided, at the addresses (seed, "arrivals", replication): every policy meets the same jobs. Throws InputError beyond
/// `most_arrivals` jobs.
std::vector<TimelineJob> draw_arrivals(ArrivalsSpec const& spec, std::uint64_t seed, std::uint64_t replication);

inline constexpr std::size_t most_arrivals = 10'000'000;

}  // namespace wattfill
