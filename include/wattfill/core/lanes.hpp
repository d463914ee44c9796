#pragma once
#include <cstddef>
#include <cstring>

#define WATTFILL_INLINE inline __attribute__((always_inline))

namespace wattfill {

/// Eight doubles that are added, multiplied and compared side by side: one, two or four machine registers, chosen by the compiler. Sums over classes are
/// kept in eight partial sums that are joined in one fixed order, so every vector width gives the same bits.
using Lanes = double __attribute__((vector_size(64)));
using LaneMask = long long __attribute__((vector_size(64)));
inline constexpr std::size_t lane_count = 8;

WATTFILL_INLINE Lanes load_lanes(double const* from) {
  Lanes v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
WATTFILL_INLINE void store_lanes(double* to, Lanes const& v) { std::memcpy(to, &v, sizeof v); }
WATTFILL_INLINE double sum_lanes(Lanes const& v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }
WATTFILL_INLINE double min_lanes(Lanes const& v) {
  double least = v[0];
  for (std::size_t l = 1; l < lane_count; ++l) least = v[l] < least ? v[l] : least;
  return least;
}

/// Smallest multiple of lane_count that holds n.
constexpr std::size_t padded(std::size_t n) { return (n + lane_count - 1) / lane_count * lane_count; }

}  // namespace wattfill
