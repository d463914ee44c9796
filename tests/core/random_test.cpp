#include "wattfill/core/random.hpp"

#include <boost/random/uniform_01.hpp>
#include <random>
#include <set>
#include <vector>

#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("bulk words are the generator's own words, for any address") {
  for (std::uint64_t seed : {0ULL, 1ULL, 2609ULL, ~0ULL}) {
    for (std::uint64_t replication : {0ULL, 7ULL, 1ULL << 40U}) {
      CounterRandom random({seed, "production", replication, Stream::jobs});
      std::vector<std::uint32_t> words(160);
      fill_random(random_key(seed, "production"), replication, Stream::jobs, words);
      for (auto word : words) REQUIRE(word == random());
    }
  }
}

TEST_CASE("the words at an address never change: pinned draws") {
  CounterRandom random({2609, "production", 3, Stream::jobs});
  std::vector<std::uint32_t> words;
  for (int i = 0; i < 5; ++i) words.push_back(random());
  CHECK(words == std::vector<std::uint32_t>{1492789508U, 1339161608U, 461451973U, 1312956080U, 1486236083U});
}

TEST_CASE("seed 0 is a seed like any other, and every part of the address counts") {
  std::set<std::uint32_t> firsts;
  for (std::uint64_t seed : {0ULL, 1ULL, 2ULL})
    for (auto name : {"a", "b"})
      for (std::uint64_t replication : {0ULL, 1ULL, 1ULL << 32U})
        for (auto stream : {Stream::jobs, Stream::bootstrap}) firsts.insert(CounterRandom({seed, name, replication, stream})());
  CHECK(firsts.size() == 3 * 2 * 3 * 2);
}

TEST_CASE("uniform draws fill 0 to 1 evenly (chi-square on 20 bins, 1e5 draws, 5 sigma)") {
  CounterRandom random({0, "uniform", 0, Stream::jobs});
  boost::random::uniform_01<double> uniform;
  std::vector<double> bins(20);
  for (int i = 0; i < 100000; ++i) ++bins[static_cast<std::size_t>(uniform(random) * 20)];
  double chi2 = 0;
  for (double n : bins) chi2 += (n - 5000) * (n - 5000) / 5000;
  CHECK(chi2 < 19 + 5 * 6.2);  // mean 19, standard deviation sqrt(38)
}

TEST_CASE("one block at a time, as a device draws them, gives the words of Random123 (2000 random addresses, replications and keys of 64 bits)") {
  std::mt19937_64 engine(3);
  std::vector<std::uint32_t> words(32);
  for (int i = 0; i < 2000; ++i) {
    auto const key = engine(), replication = engine() >> (engine() % 64);
    fill_random(key, replication, Stream::belief, words);
    auto const block = static_cast<std::uint32_t>(engine() % 8);
    auto const own = philox_block(key, replication, Stream::belief, block);
    for (unsigned w = 0; w < 4; ++w) REQUIRE(own.words[w] == words[4 * block + w]);
  }
}
