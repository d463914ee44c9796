#pragma once
#include <cstddef>
#include <new>
#include <vector>

#define WATTFILL_INLINE inline __attribute__((always_inline))

namespace wattfill {

/// Four doubles that are added, multiplied and compared side by side (+ - * / < <= as for numbers): one register with AVX2.
using Quad = double __attribute__((vector_size(32)));
using QuadMask = long long __attribute__((vector_size(32)));
/// Eight doubles in one register of AVX-512. Only functions compiled for AVX-512 may use it: GCC compares it element by element elsewhere.
using Octet = double __attribute__((vector_size(64)));
using OctetMask = long long __attribute__((vector_size(64)));
/// The same eight doubles in two registers.
struct QuadPair {
  Quad low, high;
};
struct QuadPairMask {
  QuadMask low, high;
};

/// Sums over classes are kept in eight partial sums (an Octet or a QuadPair: L below) that are joined in one fixed order, so every processor gives the same
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
using LooseOctet = double __attribute__((vector_size(64), aligned(8), may_alias));
WATTFILL_INLINE void load_lanes(double const* from, Quad& v) { v = *reinterpret_cast<LooseQuad const*>(from); }
WATTFILL_INLINE void load_lanes(double const* from, Octet& v) { v = *reinterpret_cast<LooseOctet const*>(from); }
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
WATTFILL_INLINE void store(double* to, Octet const& v) { *reinterpret_cast<LooseOctet*>(to) = v; }
WATTFILL_INLINE void store(double* to, QuadPair const& v) {
  store(to, v.low);
  store(to + 4, v.high);
}
// x - 0 is x, bit for bit: one broadcast.
WATTFILL_INLINE void set_lanes(double x, Quad& v) { v = x - Quad{}; }
WATTFILL_INLINE void set_lanes(double x, Octet& v) { v = x - Octet{}; }
WATTFILL_INLINE void set_lanes(double x, QuadPair& v) { v = {x - Quad{}, x - Quad{}}; }
/// Sixteen numbers of single precision, for estimates: one register with AVX-512, a pair with less.
using SingleHalf = float __attribute__((vector_size(32)));
using SingleHalfMask = int __attribute__((vector_size(32)));
using SingleLine = float __attribute__((vector_size(64)));
using SingleLineMask = int __attribute__((vector_size(64)));
struct SinglePair {
  SingleHalf low, high;
};
struct SinglePairMask {
  SingleHalfMask low, high;
};
template <class L>
struct SinglesOf {
  using type = SinglePair;
};
template <>
struct SinglesOf<Octet> {
  using type = SingleLine;
};
using LooseSingleHalf = float __attribute__((vector_size(32), aligned(4), may_alias));
using LooseSingleLine = float __attribute__((vector_size(64), aligned(4), may_alias));
WATTFILL_INLINE SinglePair operator+(SinglePair const& a, SinglePair const& b) { return {a.low + b.low, a.high + b.high}; }
WATTFILL_INLINE SinglePair operator*(SinglePair const& a, SinglePair const& b) { return {a.low * b.low, a.high * b.high}; }
WATTFILL_INLINE SinglePair& operator+=(SinglePair& a, SinglePair const& b) { return a = a + b; }
WATTFILL_INLINE SinglePairMask operator<(SinglePair const& a, SinglePair const& b) { return {a.low < b.low, a.high < b.high}; }
WATTFILL_INLINE void load_singles(float const* from, SingleLine& v) { v = *reinterpret_cast<LooseSingleLine const*>(from); }
WATTFILL_INLINE void load_singles(float const* from, SinglePair& v) {
  v = {*reinterpret_cast<LooseSingleHalf const*>(from), *reinterpret_cast<LooseSingleHalf const*>(from + 8)};
}
WATTFILL_INLINE void set_lanes(float x, SingleLine& v) { v = x + SingleLine{}; }  // + keeps GCC 12 from making it a masked load for each element
WATTFILL_INLINE void set_lanes(float x, SinglePair& v) { v = {x + SingleHalf{}, x + SingleHalf{}}; }
template <class L, class X>
WATTFILL_INLINE L all(X x) {
  L v;
  set_lanes(x, v);
  return v;
}

WATTFILL_INLINE Quad select(QuadMask const& m, Quad const& yes, Quad const& no) { return m ? yes : no; }
WATTFILL_INLINE Octet select(OctetMask const& m, Octet const& yes, Octet const& no) { return m ? yes : no; }
WATTFILL_INLINE QuadPair select(QuadPairMask const& m, QuadPair const& yes, QuadPair const& no) {
  return {select(m.low, yes.low, no.low), select(m.high, yes.high, no.high)};
}
template <class L>
WATTFILL_INLINE L min_each(L const& a, L const& b) {
  return select(a < b, a, b);
}

WATTFILL_INLINE SingleLine select(SingleLineMask const& m, SingleLine const& yes, SingleLine const& no) { return m ? yes : no; }
WATTFILL_INLINE SinglePair select(SinglePairMask const& m, SinglePair const& yes, SinglePair const& no) {
  return {m.low ? yes.low : no.low, m.high ? yes.high : no.high};
}
WATTFILL_INLINE float sum_singles(SinglePair const& v) {
  SingleHalf const w = v.low + v.high, u = w + __builtin_shufflevector(w, w, 4, 5, 6, 7, 4, 5, 6, 7);
  return (u[0] + u[2]) + (u[1] + u[3]);
}
WATTFILL_INLINE float sum_singles(SingleLine const& v) {
  return sum_singles(SinglePair{__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7), __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)});
}

/// The first joining of eight partial sums: lane i with lane i + 4.
WATTFILL_INLINE Quad halved(QuadPair const& v) { return v.low + v.high; }
WATTFILL_INLINE Quad halved(Octet const& v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7); }
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
WATTFILL_INLINE double min_lanes(QuadPair const& v) { return min_quad(min_each(v.low, v.high)); }
WATTFILL_INLINE double min_lanes(Octet const& v) {
  return min_quad(min_each<Quad>(__builtin_shufflevector(v, v, 0, 1, 2, 3), __builtin_shufflevector(v, v, 4, 5, 6, 7)));
}

/// The sums of two quads, still in two parts each.
WATTFILL_INLINE Quad half_sums(Quad const& v, Quad const& w) { return __builtin_shufflevector(v, w, 0, 1, 4, 5) + __builtin_shufflevector(v, w, 2, 3, 6, 7); }
/// The sums of four quads, each exactly as sum_quad has it.
WATTFILL_INLINE Quad sum_four(Quad const& v0, Quad const& v1, Quad const& v2, Quad const& v3) {
  Quad const a = half_sums(v0, v1), b = half_sums(v2, v3);
  return __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
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
