#pragma once
#include <span>
#include <string>
#include <vector>

#include "wattfill/curve/curve_library.hpp"

namespace wattfill {

/// Where the flexibility figures that policies see come from.
enum class PfiSource {
  measured,      ///< each curve's own measured PFI
  predicted,     ///< ordinary least squares of PFI on one telemetry feature, fitted in-sample on the given curves
  class_median,  ///< the median PFI of the curve's architecture x task class
};
/// On which caps PFI is computed.
enum class PfiGrid {
  own,     ///< every cap the curve was measured at
  common,  ///< the caps that all given curves share
};

struct BeliefSpec {
  PfiSource source = PfiSource::measured;
  PfiGrid grid = PfiGrid::own;
  std::string feature;  ///< predicted: the telemetry feature
  bool operator==(BeliefSpec const&) const = default;
};

/// What a policy is told of one curve's flexibility.
struct Belief {
  double pfi;  ///< > 0; +infinity: no loss of speed at any measured cap (first to be cut); NaN: unresponsive, no figure
  double b;    ///< quadratic response 1 - T/T_max = b x + a x^2, x = 1 - P/P_max; a, b >= 0
  double a;
};

/// Beliefs for `curves`, in their order. `weights` (same length, or empty for all one) counts a curve several times in fits and medians: a bootstrap's
/// multiplicities. Predicted PFIs are clipped below at 0.05. Throws InputError naming the curve that lacks the feature, or where the
/// curves share fewer than two caps under PfiGrid::common.
std::vector<Belief> believe(std::span<Curve const* const> curves, BeliefSpec const& spec, std::span<double const> weights = {});

}  // namespace wattfill
