#pragma once
#include <cstddef>
#include <new>
#include <vector>

#define WATTFILL_INLINE inline __attribute__((always_inline))

namespace wattfill {

/// Four doubles that are added, multiplied and compared side by side (+ - * / < <= as for numbers): one register with AVX2.
using Quad = double __attribute__((vector_size(32)));
using QuadMask = long long __attribute__((vector_size(32)));
inline constexpr std::size_t quad_count = 4;
/// Eight doubles in two registers; core/sides.hpp has them in one of AVX-512.
struct QuadPair {
  Quad low, high;
};
struct QuadPairMask {
  QuadMask low, high;
};

/// Sums over classes are kept in eight partial sums (a QuadPair: L below) that are joined in one fixed order, so every processor gives the same
/// bits.
inline constexpr std::size_t lane_count = 8;

WATTFILL_INLINE QuadPair operator+(QuadPair const& a, QuadPair const& b) { return {a.low + b.low, a.high + b.high}; }
WATTFILL_INLINE QuadPair operator-(QuadPair const& a, QuadPair const& b) { return {a.low - b.low, a.high - b.high}; }
WATTFILL_INLINE QuadPair operator*(QuadPair const& a, QuadPair const& b) { return {a.low * b.low, a.high * b.high}; }
WATTFILL_INLINE QuadPair& operator+=(QuadPair& a, QuadPair const& b) { return a = a + b; }
WATTFILL_INLINE QuadPairMask operator<(QuadPair const& a, QuadPair const& b) { return {a.low < b.low, a.high < b.high}; }
WATTFILL_INLINE QuadPairMask operator<=(QuadPair const& a, QuadPair const& b) { return {a.low <= b.low, a.high <= b.high}; }
WATTFILL_INLINE QuadPairMask operator==(QuadPair const& a, QuadPair const& b) { return {a.low == b.low, a.high == b.high}; }

/// Loads and stores need no alignment beyond a double's; LineAllocator gives more.
using LooseQuad = double __attribute__((vector_size(32), aligned(8), may_alias));
WATTFILL_INLINE void load_lanes(double const* from, Quad& v) { v = *reinterpret_cast<LooseQuad const*>(from); }
WATTFILL_INLINE void load_lanes(double const* from, QuadPair& v) {
  load_lanes(from, v.low);
  load_lanes(from + 4, v.high);
}
template <class L>
WATTFILL_INLINE L load(double const* from) {
  L v;
  load_lanes(from, v);
  return v;
}
WATTFILL_INLINE void store(double* to, Quad const& v) { *reinterpret_cast<LooseQuad*>(to) = v; }
WATTFILL_INLINE void store(double* to, QuadPair const& v) {
  store(to, v.low);
  store(to + 4, v.high);
}
// x - 0 is x, bit for bit: one broadcast.
WATTFILL_INLINE void set_lanes(double x, Quad& v) { v = x - Quad{}; }
WATTFILL_INLINE void set_lanes(double x, QuadPair& v) { v = {x - Quad{}, x - Quad{}}; }
template <class L, class X>
WATTFILL_INLINE L all(X x) {
  L v;
  set_lanes(x, v);
  return v;
}

WATTFILL_INLINE Quad select(QuadMask const& m, Quad const& yes, Quad const& no) { return m ? yes : no; }
WATTFILL_INLINE QuadPair select(QuadPairMask const& m, QuadPair const& yes, QuadPair const& no) {
  return {select(m.low, yes.low, no.low), select(m.high, yes.high, no.high)};
}
template <class L>
WATTFILL_INLINE L min_each(L const& a, L const& b) {
  return select(a < b, a, b);
}

/// The first joining of eight partial sums: lane i with lane i + 4.
WATTFILL_INLINE Quad halved(QuadPair const& v) { return v.low + v.high; }
/// (v0 + v2) + (v1 + v3) of the four sums that remain.
WATTFILL_INLINE double sum_quad(Quad const& v) { return (v[0] + v[2]) + (v[1] + v[3]); }
template <class L>
WATTFILL_INLINE double sum_lanes(L const& v) {
  return sum_quad(halved(v));
}

WATTFILL_INLINE double min_quad(Quad const& v) {
  double const left = v[0] < v[2] ? v[0] : v[2], right = v[1] < v[3] ? v[1] : v[3];
  return left < right ? left : right;
}

/// Allocates on the boundary of a cache line, so that a load of lanes never straddles two.
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
