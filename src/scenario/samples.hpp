#pragma once
#include <vector>

#include "wattfill/scenario/spec.hpp"

namespace wattfill {

/// The values of every point, [point][key of samples.over]. Throws InputError for ranges that are none.
std::vector<std::vector<Node>> sample_values(SamplesFields const& samples, std::uint64_t seed);

}  // namespace wattfill
