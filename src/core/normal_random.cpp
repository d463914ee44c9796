#include "wattfill/core/normal_random.hpp"

#include <cmath>

#include "wattfill/core/fixed_math.hpp"

namespace wattfill {

/// Uniform on (-1, 1): the middles of 2^53 equal cells.
double NormalRandom::symmetric_uniform() {
  auto const high = static_cast<std::uint64_t>(words_() >> 5U), low = static_cast<std::uint64_t>(words_() >> 6U);
  return (static_cast<double>((high << 26U) | low) + 0.5) * 0x1p-52 - 1;
}

double NormalRandom::operator()() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  for (;;) {
    double const u = symmetric_uniform(), v = symmetric_uniform(), s = u * u + v * v;
    if (!(s < 1 && s > 0)) continue;
    double const scale = std::sqrt(-2 * fixed_log(s) / s);
    spare_ = v * scale;
    has_spare_ = true;
    return u * scale;
  }
}

}  // namespace wattfill
