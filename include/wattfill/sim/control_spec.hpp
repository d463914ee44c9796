#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace wattfill {

/// How the draw of all GPUs is measured. Reading k = 1, 2, ... is taken at k x period_s: the mean draw over the last duty x period_s before it, times
/// 1 + noise x a standard normal number. It is told `lag` readings later.
struct SensorSpec {
  double period_s = 10;
  std::uint32_t lag = 0;  ///< readings
  double duty = 1;        ///< share of the time that is looked at, in (0, 1]; NVML's power reading covers 25 % on A100 and H100 (Yang et al., SC'24)
  double noise = 0;       ///< standard deviation of a reading, as a share of it
  double lost = 0;        ///< probability that a reading is lost
  std::vector<std::pair<double, double>> outages;  ///< [from, to) in s: readings that would be told then are lost
};

/// Integral correction of the budget: correction += gain x (limit - reading), told `lag` readings late. Without saturation, and where the fleet draws a watt
/// more for each watt of budget, it is stable iff 0 < gain < delay_bound(lag).
struct CorrectionSpec {
  double gain = 0.5;
  double deadband = 0;                                            ///< errors up to this share of the limit are left alone
  double rate_w_per_s = std::numeric_limits<double>::infinity();  ///< the correction moves no faster [W/s]
  std::uint32_t fail_safe_after = 3;  ///< readings that are missing in a row; then the correction is at most -fail_safe_margin x limit
  double fail_safe_margin = 0.05;
};

/// 2 cos(d pi / (2 d + 1)): the largest gain of an integral controller with d readings of delay; 2, 1, 0.618..., 0.445..., ... The roots of
/// z^(d+1) - z^d + K then lie inside the unit circle (Kuruklis 1994 for difference equations x' = x - K x[-d]; model.md section 6).
double delay_bound(std::uint32_t lag);

/// How what a policy decides becomes draws.
enum class Loop : std::uint8_t {
  exact,     ///< GPUs draw what was decided: caps are trimmed at once, and without error, until they do
  open,      ///< caps are set by the believed curves and trusted; GPUs draw what their true curves give under those caps
  closed,    ///< the same, and the budget is corrected by what is measured
  learning,  ///< closed, and the losses of speed that are seen at readings replace those that are believed
};

/// How actions and caps take effect.
struct ControlSpec {
  double settle_s = 0;  ///< a new cap acts so long after it was set
  Loop loop = Loop::exact;
  /// Loops that set caps alone. A daemon goes round the fleet, a tenth of it after the other, and sets the caps decided last; one round takes so long; 0: all
  /// at once.
  double rollout_s = 0;
  double cap_step_w = 0;   ///< caps are multiples of this, rounded down; 0: any
  double least_cap_w = 0;  ///< the device takes no lower one
  SensorSpec sensor;
  CorrectionSpec correction;
};

}  // namespace wattfill
