#pragma once
#include "wattfill/core/random.hpp"

namespace wattfill {

/// Standard normal numbers of a random address, with the same bits on every x86-64 processor: Marsaglia's polar method (SIAM Review 6, 1964) on
/// 53-bit uniforms, with the square root and fixed_log alone. The standard library's and Boost's normal distributions call libm, whose last bits
/// vary.
class NormalRandom {
 public:
  explicit NormalRandom(RandomAddress const& address) : words_(address) {}

  double operator()();

 private:
  double symmetric_uniform();

  CounterRandom words_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace wattfill
