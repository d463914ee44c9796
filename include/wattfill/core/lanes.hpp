#pragma once
#include <cstddef>
#include <new>
#include <vector>

#define WATTFILL_INLINE inline __attribute__((always_inline))

namespace wattfill {

/// Four doubles that are added, multiplied and compared side by side (+ - * / < <= as for numbers): one register with AVX2, and few enough that a dozen running
/// sums stay in registers. Sums over classes are kept in four partial sums that are joined in one fixed order, so every processor gives the same bits.
using Lanes = double __attribute__((vector_size(32)));
using LaneMask = long long __attribute__((vector_size(32)));
inline constexpr std::size_t lane_count = 4;

WATTFILL_INLINE Lanes all_lanes(double x) { return Lanes{x, x, x, x}; }
/// Loads and stores need no alignment beyond a double's; LineAllocator gives more.
using LooseLanes = double __attribute__((vector_size(32), aligned(8), may_alias));
WATTFILL_INLINE Lanes load_lanes(double const* from) { return *reinterpret_cast<LooseLanes const*>(from); }
WATTFILL_INLINE void store_lanes(double* to, Lanes const& v) { *reinterpret_cast<LooseLanes*>(to) = v; }

WATTFILL_INLINE Lanes select(LaneMask const& m, Lanes const& yes, Lanes const& no) { return m ? yes : no; }
WATTFILL_INLINE Lanes min_each(Lanes const& a, Lanes const& b) { return a < b ? a : b; }

/// (v0 + v2) + (v1 + v3).
WATTFILL_INLINE double sum_lanes(Lanes const& v) { return (v[0] + v[2]) + (v[1] + v[3]); }
WATTFILL_INLINE double min_lanes(Lanes const& v) {
  double const left = v[0] < v[2] ? v[0] : v[2], right = v[1] < v[3] ? v[1] : v[3];
  return left < right ? left : right;
}

/// The sums of two vectors, still in two parts each.
WATTFILL_INLINE Lanes half_sums(Lanes const& v, Lanes const& w) {
  return __builtin_shufflevector(v, w, 0, 1, 4, 5) + __builtin_shufflevector(v, w, 2, 3, 6, 7);
}
/// The sums of four vectors, each exactly as sum_lanes has it.
WATTFILL_INLINE Lanes sum_four(Lanes const& v0, Lanes const& v1, Lanes const& v2, Lanes const& v3) {
  Lanes const a = half_sums(v0, v1), b = half_sums(v2, v3);
  return __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
}

/// Allocates on the boundary of a cache line, so that a load of four lanes never straddles two.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  LineAllocator() = default;
  template <class U>
  LineAllocator(LineAllocator<U> const&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
  bool operator==(LineAllocator const&) const = default;
};
using LaneVector = std::vector<double, LineAllocator<double>>;

/// Smallest multiple of lane_count that holds n.
constexpr std::size_t padded(std::size_t n) { return (n + lane_count - 1) / lane_count * lane_count; }

}  // namespace wattfill
