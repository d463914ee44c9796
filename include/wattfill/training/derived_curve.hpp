#pragma once
#include <vector>

#include "wattfill/curve/power_speed_curve.hpp"
#include "wattfill/training/savings.hpp"

namespace wattfill {

/// What a job does for less power when its iteration is planned by the frontier: at every iteration time T, draw = E(T) / T over `gpus`, speed =
/// `work` / T, from the shortest time down. Past the frontier's end power falls further only by waiting between iterations (duty-cycling), to
/// `least_speed` of full speed: without that line such jobs would look inflexible where they are not. It begins at the frontier's end, a little beyond
/// T*: there slowing down still saves power, though no longer energy.
///
/// The cap of a point is its draw: clocks realise it, a uniform cap cannot. `points` >= 2 of them lie on the frontier, equally spaced in time; one more
/// per tenth of full speed below it.
PowerSpeedCurve derived_curve(IterationEnergy const& energy, double gpus_per_rank, double gpus, double work, double least_speed = 0.1, int points = 24);

/// The curve of the same job under one setting for all (a power limit, say): a point per (iteration time [s], energy [J, one GPU per rank]).
struct UniformPoint {
  double time_s, energy_j;
};
PowerSpeedCurve uniform_curve(std::vector<UniformPoint> const& settings, double gpus_per_rank, double gpus, double work);

}  // namespace wattfill
