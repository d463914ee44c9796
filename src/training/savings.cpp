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

double IterationEnergy::time_for_energy(double energy_j) const {
  auto const least = at(best_s_);
  if (!(energy_j >= least))
    throw InputError("an energy of " + number_text(energy_j) + " J is below the least possible of " + number_text(least) + " J an iteration; allow more");
  if (energy_j >= at(shortest_s())) return shortest_s();
  // Linear between knots, and falling up to the best time.
  auto const knots = frontier_.knots();
  auto const total = [&](Frontier::Knot const& k) { return k.energy_j + waiting_w_ * tau_s_ * static_cast<double>(k.time); };
  auto const right = std::ranges::find_if(knots, [&](Frontier::Knot const& k) { return total(k) <= energy_j; });
  auto const& left = *std::prev(right);
  auto const share = (total(left) - energy_j) / (total(left) - total(*right));
  return (static_cast<double>(left.time) + share * static_cast<double>(right->time - left.time)) * tau_s_;
}

double IterationEnergy::time_for_power(double power_w) const {
  if (!(power_w > waiting_w_))
    throw InputError("a mean power of " + number_text(power_w) + " W is not above what the waiting stages draw, " + number_text(waiting_w_) + " W; allow more");
  if (power_w >= this->power_w(shortest_s())) return shortest_s();
  // Effective energy = (power - waiting) x time: the left side falls along the frontier, the right side rises.
  auto const net_w = power_w - waiting_w_;
  auto const knots = frontier_.knots();
  auto const right = std::ranges::find_if(knots, [&](Frontier::Knot const& k) { return k.energy_j <= net_w * tau_s_ * static_cast<double>(k.time); });
  if (right == knots.end()) return knots.back().energy_j / net_w;
  auto const& left = *std::prev(right);
  // energy + slope (t - left) = net_w tau t, in time steps
  auto const left_time = static_cast<double>(left.time);
  return (left.energy_j - left.slope_j * left_time) / (net_w * tau_s_ - left.slope_j) * tau_s_;
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
