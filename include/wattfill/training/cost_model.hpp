#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "wattfill/training/cost_curve.hpp"

namespace wattfill {

/// One measured way to do a computation.
struct ProfilePoint {
  double knob;  ///< SM clock [MHz] or power limit [W]
  double time_s;
  double energy_j;
};

/// A way worth keeping.
struct CostOption {
  double knob;
  double time_s;
  std::int64_t steps;         ///< floor(time_s / tau): what a planned duration must leave for this option to fit
  double energy_j;            ///< as measured
  double effective_energy_j;  ///< energy_j - P_blocking x steps x tau
};

/// The options of a computation as Perseus's tools make them, longest first: those that no other beats in both time and energy; if three or fewer
/// remain, an option must be beaten by 5, 9.75, ... % in energy (factors of 0.95) until more do or all do; among equal steps the one of largest
/// energy, which was rounded down least. Throws InputError for a time that is not positive, an energy that is negative, or a time step that is not
/// positive.
std::vector<CostOption> useful_options(std::span<ProfilePoint const> profile, double tau_s, double blocking_w);

/// Effective energy [J] = a exp(b q) + c over the duration q [time steps].
struct ExponentialFit {
  double a, b, c;
  double at(double q) const;
};

/// Least squares over (steps, effective energy) with b < 0. For a given b the best a and c are linear regression, so the sum of squares is a function
/// of b alone: a grid of 400 starts over all shapes from a line to a step, and the derivative's root beside the best of them. A profile that is a
/// line, or bends the other way, gives a nearly linear fit (a curve of a millionth of an exponent) whose a and c are huge and cancel. Needs three
/// different durations; with fewer a line or a constant meets every point.
ExponentialFit fit_exponential(std::span<CostOption const> options);

/// The fit at whole time steps from the shortest to the longest option, linear between: what the published frontiers use.
CostCurve cost_curve(ExponentialFit const& fit, std::int64_t shortest, std::int64_t longest);
CostCurve fitted_cost_curve(std::span<CostOption const> options);
/// The convex hull of the options themselves: no fit, and every knot is a measurement.
CostCurve measured_cost_curve(std::span<CostOption const> options);

}  // namespace wattfill
