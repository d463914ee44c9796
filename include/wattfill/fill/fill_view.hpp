#pragma once
#include <cstddef>

#include "wattfill/core/lanes.hpp"
#include "wattfill/fill/budget_search.hpp"

namespace wattfill {

/// The rows of a plan that somebody else owns. All arrays are padded to `stride` with zeros.
struct FillView {
  double const* rows;
  std::size_t stride;
  std::size_t knots;

  /// Total draw at a knot [W]. Summed in one fixed order, so it is non-decreasing in the knot to the last bit (rounding is monotone): the search below has one
  /// answer, wherever it starts.
  template <class L = QuadPair>
  WATTFILL_INLINE double power(double const* gpus, std::size_t knot) const {
    double const* row = rows + knot * stride;
    L sum = all<L>(0);
    for (std::size_t c = 0; c < stride; c += lane_count) sum += load<L>(gpus + c) * load<L>(row + c);
    return sum_lanes(sum);
  }

  /// The place whose total meets `budget_w`, see search_budget.
  template <class L = QuadPair>
  WATTFILL_INLINE FillPosition locate(double const* gpus, double budget_w, std::size_t hint) const {
    return search_budget(PowerAt<L>{*this, gpus}, knots, budget_w, hint);
  }

 private:
  template <class L>
  struct PowerAt {
    FillView const& view;
    double const* gpus;
    WATTFILL_INLINE double operator()(std::size_t knot) const { return view.power<L>(gpus, knot); }
  };
};

}  // namespace wattfill
