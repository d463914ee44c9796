#pragma once
#include <span>
#include <vector>

#include "wattfill/training/cost_model.hpp"
#include "wattfill/training/frontier.hpp"

namespace wattfill {

/// Energy [J] of one pipeline's iteration against its time [s], the waiting of its stages included: frontier + P_blocking x stages x time.
class IterationEnergy {
 public:
  /// `waiting_w` = P_blocking x stages.
  IterationEnergy(Frontier frontier, double tau_s, double waiting_w);

  double shortest_s() const { return static_cast<double>(frontier_.shortest()) * tau_s_; }  ///< T
  /// T*: where the energy is least. Usually before the frontier's end: the last steps save less than waiting costs.
  double best_s() const { return best_s_; }
  /// At a time or, beyond the frontier's end, there and waiting. Throws InputError below shortest_s() (by more than rounding).
  double at(double time_s) const;
  double waiting_w() const { return waiting_w_; }
  double longest_s() const { return static_cast<double>(frontier_.longest()) * tau_s_; }
  double tau_s() const { return tau_s_; }
  Frontier const& frontier() const { return frontier_; }
  /// Mean power [W] of iterations of this time; it falls with time, beyond the frontier's end towards waiting_w.
  double power_w(double time_s) const { return at(time_s) / time_s; }
  /// Least time [s] within an energy of the iteration [J, waiting included]. Throws InputError below the least energy.
  double time_for_energy(double energy_j) const;
  /// Least time [s] within a mean power [W]; beyond the frontier's end by waiting between iterations. Throws InputError at or below waiting_w.
  double time_for_power(double power_w) const;

 private:
  Frontier frontier_;
  double tau_s_, waiting_w_, best_s_;
};

/// All computations as fast as they go: sum of the measured energies at the highest knob of each profile (one per stage and direction),
/// `microbatches` times, and waiting_w for the rest of the time of its stages: blocking_w x (stages x time_s - sum of the measured times).
double fastest_energy_j(std::span<std::vector<ProfilePoint> const> profiles, int microbatches, int stages, double blocking_w, double time_s);

/// Intrinsic saving: 1 - energy at the shortest time / baseline_j.
double intrinsic_saving(IterationEnergy const& energy, double baseline_j);

/// Saving of `pipelines` data-parallel replicas of which one is `slowdown` times as slow (and draws as much as before, for longer) and the others
/// wait for it: they run at T_opt = min(T*, slowdown x T) instead (Perseus, section 3). Without a straggler (slowdown 1) it is the intrinsic saving.
double straggler_saving(IterationEnergy const& energy, double baseline_j, int pipelines, double slowdown);

}  // namespace wattfill
