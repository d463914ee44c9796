#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattfill/flexibility/belief.hpp"

namespace wattfill {

/// One who holds beliefs of some curves: what a policy is told in each replication. Immutable after construction; the curves outlive it.
///
/// Watts are metered and so are always the true ones: full draw, lowest draw and full speed of a job are seen before and while its power is cut, and a cap is
/// trimmed until the meter shows the draw that was decided. What is believed is how much speed a cut costs. A believed curve is therefore anchored: its
/// draws and speeds are multiplied so that it ends at the job's own uncapped draw and full speed.
class Believer {
 public:
  /// `weights` as of believe(). Throws as believe() does, and InputError for a stand-in that hardly reacts to caps.
  Believer(std::span<Curve const* const> curves, BeliefSpec spec, std::span<double const> weights = {});
  Believer(Believer const&) = delete;
  Believer& operator=(Believer const&) = delete;

  /// Whether beliefs differ from replication to replication.
  bool varies() const { return spec_.source == PfiSource::noisy; }
  /// Whether anything is believed that is not measured of the curve itself.
  bool perfect() const { return spec_.source == PfiSource::measured && spec_.stand_ins.empty() && spec_.two_points.empty() && !spec_.sigma; }

  /// The measured truth: every curve's own figures and curve.
  std::span<Belief const> truth() const { return truth_; }

  /// Beliefs of one replication, in the order of the curves. A noisy PFI is the measured one plus rmse (sqrt(s) e_cluster + sqrt(1 - s) e_curve), e standard
  /// normal, addressed by (seed, mix, curve or cluster, replication): all policies of a replication and all studies of this seed and mix share them. Clipped
  /// at least_pfi; infinite ones stay. Losses are then off by the factor measured / believed at every depth.
  std::vector<Belief> beliefs(std::uint64_t seed, std::string_view mix, std::uint64_t replication) const;

  /// Beliefs shrunk towards the mean: PFI* = mu + tau^2 / (tau^2 + sigma^2) (PFI - mu), mu and tau the weighted mean and standard deviation of the measured
  /// finite PFIs (what is known of the fleet, not of the job); sigma* = sigma sqrt(tau^2 / (tau^2 + sigma^2)), the posterior's. This is the
  /// best linear guess of the true PFI; "PFI minus z sigma" would leave the order as it is and only make the weights bolder.
  std::vector<Belief> shrunk(std::vector<Belief> beliefs) const;

  double mean_pfi() const { return mean_; }
  double pfi_variance() const { return variance_; }

 private:
  std::vector<Curve const*> curves_;
  BeliefSpec spec_;
  std::deque<Curve> believed_;  // anchored curves
  std::vector<Belief> truth_, plain_;
  double mean_ = 0, variance_ = 0;
};

/// The belief with another PFI: its response, and the losses of its curve, are multiplied so that they give it.
Belief with_pfi(Belief belief, double pfi);

/// The same belief at the PFI that the true one falls short of with probability `epsilon` in (0, 0.5]: pfi + z_epsilon sigma, clipped. A draw at which this
/// belief just keeps an agreed speed breaks the agreement with probability epsilon.
Belief at_risk(Belief const& belief, double epsilon);

/// The draw of one GPU [W] at which the job is believed to run at `speed` of full speed, in [floor, uncapped draw] of the true curve.
double believed_draw_for(Belief const& belief, PowerSpeedCurve const& truth, double speed);

}  // namespace wattfill
