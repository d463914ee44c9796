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

/// Beliefs for `curves`, in their order. `weights` (same length, or empty for all one) counts a curve several times in fits and medians: a
/// bootstrap's multiplicities (a median over them is the median of the replicated list). Curves with an infinite PFI, and unresponsive ones, are left
/// out of fits and medians. A class without a finite PFI believes in infinity. Every PFI is clipped below at 0.05 (measured tables give negative ones
/// where a capped point drew more than the uncapped one).
///
/// (b, a) is the least-squares fit of the curve's own points where the PFI is measured. Where it is predicted or a class median, the curve's own
/// points are not to be known: (b, a) is then the mean response of the curves that were fitted (of the class), scaled to the believed PFI.
/// Unresponsive: b = a = 0.
///
/// Throws InputError naming the curve that lacks the feature, a feature that is equal on all curves, or where the curves share fewer than two caps
/// under PfiGrid::common (P_max and T_max are then those at the highest shared cap).
std::vector<Belief> believe(std::span<Curve const* const> curves, BeliefSpec const& spec, std::span<double const> weights = {});

}  // namespace wattfill
