#include "wattfill/core/random.hpp"

#include <Random123/philox.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstddef>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

std::uint64_t scramble(std::uint64_t x) {  // finaliser of SplitMix64
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

constexpr std::uint32_t multiplier0 = 0xD2511F53U, multiplier1 = 0xCD9E8D57U, weyl0 = 0x9E3779B9U, weyl1 = 0xBB67AE85U;
constexpr unsigned lanes = 8;  // blocks that advance side by side

struct Counter {
  std::uint32_t block, stream, rep_lo, rep_hi;
};

/// Philox4x32-10 on `lanes` consecutive blocks: the rounds of Random123's.
void philox_blocks(std::uint32_t k0, std::uint32_t k1, Counter const& at, std::uint32_t* out) {
  for (unsigned l = 0; l < lanes; ++l) {
    r123::Philox4x32::ctr_type const counter{{at.block + l, at.stream, at.rep_lo, at.rep_hi}};
    auto const words = r123::Philox4x32{}(counter, r123::Philox4x32::key_type{{k0, k1}});
    for (unsigned w = 0; w < 4; ++w) out[4 * l + w] = words[w];
  }
}

#if defined(__x86_64__)
/// High and low halves of eight products of 32-bit words.
struct Product {
  __m256i high, low;
};
__attribute__((target("avx2"), always_inline)) inline Product multiply(__m256i a, __m256i m) {
  __m256i const even = _mm256_mul_epu32(a, m), odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), m);
  return {_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA), _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA)};
}

/// The same words, eight blocks in the lanes of vector registers: compilers do not find this by themselves.
__attribute__((target("avx2"))) void philox_blocks_avx2(std::uint32_t k0, std::uint32_t k1, Counter const& at, std::uint32_t* out) {
  auto const all = [](std::uint32_t x) __attribute__((target("avx2"))) { return _mm256_set1_epi32(static_cast<int>(x)); };
  __m256i c0 = _mm256_add_epi32(all(at.block), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  __m256i c1 = all(at.stream), c2 = all(at.rep_lo), c3 = all(at.rep_hi);
  __m256i key0 = all(k0), key1 = all(k1);
  for (int round = 0; round < 10; ++round) {
    auto const p0 = multiply(c0, all(multiplier0)), p1 = multiply(c2, all(multiplier1));
    c0 = _mm256_xor_si256(_mm256_xor_si256(p1.high, c1), key0);
    c2 = _mm256_xor_si256(_mm256_xor_si256(p0.high, c3), key1);
    c1 = p1.low;
    c3 = p0.low;
    key0 = _mm256_add_epi32(key0, all(weyl0));
    key1 = _mm256_add_epi32(key1, all(weyl1));
  }
  __m256i const a = _mm256_unpacklo_epi32(c0, c1), b = _mm256_unpackhi_epi32(c0, c1);  // blocks 0 1 | 4 5 and 2 3 | 6 7, words 0 1
  __m256i const c = _mm256_unpacklo_epi32(c2, c3), d = _mm256_unpackhi_epi32(c2, c3);  // words 2 3
  __m256i const b04 = _mm256_unpacklo_epi64(a, c), b15 = _mm256_unpackhi_epi64(a, c), b26 = _mm256_unpacklo_epi64(b, d), b37 = _mm256_unpackhi_epi64(b, d);
  auto* const to = reinterpret_cast<__m256i*>(out);
  _mm256_storeu_si256(to, _mm256_permute2x128_si256(b04, b15, 0x20));
  _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(b26, b37, 0x20));
  _mm256_storeu_si256(to + 2, _mm256_permute2x128_si256(b04, b15, 0x31));
  _mm256_storeu_si256(to + 3, _mm256_permute2x128_si256(b26, b37, 0x31));
}

/// The same words once more, 8 x `groups` blocks, each word in 64 bits of which the upper half does not count: the multiplication of AVX-512 reads the lower
/// halves alone, so that no product has to be taken apart. Groups are independent and hide each other's waiting.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC 12 takes its own undefined registers in these intrinsics for ours
template <int groups>
__attribute__((target("avx512f"))) void philox_blocks_avx512(std::uint32_t k0, std::uint32_t k1, Counter const& at, std::uint32_t* out) {
  auto const all = [](std::uint32_t x) __attribute__((target("avx512f"))) { return _mm512_set1_epi64(x); };
  __m512i const m0 = all(multiplier0), m1 = all(multiplier1);
  __m512i c0[groups], c1[groups], c2[groups], c3[groups];
#pragma GCC unroll 4
  for (int g = 0; g < groups; ++g) {
    c0[g] = _mm512_add_epi64(all(at.block + 8 * static_cast<unsigned>(g)), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    c1[g] = all(at.stream);
    c2[g] = all(at.rep_lo);
    c3[g] = all(at.rep_hi);
  }
  for (int round = 0; round < 10; ++round, k0 += weyl0, k1 += weyl1) {
    __m512i const key0 = all(k0), key1 = all(k1);
#pragma GCC unroll 4
    for (int g = 0; g < groups; ++g) {
      __m512i const p0 = _mm512_mul_epu32(c0[g], m0), p1 = _mm512_mul_epu32(c2[g], m1);
      c0[g] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), c1[g], key0, 0x96);  // exclusive or of all three
      c2[g] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), c3[g], key1, 0x96);
      c1[g] = p1;
      c3[g] = p0;
    }
  }
#pragma GCC unroll 4
  for (int g = 0; g < groups; ++g) {
    auto const joined = [](__m512i low, __m512i high) __attribute__((target("avx512f"))) {
      return _mm512_mask_blend_epi32(0xAAAA, low, _mm512_slli_epi64(high, 32));
    };
    __m512i const a = joined(c0[g], c1[g]), b = joined(c2[g], c3[g]);  // words 0 1 and words 2 3 of each block
    _mm512_storeu_si512(out + 32 * g, _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), b));
    _mm512_storeu_si512(out + 32 * g + 16, _mm512_permutex2var_epi64(a, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), b));
  }
}
#pragma GCC diagnostic pop
#endif

using PhiloxBlocks = void (*)(std::uint32_t, std::uint32_t, Counter const&, std::uint32_t*);
constexpr int many = 4;  // times `lanes` blocks that go together where that is faster
struct Philox {
  PhiloxBlocks one = philox_blocks, four = nullptr;
};
Philox fastest_philox() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {philox_blocks_avx512<1>, philox_blocks_avx512<many>};
  if (__builtin_cpu_supports("avx2")) return {philox_blocks_avx2};
#endif
  return {};
}

}  // namespace

std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (unsigned char c : name) hash = (hash ^ c) * 0x100000001b3U;
  return hash;
}

std::uint64_t random_key(std::uint64_t seed, std::string_view name) { return scramble(scramble(seed) + hash_name(name)); }

CounterRandom::CounterRandom(RandomAddress const& address) : stream_(static_cast<std::uint32_t>(address.stream)), replication_(address.replication) {
  auto const key = random_key(address.seed, address.name);
  key_[0] = static_cast<std::uint32_t>(key);
  key_[1] = static_cast<std::uint32_t>(key >> 32U);
}

void CounterRandom::refill() {
  r123::Philox4x32::ctr_type const counter{{block_++, stream_, static_cast<std::uint32_t>(replication_), static_cast<std::uint32_t>(replication_ >> 32U)}};
  auto const words = r123::Philox4x32{}(counter, r123::Philox4x32::key_type{{key_[0], key_[1]}});
  for (unsigned i = 0; i < 4; ++i) words_[i] = words[i];
  used_ = 0;
}

void fill_random(std::uint64_t key, std::uint64_t replication, Stream stream, std::span<std::uint32_t> words) {
  static Philox const philox = fastest_philox();
  constexpr std::size_t step = 4 * lanes;
  WATTFILL_ASSERT(words.size() % step == 0);
  std::size_t i = 0;
  auto const fill = [&](PhiloxBlocks blocks, std::size_t count) {
    for (; i + count <= words.size(); i += count)
      blocks(static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32U),
             {static_cast<std::uint32_t>(i / 4), static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(replication),
              static_cast<std::uint32_t>(replication >> 32U)},
             words.data() + i);
  };
  if (philox.four != nullptr) fill(philox.four, step * many);
  fill(philox.one, step);
}

}  // namespace wattfill
