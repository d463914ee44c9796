#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "wattfill/curve/curve_view.hpp"

namespace wattfill {

/// One measurement: the cap that was set [W, one GPU], the draw that was measured [W, one GPU], the speed of the whole job [speed unit of the library].
struct CurvePoint {
  double cap_w;
  double power_w;
  double speed;
  bool operator==(CurvePoint const&) const = default;
};

/// What the loader found in the points and accepted; for reports.
struct CurveFindings {
  std::size_t pooled = 0;               ///< points moved by the isotonic regression
  std::size_t repeated_draws = 0;       ///< points merged because their draws are equal
  std::size_t above_cap = 0;            ///< points whose draw exceeds their cap
  bool top_draw_below_top_cap = false;  ///< the largest draw was not measured at the highest cap
};

/// The measured speed of one job against the draw of one of its GPUs (model: one job on one GPU type).
///
/// Two readings of the same points. *Reported figures* (PFI and its kin) use the raw points, with P_max and T_max at the highest cap.
/// *Policies and replay* use the usable curve: sorted by draw, equal draws merged (mean, weight = count), speed made non-decreasing by weighted
/// isotonic regression (pool adjacent violators), linear between points in draw, clamped outside.
///
/// Immutable. Power is always the measured draw in watts of one GPU, never the cap.
class PowerSpeedCurve {
 public:
  /// Throws InputError (without a location) if fewer than two points, a value that is not finite, a negative value, a draw of zero, or no positive speed.
  explicit PowerSpeedCurve(std::vector<CurvePoint> points);

  std::span<CurvePoint const> points() const { return points_; }  ///< as given, sorted by (cap, draw, speed)
  double power_at_top_cap() const { return top_power_w_; }        ///< P_max of reported figures [W]; mean of repeats
  double speed_at_top_cap() const { return top_speed_; }          ///< T_max of reported figures

  std::span<double const> draws() const { return draws_; }    ///< usable curve: strictly increasing [W]
  std::span<double const> speeds() const { return speeds_; }  ///< usable curve: non-decreasing
  std::span<double const> caps() const { return caps_; }      ///< usable curve: cap that gives the draw, non-decreasing [W]
  double min_draw() const { return draws_.front(); }
  double max_draw() const { return draws_.back(); }  ///< the uncapped draw of policies [W]
  double max_speed() const { return speeds_.back(); }

  double speed(double draw_w) const { return view().speed(draw_w); }
  /// Smallest draw [W] at which the job runs at `speed`; clamped to [min_draw, max_draw].
  double draw_for(double speed) const { return view().draw_for(speed); }
  /// The cap to set so that the GPU draws `draw_w`: inverse interpolation of the measured caps, clamped [W].
  double cap_for(double draw_w) const;
  CurveView view() const { return {draws_.data(), speeds_.data(), static_cast<int>(draws_.size())}; }

  /// Hardly reacts to caps: (max draw - min draw) / max draw < 2 % over the sweep. No flexibility figure; its floor is its uncapped draw.
  bool unresponsive() const { return max_draw() - min_draw() < 0.02 * max_draw(); }

  /// Vertices of the concave hull of the usable curve on [floor_w, max_draw], left to right; the first is (floor_w, speed(floor_w)).
  /// Slopes strictly decrease. One vertex if floor_w >= max_draw. A floor under min_draw is read as min_draw: no job can be driven there.
  struct Vertex {
    double draw_w;
    double speed;
    bool operator==(Vertex const&) const = default;
  };
  std::vector<Vertex> hull(double floor_w) const;

  CurveFindings const& findings() const { return findings_; }

 private:
  std::vector<CurvePoint> points_;
  double top_power_w_ = 0;
  double top_speed_ = 0;
  std::vector<double> draws_, speeds_, caps_;
  CurveFindings findings_;
};

}  // namespace wattfill
