#include "wattfill/training/savings.hpp"

#include <algorithm>
#include <cmath>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {

IterationEnergy::IterationEnergy(Frontier frontier, double tau_s, double waiting_w) : frontier_(std::move(frontier)), tau_s_(tau_s), waiting_w_(waiting_w) {
  // Convex and piecewise linear: the least is at a knot.
  auto const total = [&](Frontier::Knot const& k) { return k.energy_j + waiting_w_ * tau_s_ * static_cast<double>(k.time); };
  best_s_ = static_cast<double>(std::ranges::min_element(frontier_.knots(), {}, total)->time) * tau_s_;
}

double IterationEnergy::at(double time_s) const {
  auto steps = time_s / tau_s_;
  auto const shortest = static_cast<double>(frontier_.shortest());
  if (steps < shortest && steps > shortest - 1e-6) steps = shortest;  // a whole number of steps need not be one after tau has been multiplied in
  return frontier_.energy_j(steps) + waiting_w_ * time_s;
}

double fastest_energy_j(std::span<std::vector<ProfilePoint> const> profiles, int microbatches, int stages, double blocking_w, double time_s) {
  double energy = 0, busy_s = 0;
  for (auto const& profile : profiles) {
    if (profile.empty()) throw InputError("a profile without a measurement; give at least one");
    auto const& top = *std::ranges::max_element(profile, {}, &ProfilePoint::knob);
    energy += top.energy_j;
    busy_s += top.time_s;
  }
  return microbatches * energy + blocking_w * (stages * time_s - microbatches * busy_s);
}

double intrinsic_saving(IterationEnergy const& energy, double baseline_j) { return 1 - energy.at(energy.shortest_s()) / baseline_j; }

double straggler_saving(IterationEnergy const& energy, double baseline_j, int pipelines, double slowdown) {
  if (!(slowdown >= 1)) throw InputError("a slowdown of " + number_text(slowdown) + "; a straggler is at least 1 times as slow");
  if (pipelines < 1) throw InputError(std::to_string(pipelines) + " pipelines; give at least 1");
  auto const shortest = energy.shortest_s(), straggler = slowdown * shortest, others = pipelines - 1.0;
  auto const chosen = std::min(energy.best_s(), straggler);
  auto const before = slowdown * baseline_j + others * (baseline_j + energy.waiting_w() * (straggler - shortest));
  auto const after = slowdown * energy.at(shortest) + others * (energy.at(chosen) + energy.waiting_w() * (straggler - chosen));
  return 1 - after / before;
}

}  // namespace wattfill
