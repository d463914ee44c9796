#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "wattfill/curve/curve_library.hpp"
#include "wattfill/flexibility/predictor.hpp"

namespace wattfill {

/// Where the flexibility figures that policies see come from.
enum class PfiSource {
  measured,      ///< each curve's own measured PFI
  predicted,     ///< ordinary least squares of PFI on telemetry: fitted on the given curves, or a saved model
  class_median,  ///< the median PFI of the curve's architecture x task class
  noisy,         ///< each curve's own measured PFI with an error drawn anew in every replication
};
/// On which caps PFI is computed.
enum class PfiGrid {
  own,     ///< every cap the curve was measured at
  common,  ///< the caps that all given curves share
};
/// Which curves go together: they share an error, or are held out of a fit together.
enum class CurveCluster {
  none,       ///< no two
  curve,      ///< each curve alone
  job_class,  ///< architecture x task
  model,      ///< model family
  library,    ///< curve library, hence GPU type
};

/// A predictor fitted before, and what its predictions need beside the coefficients.
struct PfiModel {
  LinearModel linear;  ///< its features are texts that parse_feature reads
  LinearSpread spread;
  double rmse = 0;  ///< in-sample; the error where the spread states none
};

struct BeliefSpec {
  PfiSource source = PfiSource::measured;
  PfiGrid grid = PfiGrid::own;
  std::string feature = {};                        ///< predicted, fitted here: the telemetry feature
  std::optional<PfiModel> model = {};              ///< predicted: this model instead of a fit
  CurveCluster held_out = CurveCluster::none;      ///< predicted and fitted here, class median: a curve's belief is made without these curves of its own
  double rmse = 0;                                 ///< noisy: standard deviation of the error of a PFI, before clipping
  double cluster_share = 0;                        ///< noisy: share of the error's variance that is common to a cluster, in [0, 1]
  CurveCluster cluster = CurveCluster::job_class;  ///< noisy: who shares it
  double epsilon = 0;                              ///< safe knowledge: probability, in (0, 0.5], that a job runs below its agreed speed; 0: none
  std::optional<double> sigma = {};                ///< error that one believes the PFIs to have; nothing: what the source says of itself
  /// Curves that are believed instead of others: (true curve, curve of the same job measured elsewhere or before).
  std::vector<std::pair<Curve const*, Curve const*>> stand_ins = {};
  /// Two cuts, ascending: one believes the quadratic response through the speeds at these two; empty: the whole curve was measured.
  std::vector<double> two_points = {};
};

/// What one believes of one curve's flexibility.
struct Belief {
  double pfi;  ///< > 0; +infinity: no loss of speed at any measured cap (first to be cut); NaN: unresponsive, no figure
  double b;    ///< quadratic response 1 - T/T_max = b x + a x^2, x = 1 - P/P_max; a, b >= 0
  double a;
  double sigma = 0;              ///< standard deviation of the true PFI about the believed one
  double loss_scale = 1;         ///< believed losses of speed are this many times those of `curve`
  Curve const* curve = nullptr;  ///< the curve one believes the job to have; nullptr: one knows the figures alone
};

/// Smallest PFI that is believed: measured tables give negative ones where a capped point drew more than the uncapped one.
inline constexpr double least_pfi = 0.05;

/// Beliefs for `curves`, in their order, without the error of a noisy source. `weights` (same length, or empty for all one) counts a curve several
/// times in fits and medians: a bootstrap's multiplicities (a median over them is the median of the replicated list). Curves with an infinite PFI, and
/// unresponsive ones, are left out of fits and medians. A class without a finite PFI believes in infinity (held out: in the median of all curves that
/// are left). Every PFI is clipped below at least_pfi.
///
/// (b, a) is the least-squares fit of the curve's own points where the PFI is measured. Where it is predicted or a class median, the curve's own
/// points are not to be known: (b, a) is then the mean response of the curves that were fitted (of the class), scaled to the believed PFI.
/// Unresponsive: b = a = 0. sigma: of a fit, the prediction's standard error; of a class, the spread about its median; noisy: rmse; measured: 0.
///
/// Throws InputError naming the curve that lacks the feature, a feature that is equal on all curves, or where the curves share fewer than two caps
/// under PfiGrid::common (P_max and T_max are then those at the highest shared cap).
std::vector<Belief> believe(std::span<Curve const* const> curves, BeliefSpec const& spec, std::span<double const> weights = {});

/// The curve's name among those that go together with it.
std::string cluster_name(Curve const& curve, CurveCluster cluster);

}  // namespace wattfill
