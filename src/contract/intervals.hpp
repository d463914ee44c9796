#pragma once
#include <cmath>
#include <utility>
#include <vector>

#include "wattfill/contract/civil_time.hpp"

namespace wattfill {

/// [start, end) cut at multiples of `length_s`; none if it has no length.
inline std::vector<std::pair<Instant, Instant>> intervals_of(Instant start, Instant end, double length_s) {
  std::vector<std::pair<Instant, Instant>> cut;
  for (Instant from = start; from < end;) {
    auto const next = (std::floor(from / length_s) + 1) * length_s;
    cut.emplace_back(from, next < end ? next : end);
    from = next;
  }
  return cut;
}

}  // namespace wattfill
