#pragma once
#include "wattfill/core/hostdevice.hpp"
#include "wattfill/core/lanes.hpp"

namespace wattfill {

// What stands side by side in the lanes of the snapshot kernel are replications, eight of them: core/lanes.hpp with what that needs more.

WATTFILL_INLINE QuadPair operator/(QuadPair const& a, QuadPair const& b) { return {a.low / b.low, a.high / b.high}; }
/// Eight numbers from eight places. Stored one by one and loaded together they would wait for the stores to reach the cache.
template <class At>
WATTFILL_INLINE void gather_lanes(QuadPair& v, At const& at) {
  v = {Quad{at(0), at(1), at(2), at(3)}, Quad{at(4), at(5), at(6), at(7)}};
}
WATTFILL_INLINE bool any(QuadPairMask const& m) {
  QuadMask const either = m.low | m.high;
  return (either[0] | either[1] | either[2] | either[3]) != 0;
}
WATTFILL_INLINE void transpose_quads(Quad& a, Quad& b, Quad& c, Quad& d) {
  Quad const ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), ba = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  Quad const cd = __builtin_shufflevector(c, d, 0, 4, 2, 6), dc = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  b = __builtin_shufflevector(ba, dc, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  d = __builtin_shufflevector(ba, dc, 2, 3, 6, 7);
}
/// Eight rows of eight become eight columns.
WATTFILL_INLINE void transpose(QuadPair (&rows)[lane_count]) {
  transpose_quads(rows[0].low, rows[1].low, rows[2].low, rows[3].low);
  transpose_quads(rows[4].high, rows[5].high, rows[6].high, rows[7].high);
  transpose_quads(rows[0].high, rows[1].high, rows[2].high, rows[3].high);
  transpose_quads(rows[4].low, rows[5].low, rows[6].low, rows[7].low);
  for (std::size_t i = 0; i < quad_count; ++i) {
    Quad const upper = rows[i].high;
    rows[i].high = rows[i + quad_count].low;
    rows[i + quad_count].low = upper;
  }
}

#if defined(WATTFILL_WIDE)
// The instructions of AVX-512 have names from here on, for templates that functions compiled for it use.
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl")
#pragma GCC pop_options

/// A function that uses Eight, and whether this processor can run it.
#define WATTFILL_TARGET_EIGHT WATTFILL_TARGET("avx512f,avx512dq,avx512bw,avx512vl")
inline bool has_eight() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

/// Eight doubles in one register of AVX-512, as a QuadPair has them in two. Only functions compiled for AVX-512 may use it. GCC 12 compares vectors of 64 bytes
/// element by element unless the result has a single use: comparisons are spelt out as the instruction, which leaves one bit for each element.
struct Eight {
  using Register = double __attribute__((vector_size(64)));
  Register v;
};
struct EightMask {
  unsigned char bits;
};
WATTFILL_INLINE Eight operator+(Eight const& a, Eight const& b) { return {a.v + b.v}; }
WATTFILL_INLINE Eight operator-(Eight const& a, Eight const& b) { return {a.v - b.v}; }
WATTFILL_INLINE Eight operator*(Eight const& a, Eight const& b) { return {a.v * b.v}; }
WATTFILL_INLINE Eight operator/(Eight const& a, Eight const& b) { return {a.v / b.v}; }
WATTFILL_INLINE Eight& operator+=(Eight& a, Eight const& b) { return a = a + b; }
WATTFILL_INLINE EightMask operator==(Eight const& a, Eight const& b) { return {static_cast<unsigned char>(__builtin_ia32_cmppd512_mask(a.v, b.v, 0, -1, 4))}; }
WATTFILL_INLINE EightMask operator<(Eight const& a, Eight const& b) { return {static_cast<unsigned char>(__builtin_ia32_cmppd512_mask(a.v, b.v, 1, -1, 4))}; }
WATTFILL_INLINE EightMask operator<=(Eight const& a, Eight const& b) { return {static_cast<unsigned char>(__builtin_ia32_cmppd512_mask(a.v, b.v, 2, -1, 4))}; }
WATTFILL_INLINE Eight select(EightMask const& m, Eight const& yes, Eight const& no) { return {__builtin_ia32_blendmpd_512_mask(no.v, yes.v, m.bits)}; }
WATTFILL_INLINE bool any(EightMask const& m) { return m.bits != 0; }
template <int... i>
WATTFILL_INLINE Eight shuffle(Eight const& a, Eight const& b) {
  return {__builtin_shufflevector(a.v, b.v, i...)};
}
using LooseEight = double __attribute__((vector_size(64), aligned(8), may_alias));
WATTFILL_INLINE void load_lanes(double const* from, Eight& v) { v.v = *reinterpret_cast<LooseEight const*>(from); }
WATTFILL_INLINE void store(double* to, Eight const& v) { *reinterpret_cast<LooseEight*>(to) = v.v; }
WATTFILL_INLINE void set_lanes(double x, Eight& v) {
  using Pair = double __attribute__((vector_size(16)));
  v.v = __builtin_ia32_broadcastsd512(Pair{x, x}, Eight::Register{}, -1);
}
template <class At>
WATTFILL_INLINE void gather_lanes(Eight& v, At const& at) {
  v.v = Eight::Register{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
}
WATTFILL_INLINE Eight min_each(Eight const& a, Eight const& b) { return {__builtin_ia32_minpd512_mask(a.v, b.v, Eight::Register{}, -1, 4)}; }
/// Eight rows of eight become eight columns.
WATTFILL_INLINE void transpose(Eight (&rows)[lane_count]) {
  // Written out: GCC keeps short loops over arrays, and the arrays in memory.
  Eight const a0 = shuffle<0, 8, 2, 10, 4, 12, 6, 14>(rows[0], rows[1]), a1 = shuffle<1, 9, 3, 11, 5, 13, 7, 15>(rows[0], rows[1]);
  Eight const a2 = shuffle<0, 8, 2, 10, 4, 12, 6, 14>(rows[2], rows[3]), a3 = shuffle<1, 9, 3, 11, 5, 13, 7, 15>(rows[2], rows[3]);
  Eight const a4 = shuffle<0, 8, 2, 10, 4, 12, 6, 14>(rows[4], rows[5]), a5 = shuffle<1, 9, 3, 11, 5, 13, 7, 15>(rows[4], rows[5]);
  Eight const a6 = shuffle<0, 8, 2, 10, 4, 12, 6, 14>(rows[6], rows[7]), a7 = shuffle<1, 9, 3, 11, 5, 13, 7, 15>(rows[6], rows[7]);
  Eight const b0 = shuffle<0, 1, 4, 5, 8, 9, 12, 13>(a0, a2), b2 = shuffle<2, 3, 6, 7, 10, 11, 14, 15>(a0, a2);  // columns 0 4, 2 6
  Eight const b1 = shuffle<0, 1, 4, 5, 8, 9, 12, 13>(a1, a3), b3 = shuffle<2, 3, 6, 7, 10, 11, 14, 15>(a1, a3);  // columns 1 5, 3 7
  Eight const b4 = shuffle<0, 1, 4, 5, 8, 9, 12, 13>(a4, a6), b6 = shuffle<2, 3, 6, 7, 10, 11, 14, 15>(a4, a6);
  Eight const b5 = shuffle<0, 1, 4, 5, 8, 9, 12, 13>(a5, a7), b7 = shuffle<2, 3, 6, 7, 10, 11, 14, 15>(a5, a7);
  rows[0] = shuffle<0, 1, 4, 5, 8, 9, 12, 13>(b0, b4);
  rows[1] = shuffle<0, 1, 4, 5, 8, 9, 12, 13>(b1, b5);
  rows[2] = shuffle<0, 1, 4, 5, 8, 9, 12, 13>(b2, b6);
  rows[3] = shuffle<0, 1, 4, 5, 8, 9, 12, 13>(b3, b7);
  rows[4] = shuffle<2, 3, 6, 7, 10, 11, 14, 15>(b0, b4);
  rows[5] = shuffle<2, 3, 6, 7, 10, 11, 14, 15>(b1, b5);
  rows[6] = shuffle<2, 3, 6, 7, 10, 11, 14, 15>(b2, b6);
  rows[7] = shuffle<2, 3, 6, 7, 10, 11, 14, 15>(b3, b7);
}
#endif

template <class L, class At>
WATTFILL_INLINE L gathered(At const& at) {
  L v;
  gather_lanes(v, at);
  return v;
}

/// sum + x where the mask holds, else sum.
template <class M, class L>
WATTFILL_INLINE L add_where(M const& mask, L const& sum, L const& x) {
  return select(mask, sum + x, sum);
}
/// The largest whole number that is not above x, for 0 <= x < 2^51.
template <class L>
WATTFILL_INLINE L whole_part(L const& x) {
  L const big = all<L>(4503599627370496.0), near = x + big - big;
  return select(x < near, near - all<L>(1), near);
}

/// Eight partial sums of anything that adds, joined as sum_lanes joins those of a register: `part(i)` makes the i-th.
template <class Part>
WATTFILL_INLINE auto sum_parts(Part const& part) {
  auto const even = (part(0) + part(4)) + (part(2) + part(6));
  return even + ((part(1) + part(5)) + (part(3) + part(7)));
}
/// sum_lanes of each row, side by side.
template <class L>
WATTFILL_INLINE L sum_rows(L (&rows)[lane_count]) {
  transpose(rows);
  return sum_parts([&](std::size_t i) __attribute__((always_inline)) { return rows[i]; });
}

}  // namespace wattfill
