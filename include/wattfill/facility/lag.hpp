#pragma once

namespace wattfill {

/// A part that follows its steady power with a lag, tau dP/dt = P_steady - P: fans, pumps, cooling. Exact for a steady power that is constant over the step;
/// steps add up: two steps of dt/2 are one of dt but for rounding. tau = 0 follows at once.
struct Lag {
  double tau_s = 0;  ///< >= 0

  /// Power after `dt` seconds [W].
  double power_after(double from_w, double steady_w, double dt_s) const;
  /// Energy over these seconds [J].
  double energy_over(double from_w, double steady_w, double dt_s) const;
  /// Seconds until the power has gone from `from_w` to `to_w`, which lies between it and the steady power; infinity if it is never reached.
  double time_to(double from_w, double steady_w, double to_w) const;
};

}  // namespace wattfill
