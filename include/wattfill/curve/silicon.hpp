#pragma once
#include <vector>

#include "wattfill/curve/power_speed_curve.hpp"

namespace wattfill {

/// How the GPUs of one job are held when the same clock takes more power on some of them than on others.
enum class HeldBy {
  caps,   ///< one power cap for all: each runs as fast as its silicon lets it, then waits for the slowest
  clocks  ///< one clock for all, each under a cap of its own (the balancer of GEOPM): nobody waits
};

/// Silicon variation among the GPUs of a job. A GPU needs a factor s of the power of a mean one for the same speed; s is spread evenly over [1 - spread,
/// 1 + spread]. Synchronous training runs at its slowest GPU. Sinha et al. (SC'22, arXiv:2208.11035) found speeds under one cap to vary by 8 % on average and
/// 22 % at the extreme on five clusters; the even spread is an assumption of this project.
struct SiliconSpec {
  double spread = 0;  ///< in [0, 0.5]
  HeldBy held_by = HeldBy::caps;
  double waiting_w = 0;  ///< draw of a GPU that waits for the slowest [W], >= 0
  bool operator==(SiliconSpec const&) const = default;
};

/// The factors of `gpus` GPUs, ascending: expected order statistics of an even spread, 1 + spread (2 k / (n + 1) - 1) for k = 1 ... n. The more GPUs, the worse
/// the slowest. Of more than 1024 GPUs, 1024; a part of a GPU counts as none.
std::vector<double> silicon_factors(double spread, double gpus);

/// The curve of a job whose GPUs differ, from that of mean GPUs: draws are means over its GPUs. At each point of the usable curve the slowest GPU draws s_max
/// times what a mean one does, at most `tdp_w`, which lowers full speed where the job draws near it. Held by clocks the others draw in proportion; held by caps
/// they may draw as much, run faster and wait at `waiting_w`. Nothing changes where nothing varies. Throws InputError where `spec` is out of range, or the TDP
/// leaves fewer than two points.
PowerSpeedCurve with_silicon(PowerSpeedCurve const& mean, double gpus, double tdp_w, SiliconSpec const& spec);

}  // namespace wattfill
