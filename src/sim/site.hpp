#pragma once
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "wattfill/core/exact_sum.hpp"
#include "wattfill/facility/facility.hpp"
#include "wattfill/facility/lag.hpp"
#include "wattfill/sim/timeline_metrics.hpp"
#include "wattfill/sim/timeline_spec.hpp"

namespace wattfill {

/// What stands between the GPUs of a timeline run and its meter. Every part has a steady power for the draws of the moment; fans and cooling follow theirs with
/// a lag, what is lost on the way to them follows the steady load at once. Limits are held in steady watts; energy, cost and peaks are what the meter shows,
/// lags included. Booked where the steady power changes and nowhere else.
class Site {
 public:
  Site(TimelineMetering const& metering, double gpus);

  Facility const& facility() const { return facility_; }
  double nodes() const { return nodes_; }
  /// IT load of GPUs that draw alike, in nodes of their own [W].
  double it_w(double gpus, double draw_w) const { return gpus > 0 ? gpus * facility_.node_it_w(per_node_ * draw_w) / per_node_ : 0; }
  /// The largest IT load under limits of the IT load and of the meter [W].
  double it_room_w(double limit_it_w, double limit_meter_w) const;
  /// From now on it is so warm outdoors [deg C].
  void set_outdoor(double celsius);

  /// GPUs that draw alike [W each].
  struct Load {
    double gpus, draw_w;
  };
  Ledger steady(std::span<Load const> loads) const;
  /// Slope of the meter against the GPUs' draw, all of them rising together.
  double marginal(std::span<Load const> loads) const;

  /// From t on.
  struct Reading {
    Ledger steady;
    double uncapped_gpu_w, uncapped_meter_w;  ///< if everyone drew all they can [W]
    double marginal;
    double limit_w;  ///< at the meter [W]
  };
  void read(double t, Reading const& now);
  void set_price(double t, double usd_per_mwh, double g_per_kwh);

  /// What the meter shows at `t`, which is not before the last reading [W].
  double shown_w(double t) const;
  /// Fills in the metrics of the meter; gives the energy of every component [J].
  std::array<double, component_count> report(double end, TimelineMetrics& metrics);
  /// Means of the intervals that have ended [W].
  std::span<double const> readings() const { return readings_; }

 private:
  /// shown - steady = sum of way e^(-x / tau) at x seconds after the last reading.
  struct Way {
    Lag lag;
    double w;
  };
  std::array<Way, 2> ways() const;
  double shown_after(double x) const;
  double energy_after(double x) const;
  void book(double t);
  /// Books the time and energy above the limit and the peak of the next `dt` seconds.
  void book_excess(double dt);
  void book_readings(double t);

  FacilitySpec spec_;
  Facility facility_;
  double per_node_, nodes_;
  std::array<Lag, component_count> lags_{};
  bool any_ = false;
  double since_ = 0;
  Reading now_{};
  std::array<double, component_count> from_{};  // power of the parts at the last reading; other than steady for those that lag
  std::array<ExactSum, component_count> joules_;
  ExactSum it_j_, meter_j_, saved_gpu_j_, saved_meter_j_, marginal_s_, over_s_, over_j_, cost_usd_, co2_kg_;
  double peak_w_ = 0, price_ = 0, carbon_ = 0, priced_j_ = 0;
  bool limited_ = false;
  double reading_s_, open_j_ = 0;  // of the interval that has not ended
  std::vector<double> readings_;
  mutable std::vector<NodeLoad> scratch_;
};

}  // namespace wattfill
