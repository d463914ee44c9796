#include "wattfill/facility/lag.hpp"

#include <limits>

#include "wattfill/core/error.hpp"
#include "wattfill/core/fixed_math.hpp"

namespace wattfill {
namespace {

/// 1 - exp(-x) for x >= 0 without losing the digits of a small x.
double risen(double x) {
  if (x > 0.03) return 1 - fixed_exp(-x);
  double sum = 0, term = x;
  for (int k = 2; k < 12; ++k) {  // the 11th term is below 1e-24 of the first
    sum += term;
    term *= -x / k;
  }
  return sum;
}

}  // namespace

double Lag::power_after(double from_w, double steady_w, double dt_s) const {
  WATTFILL_ASSERT(dt_s >= 0 && tau_s >= 0);
  if (tau_s == 0) return dt_s > 0 ? steady_w : from_w;
  return from_w + (steady_w - from_w) * risen(dt_s / tau_s);
}

double Lag::energy_over(double from_w, double steady_w, double dt_s) const {
  WATTFILL_ASSERT(dt_s >= 0 && tau_s >= 0);
  return steady_w * dt_s + (from_w - steady_w) * tau_s * (tau_s == 0 ? 0 : risen(dt_s / tau_s));
}

double Lag::time_to(double from_w, double steady_w, double to_w) const {
  if (to_w == from_w) return 0;
  auto const left = (to_w - steady_w) / (from_w - steady_w);  // of the way
  if (!(left > 0 && left < 1)) return left == 0 && tau_s == 0 ? 0 : std::numeric_limits<double>::infinity();
  return -tau_s * fixed_log(left);
}

}  // namespace wattfill
