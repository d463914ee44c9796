#pragma once
#include <cstddef>
#include <new>
#include <vector>

#define WATTFILL_INLINE inline __attribute__((always_inline))

namespace wattfill {

/// Eight doubles that are added, multiplied and compared side by side, as two vectors of four: the widest that compilers compare without taking it apart on
/// processors with AVX2. Sums over classes are kept in eight partial sums that are joined in one fixed order, so every vector width gives the same bits.
struct Lanes {
  using Four = double __attribute__((vector_size(32)));
  Four low{}, high{};
};
struct LaneMask {
  using Four = long long __attribute__((vector_size(32)));
  Four low, high;
};
inline constexpr std::size_t lane_count = 8;

WATTFILL_INLINE Lanes all_lanes(double x) { return {Lanes::Four{} + x, Lanes::Four{} + x}; }
/// Loads and stores need no alignment beyond a double's; LineAllocator gives more.
using LooseFour = double __attribute__((vector_size(32), aligned(8), may_alias));
WATTFILL_INLINE Lanes load_lanes(double const* from) {
  return {*reinterpret_cast<LooseFour const*>(from), *reinterpret_cast<LooseFour const*>(from + 4)};
}
WATTFILL_INLINE void store_lanes(double* to, Lanes const& v) {
  *reinterpret_cast<LooseFour*>(to) = v.low;
  *reinterpret_cast<LooseFour*>(to + 4) = v.high;
}

WATTFILL_INLINE Lanes operator+(Lanes const& a, Lanes const& b) { return {a.low + b.low, a.high + b.high}; }
WATTFILL_INLINE Lanes operator-(Lanes const& a, Lanes const& b) { return {a.low - b.low, a.high - b.high}; }
WATTFILL_INLINE Lanes operator*(Lanes const& a, Lanes const& b) { return {a.low * b.low, a.high * b.high}; }
WATTFILL_INLINE Lanes operator/(Lanes const& a, Lanes const& b) { return {a.low / b.low, a.high / b.high}; }
WATTFILL_INLINE Lanes& operator+=(Lanes& a, Lanes const& b) { return a = a + b; }
WATTFILL_INLINE LaneMask operator<(Lanes const& a, Lanes const& b) { return {a.low < b.low, a.high < b.high}; }
WATTFILL_INLINE LaneMask operator<=(Lanes const& a, Lanes const& b) { return {a.low <= b.low, a.high <= b.high}; }
WATTFILL_INLINE Lanes select(LaneMask const& m, Lanes const& yes, Lanes const& no) { return {m.low ? yes.low : no.low, m.high ? yes.high : no.high}; }
WATTFILL_INLINE Lanes min_each(Lanes const& a, Lanes const& b) { return select(a < b, a, b); }

/// ((v0 + v4) + (v2 + v6)) + ((v1 + v5) + (v3 + v7)): halves are added, then quarters, then the last pair.
WATTFILL_INLINE double sum_lanes(Lanes const& v) {
  auto const four = v.low + v.high;
  return (four[0] + four[2]) + (four[1] + four[3]);
}
WATTFILL_INLINE double min_lanes(Lanes const& v) {
  auto const four = v.low < v.high ? v.low : v.high;
  double const left = four[0] < four[2] ? four[0] : four[2], right = four[1] < four[3] ? four[1] : four[3];
  return left < right ? left : right;
}

/// The sums of two vectors, still in two parts each.
WATTFILL_INLINE Lanes::Four half_sums(Lanes const& v, Lanes const& w) {
  auto const a = v.low + v.high, b = w.low + w.high;
  return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}
/// The sums of four vectors, each exactly as sum_lanes has it.
WATTFILL_INLINE Lanes::Four sum_four(Lanes const& v0, Lanes const& v1, Lanes const& v2, Lanes const& v3) {
  auto const a = half_sums(v0, v1), b = half_sums(v2, v3);
  return __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
}

/// Allocates on the boundary of a cache line, so that a load of eight lanes never straddles two.
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
