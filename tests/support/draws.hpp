#pragma once
#include <boost/random/uniform_01.hpp>
#include <cstddef>
#include <cstdint>

#include "wattfill/core/random.hpp"

namespace wattfill::testing {

/// Random numbers of one random case. Everything follows from the seed, which a failing test prints.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_({seed, "tests", 0, Stream::jobs}) {}

  double share() { return boost::random::uniform_01<double>()(random_); }
  double between(double low, double high) { return low + (high - low) * share(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(share() * static_cast<double>(n)); }
  bool chance(double p) { return share() < p; }

 private:
  CounterRandom random_;
};

}  // namespace wattfill::testing
