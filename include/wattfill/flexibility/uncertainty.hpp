#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wattfill/curve/power_speed_curve.hpp"

namespace wattfill {

/// Relative standard error of one measured point, independent between points and between power and speed.
struct MeasurementNoise {
  double power;
  double speed;
};
/// Of the mean over one run (what arXiv:2609.11542 uses), and between runs of the same job, which is what a comparison of jobs meets.
inline constexpr MeasurementNoise within_run{0.0004, 0.0005};
inline constexpr MeasurementNoise between_runs{0.004, 0.005};

/// The noise that a curve's own repeats show: the relative spread about the mean of each cap, pooled over caps. Nothing with fewer than
/// `least_freedom` repeats beyond the first of each cap: a spread of less is a guess.
inline constexpr std::size_t least_freedom = 5;
std::optional<MeasurementNoise> noise_of_repeats(PowerSpeedCurve const& curve, std::span<double const> caps_w = {});

/// 95 % interval of a PFI.
struct PfiInterval {
  double low, high;        ///< +infinity: unbounded; NaN: the curve has no PFI
  double unbounded_share;  ///< of draws in which a point that counts in the PFI is no longer slower than the uncapped run
};

/// Monte Carlo over measurement error: each point's power and speed are multiplied by 1 + noise x a standard normal number and the PFI is computed
/// again, so that errors of P_max and T_max are shared by all terms; the limits are the 2.5 % and 97.5 % points of the draws. A draw in which a point
/// that counts in the measured PFI loses no speed has a denominator that reached 0 and counts as +infinity: where that is more than 2.5 % of draws
/// the interval has no upper end. The same (seed, name) gives the same bits on every x86-64 processor.
PfiInterval pfi_interval(PowerSpeedCurve const& curve, std::span<double const> caps_w, MeasurementNoise const& noise, std::uint64_t seed, std::string_view name,
                         std::size_t draws = 10'000);

}  // namespace wattfill
