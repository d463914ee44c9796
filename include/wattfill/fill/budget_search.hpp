#pragma once
#include <cstddef>

#include "wattfill/core/hostdevice.hpp"

namespace wattfill {

/// A place on a path: `theta` in [0, 1] of the way from `knot` to the next.
struct FillPosition {
  std::size_t knot = 0;
  double theta = 0;
  double power_w = 0;      ///< total draw there [W]
  double shortfall_w = 0;  ///< how much the floors alone exceed the budget [W]
};

/// The place on a path of `knots` knots whose total meets `budget_w`: never above it unless the floors are, and all of it is used unless everyone is uncapped.
/// `power(knot)` is the total at a knot [W], non-decreasing. `hint` is a knot to start the search from; it changes the time, never the answer.
template <class Power>
WATTFILL_HD WATTFILL_ALWAYS_INLINE FillPosition search_budget(Power const& power, std::size_t knots, double budget_w, std::size_t hint) {
  std::size_t const last = knots - 1;
  std::size_t hi = hint < last ? hint + 1 : last;
  std::size_t lo = hi > 0 ? hi - 1 : 0;
  double below = power(lo), above = power(hi);
  for (std::size_t step = 1; above < budget_w; step *= 2) {
    if (hi == last) return {last, 0, above, 0};
    lo = hi;
    below = above;
    hi = hi + step < last ? hi + step : last;
    above = power(hi);
  }
  for (std::size_t step = 1; !(below < budget_w); step *= 2) {
    if (lo == 0) return {0, 0, below, below - budget_w};
    hi = lo;
    above = below;
    lo = lo > step ? lo - step : 0;
    below = power(lo);
  }
  while (hi - lo > 1) {  // power(lo) < budget <= power(hi)
    std::size_t const mid = lo + (hi - lo) / 2;
    double const p = power(mid);
    if (p < budget_w) {
      lo = mid;
      below = p;
    } else {
      hi = mid;
      above = p;
    }
  }
  return {lo, (budget_w - below) / (above - below), budget_w, 0};
}

}  // namespace wattfill
