#include "sim/metered_path.hpp"

#include <algorithm>

namespace wattfill {

MeteredPath::MeteredPath(Facility const& facility, PathView const& path, std::size_t classes)
    : stride_(path.draws.stride), knots_(path.draws.knots), classes_(classes) {
  auto const gpus = facility.spec().gpus;
  rows_.assign(knots_ * stride_, 0.0);
  for (std::size_t k = 0; k < knots_; ++k)
    for (std::size_t c = 0; c < classes; ++c) rows_[k * stride_ + c] = facility.node_it_w(gpus * path.draws.rows[k * stride_ + c]) / gpus;
}

double MeteredPath::it_w(Facility const& facility, PathView const& path, MixView const& mix, FillPosition const& at) const {
  if (!(at.theta > 0)) return rows_view().power(mix.gpus, at.knot);
  auto const gpus_per_node = facility.spec().gpus;
  double const* const lower = path.draws.rows + at.knot * stride_;
  double const* const upper = lower + stride_;
  double const* const lower_it = rows_.data() + at.knot * stride_;
  double total = 0;
  for (std::size_t c = 0; c < classes_; ++c) {
    if (!(mix.jobs[c] > 0)) continue;
    if (!(lower[c] < upper[c])) {
      total += mix.gpus[c] * lower_it[c];
      continue;
    }
    if (path.moves != nullptr && path.moves[at.knot].cls == c) {  // its jobs stand at both ends, one between
      auto const split = split_class(mix.jobs[c], at.theta, lower[c], upper[c]);
      auto const middle = split.part > 0 ? 1.0 : 0.0, gpus = mix.gpus[c] / mix.jobs[c];
      total += gpus * ((mix.jobs[c] - split.up - middle) * lower_it[c] + split.up * lower_it[stride_ + c] +
                       middle * facility.node_it_w(gpus_per_node * split.middle_w) / gpus_per_node);
      continue;
    }
    auto const draw = std::min(lower[c] + at.theta * (upper[c] - lower[c]), upper[c]);
    total += mix.gpus[c] * facility.node_it_w(gpus_per_node * draw) / gpus_per_node;
  }
  return total;
}

FillPosition MeteredPath::locate(Facility const& facility, PathView const& path, MixView const& mix, double limit_it_w) const {
  auto at = rows_view().locate(mix.gpus, limit_it_w, 0);
  if (at.theta > 0) {
    // Illinois: a chord that halves the weight of an end that stays; the load is smooth and rises by at least a watt for each GPU watt.
    auto const excess = [&](double theta) { return it_w(facility, path, mix, {at.knot, theta, 0, 0}) - limit_it_w; };
    double low = 0, high = 1, at_low = excess(0), at_high = rows_view().power(mix.gpus, at.knot + 1) - limit_it_w;
    int side = 0;
    for (int k = 0; k < 200 && high - low > 1e-15 && at_low < 0; ++k) {
      auto theta = low + at_low / (at_low - at_high) * (high - low);
      if (!(low < theta && theta < high)) theta = low + (high - low) / 2;
      if (!(low < theta && theta < high)) break;
      auto const y = excess(theta);
      if (y <= 0) {
        low = theta;
        at_low = y;
        if (side == -1) at_high /= 2;
        side = -1;
      } else {
        high = theta;
        at_high = y;
        if (side == 1) at_low /= 2;
        side = 1;
      }
    }
    at.theta = low;
  }
  auto const below = path.draws.power(mix.gpus, at.knot);
  at.power_w = at.theta > 0 ? below + at.theta * (path.draws.power(mix.gpus, at.knot + 1) - below) : below;
  return at;
}

}  // namespace wattfill
