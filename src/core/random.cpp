#include "wattfill/core/random.hpp"

#include <Random123/philox.h>

#include <cstddef>

#include "wattfill/core/error.hpp"
#include "wattfill/core/hostdevice.hpp"

namespace wattfill {
namespace {

std::uint64_t scramble(std::uint64_t x) {  // finaliser of SplitMix64
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

constexpr unsigned lanes = 8;  // blocks that advance side by side

/// Philox4x32-10 on `lanes` consecutive blocks: the rounds of Random123's, laid out for vector registers.
WATTFILL_CLONES void philox_blocks(std::uint32_t k0, std::uint32_t k1, std::uint32_t first_block, std::uint32_t stream, std::uint32_t rep_lo,
                                   std::uint32_t rep_hi, std::uint32_t* out) {
  std::uint32_t c0[lanes], c1[lanes], c2[lanes], c3[lanes];
  for (unsigned l = 0; l < lanes; ++l) {
    c0[l] = first_block + l;
    c1[l] = stream;
    c2[l] = rep_lo;
    c3[l] = rep_hi;
  }
  for (int round = 0; round < 10; ++round) {
    for (unsigned l = 0; l < lanes; ++l) {
      std::uint64_t const p0 = static_cast<std::uint64_t>(c0[l]) * 0xD2511F53U, p1 = static_cast<std::uint64_t>(c2[l]) * 0xCD9E8D57U;
      c0[l] = static_cast<std::uint32_t>(p1 >> 32U) ^ c1[l] ^ k0;
      c2[l] = static_cast<std::uint32_t>(p0 >> 32U) ^ c3[l] ^ k1;
      c1[l] = static_cast<std::uint32_t>(p1);
      c3[l] = static_cast<std::uint32_t>(p0);
    }
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  for (unsigned l = 0; l < lanes; ++l) {
    out[4 * l] = c0[l];
    out[4 * l + 1] = c1[l];
    out[4 * l + 2] = c2[l];
    out[4 * l + 3] = c3[l];
  }
}

}  // namespace

std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (unsigned char c : name) hash = (hash ^ c) * 0x100000001b3U;
  return hash;
}

std::uint64_t random_key(std::uint64_t seed, std::string_view name) { return scramble(scramble(seed) + hash_name(name)); }

CounterRandom::CounterRandom(RandomAddress const& address)
    : stream_(static_cast<std::uint32_t>(address.stream)), replication_(address.replication) {
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
  constexpr std::size_t step = 4 * lanes;
  WATTFILL_ASSERT(words.size() % step == 0);
  for (std::size_t i = 0; i < words.size(); i += step)
    philox_blocks(static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(i / 4),
                  static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(replication), static_cast<std::uint32_t>(replication >> 32U),
                  words.data() + i);
}

}  // namespace wattfill
