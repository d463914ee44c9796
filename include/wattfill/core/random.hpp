#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "wattfill/core/hostdevice.hpp"

namespace wattfill {

/// What a stream of random numbers is for; every purpose has its own, so that a new one moves none of the others.
enum class Stream : std::uint32_t {
  jobs = 0,
  bootstrap = 1,
  outer_library = 2,
  outer_clusters = 3,
  belief = 4,
  belief_cluster = 5,
  arrival_times = 8,
  arrival_jobs = 9,
  arrival_work = 10,
  limit_events = 11,
  sensor_noise = 12,
  sensor_losses = 13,
  limit_lengths = 14,
  measurement = 16,
  partition_search = 32
};

/// Where a random number lives: the same address gives the same number, whoever asks, in whatever order, on whatever machine.
struct RandomAddress {
  std::uint64_t seed;
  std::string_view name;  ///< of the mix; only its hash counts
  std::uint64_t replication;
  Stream stream;
};

/// 64-bit FNV-1a.
std::uint64_t hash_name(std::string_view name);

/// Philox4x32-10 (Salmon et al., SC'11; the generator of Random123) as a standard random bit generator of 32-bit words. The key is a hash of seed and name,
/// the counter is (block, stream, replication).
class CounterRandom {
 public:
  using result_type = std::uint32_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  explicit CounterRandom(RandomAddress const& address);

  result_type operator()() {
    if (used_ == 4) refill();
    return words_[used_++];
  }

 private:
  void refill();

  std::uint32_t key_[2];
  std::uint32_t stream_;
  std::uint64_t replication_;
  std::uint32_t block_ = 0;
  std::uint32_t words_[4]{};
  unsigned used_ = 4;
};

/// One block of Philox4x32-10, for the host and the device: words 4 block to 4 block + 3 of CounterRandom at the address that `key` (random_key), stream and
/// replication make.
struct PhiloxBlock {
  std::uint32_t words[4];
};
WATTFILL_HD inline PhiloxBlock philox_block(std::uint64_t key, std::uint64_t replication, Stream stream, std::uint32_t block) {
  std::uint32_t c0 = block, c1 = static_cast<std::uint32_t>(stream), c2 = static_cast<std::uint32_t>(replication),
                c3 = static_cast<std::uint32_t>(replication >> 32U), k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32U);
  for (int round = 0; round < 10; ++round) {
    std::uint64_t const p0 = std::uint64_t{0xD2511F53U} * c0, p1 = std::uint64_t{0xCD9E8D57U} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32U) ^ c1 ^ k0;
    c2 = static_cast<std::uint32_t>(p0 >> 32U) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(p1);
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return {{c0, c1, c2, c3}};
}

/// The key that (seed, name) gives, for bulk draws.
std::uint64_t random_key(std::uint64_t seed, std::string_view name);

/// The first words.size() words of CounterRandom at this address, several blocks at a time. words.size() must be a multiple of 32.
void fill_random(std::uint64_t key, std::uint64_t replication, Stream stream, std::span<std::uint32_t> words);

}  // namespace wattfill
