#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace wattfill {

/// What a stream of random numbers is for; every purpose has its own, so that a new one moves none of the others.
enum class Stream : std::uint32_t { jobs = 0, bootstrap = 1, outer_library = 2, outer_clusters = 3, belief = 4, belief_cluster = 5, measurement = 16 };

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

/// The key that (seed, name) gives, for bulk draws.
std::uint64_t random_key(std::uint64_t seed, std::string_view name);

/// The first words.size() words of CounterRandom at this address, several blocks at a time. words.size() must be a multiple of 32.
void fill_random(std::uint64_t key, std::uint64_t replication, Stream stream, std::span<std::uint32_t> words);

}  // namespace wattfill
