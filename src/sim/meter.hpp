#pragma once
#include <limits>

#include "wattfill/core/exact_sum.hpp"
#include "wattfill/sim/timeline_metrics.hpp"

namespace wattfill {

/// The integral over time of a rate that changes in steps. Booked where the rate changes and nowhere else.
class Integral {
 public:
  void set(double t, double rate) {
    if (rate == rate_) return;
    sum_.add(rate_ * (t - since_));
    since_ = t;
    rate_ = rate;
  }
  double at(double t) const {
    auto sum = sum_;
    sum.add(rate_ * (t - since_));
    return sum.value();
  }

 private:
  ExactSum sum_;
  double since_ = 0, rate_ = 0;
};

/// What a run's power is measured by: energy, what is above the limit, reductions, cost.
class Meter {
 public:
  /// From t on [W]: draw of the GPUs; draw, limit and what the running jobs would draw uncapped where the limit stands; the largest excess over a limit, and
  /// that limit; idle GPUs' draw; price [USD/MWh], intensity [g/kWh].
  struct Reading {
    double gpu_w, power_w, limit_w, uncapped_w, over_w, over_limit_w, idle_w, price, carbon;
  };
  void read(double t, Reading const& now);
  /// Fills in the metrics of power at the end of the run.
  void report(double end, bool priced, bool carbon, TimelineMetrics& metrics) const;

 private:
  Integral idle_, over_s_, over_j_, over_1pct_s_, unused_j_, requested_, delivered_, cost_, co2_;
  Reading last_{};
  bool any_ = false, late_ = false, bound_ = false, was_bound_ = false;
  double late_since_ = 0, time_to_limit_ = 0, peak_w_ = 0, over_peak_w_ = 0;
  double before_w_ = 0, window_end_ = 0, rebound_w_ = -std::numeric_limits<double>::infinity();
};

}  // namespace wattfill
