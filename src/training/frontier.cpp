#include "wattfill/training/frontier.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "training/certifier.hpp"
#include "training/parametric_flow.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

using namespace training;

constexpr int finest_unit = 48;       ///< 2^-48 J: 2000 steps of 200 such computations are rounded by less than 1e-9 J
constexpr int largest_energy = 59;    ///< no energy of one computation exceeds 2^59 units
constexpr int coarser = 8;            ///< where all prices together overflow

int exponent_for(Project const& project) {
  double largest = 0;
  for (auto const& curve : project.curves)
    for (auto const& knot : curve.knots()) largest = std::max(largest, std::fabs(knot.energy_j));
  return std::min(finest_unit, largest_energy - (largest > 0 ? std::ilogb(largest) + 1 : 0));
}

/// Where the price of time changes, in steps below the longest time.
struct Bend {
  std::int32_t offset;
  Wide energy;
  std::int64_t flow;
};

struct Run {
  std::vector<Bend> bends;
  Certificate certificate;
};

/// All bends; nothing if the flow grew past what fits.
std::optional<Run> run(FlowNetwork& network, ParametricFlow& solver, Frontier::Proof proof) {
  Wide energy = 0;
  for (auto curve : network.curve_of) energy += network.least_energy[curve];
  Run result;
  std::optional<Certifier> certifier;
  std::vector<std::int32_t> times;
  if (proof == Frontier::Proof::full) {
    certifier.emplace(network);
    certifier->begin(solver.longest_times(), energy);
  }
  std::int32_t offset = 0;
  for (bool more = true; more;) {
    auto const flow = solver.flow();
    solver.grow();
    if (solver.offset() > offset) {
      result.bends.push_back({offset, energy, flow});
      energy += static_cast<Wide>(flow) * (solver.offset() - offset);
      offset = solver.offset();
      if (certifier) {
        solver.times(times);
        certifier->piece(network, times, energy);
      }
    }
    more = solver.augment();
    if (solver.flow() > FlowNetwork::most_flow) return std::nullopt;
  }
  result.bends.push_back({offset, energy, 0});
  if (certifier) result.certificate = certifier->result();
  return result;
}

}  // namespace

Frontier Frontier::of(Project const& project, Proof proof) {
  auto const order = topological_order(project);
  for (int exponent = exponent_for(project);; exponent -= coarser) {
    FlowNetwork network(project, order, exponent);
    auto const sink = static_cast<std::size_t>(network.sink);
    auto const shortest_time = network.earliest(false)[sink];
    ParametricFlow solver(network, network.earliest(true)[sink] - shortest_time);
    auto const found = run(network, solver, proof);
    if (!found) continue;

    Frontier frontier;
    frontier.certificate_ = found->certificate;
    frontier.effort_ = solver.effort();
    frontier.latest_ = solver.longest_times();
    auto const longest_time = frontier.latest_[sink];
    auto const in_joules = [&](Wide units) { return std::ldexp(static_cast<double>(units), -exponent); };
    for (std::size_t b = found->bends.size(); b-- > 0;) {
      auto const& bend = found->bends[b];
      frontier.knots_.push_back({longest_time - bend.offset, in_joules(bend.energy), b > 0 ? -in_joules(found->bends[b - 1].flow) : 0});
    }
    WATTFILL_ASSERT(frontier.shortest() == shortest_time);
    frontier.start_ = network.start;
    frontier.end_ = network.end;
    for (auto curve : network.curve_of)
      frontier.longest_.push_back(network.segments[static_cast<std::size_t>(network.first_segment[curve]) + 1].duration);

    auto const moves = solver.take_moves();
    frontier.first_move_.assign(frontier.latest_.size() + 1, 0);
    for (auto const& move : moves) ++frontier.first_move_[static_cast<std::size_t>(move.vertex) + 1];
    std::partial_sum(frontier.first_move_.begin(), frontier.first_move_.end(), frontier.first_move_.begin());
    frontier.moves_.resize(moves.size());
    auto place = frontier.first_move_;
    for (auto const& move : moves) frontier.moves_[place[static_cast<std::size_t>(move.vertex)]++] = {move.from, move.to};
    return frontier;
  }
}

double Frontier::within(double deadline) const {
  if (!(deadline >= static_cast<double>(shortest())))
    throw InputError("a deadline of " + number_text(deadline) + " time steps is below the shortest possible time of " + std::to_string(shortest()) +
                     " (every computation at its fastest); allow more time");
  return std::min(deadline, static_cast<double>(longest()));
}

double Frontier::energy_j(double deadline) const {
  auto const time = within(deadline);
  auto const knot = std::prev(std::ranges::upper_bound(knots_, time, {}, [](Knot const& k) { return static_cast<double>(k.time); }));
  return knot->energy_j + knot->slope_j * (time - static_cast<double>(knot->time));
}

double Frontier::time_for(double energy_j) const {
  if (!(energy_j >= knots_.back().energy_j))
    throw InputError("an energy of " + number_text(energy_j) + " J is below the least possible of " + number_text(knots_.back().energy_j) + " J; allow more");
  auto const knot = std::ranges::find_if(knots_, [&](Knot const& k) { return k.energy_j <= energy_j; });
  if (knot == knots_.begin()) return static_cast<double>(knot->time);
  auto const& left = *std::prev(knot);
  return std::min(static_cast<double>(knot->time), static_cast<double>(left.time) + (energy_j - left.energy_j) / left.slope_j);
}

Plan Frontier::plan(double deadline) const {
  auto const offset = static_cast<double>(longest()) - within(deadline);
  std::vector<double> times(latest_.size());
  for (std::size_t v = 0; v < times.size(); ++v) {
    double moved = 0;
    for (auto m = first_move_[v]; m < first_move_[v + 1] && moves_[m].from < offset; ++m) moved += std::min<double>(moves_[m].to, offset) - moves_[m].from;
    times[v] = latest_[v] - moved;
  }
  Plan plan;
  for (std::size_t i = 0; i < start_.size(); ++i) {
    plan.start.push_back(times[static_cast<std::size_t>(start_[i])]);
    plan.duration.push_back(std::min(times[static_cast<std::size_t>(end_[i])] - plan.start.back(), longest_[i]));
  }
  return plan;
}

}  // namespace wattfill
