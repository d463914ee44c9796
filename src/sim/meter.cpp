#include "sim/meter.hpp"

#include <algorithm>
#include <limits>

namespace wattfill {
namespace {

constexpr double joules_per_mwh = 3.6e9, joules_per_kwh = 3.6e6, rebound_window_s = 3600;

}  // namespace

void Meter::read(double t, Reading const& now) {
  auto const over = now.over_w > 1e-9 * now.over_limit_w;
  auto const bound = now.limit_w < now.uncapped_w;
  idle_.set(t, now.idle_w);
  over_s_.set(t, over ? 1 : 0);
  over_j_.set(t, over ? now.over_w : 0);
  over_1pct_s_.set(t, now.over_w > 0.01 * now.over_limit_w ? 1 : 0);
  unused_j_.set(t, bound && now.power_w < now.limit_w ? now.limit_w - now.power_w : 0);
  if (over) over_peak_w_ = std::max(over_peak_w_, now.over_w);
  requested_.set(t, bound ? now.uncapped_w - now.limit_w : 0);
  delivered_.set(t, bound ? now.uncapped_w - now.power_w : 0);
  cost_.set(t, now.gpu_w * now.price / joules_per_mwh);
  co2_.set(t, now.gpu_w * now.carbon / joules_per_kwh / 1000);
  peak_w_ = std::max(peak_w_, now.gpu_w);

  if (late_ && !over) {
    time_to_limit_ = std::max(time_to_limit_, t - late_since_);
    late_ = false;
  }
  if (over && !late_ && any_ && now.limit_w < last_.limit_w) {
    late_ = true;
    late_since_ = t;
  }

  if (bound && !bound_) before_w_ = any_ ? last_.power_w : now.power_w;
  if (!bound && bound_) {
    was_bound_ = true;
    window_end_ = t + rebound_window_s;
  }
  if (!bound && was_bound_ && t <= window_end_) rebound_w_ = std::max(rebound_w_, now.power_w - before_w_);
  bound_ = bound;
  last_ = now;
  any_ = true;
}

void Meter::report(double end, bool priced, bool carbon, TimelineMetrics& m) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  m[metric::energy_idle_j] = idle_.at(end);
  m[metric::over_limit_s] = over_s_.at(end);
  m[metric::over_limit_j] = over_j_.at(end);
  m[metric::over_1pct_s] = over_1pct_s_.at(end);
  m[metric::over_peak_w] = over_peak_w_;
  m[metric::unused_j] = unused_j_.at(end);
  m[metric::time_to_limit_s] = late_ ? std::max(time_to_limit_, end - late_since_) : time_to_limit_;
  m[metric::requested_j] = requested_.at(end);
  m[metric::delivered_j] = delivered_.at(end);
  m[metric::rebound_w] = was_bound_ ? rebound_w_ : none;
  m[metric::peak_w] = peak_w_;
  m[metric::cost_usd] = priced ? cost_.at(end) : none;
  m[metric::co2_kg] = carbon ? co2_.at(end) : none;
}

}  // namespace wattfill
