#include "wattfill/training/frontier.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "training/certifier.hpp"
#include "training/parametric_flow.hpp"
#include "training/too_short.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

using namespace training;

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
std::optional<Run> run(FlowNetwork& network, ParametricFlow& solver, std::int32_t range, Frontier::Proof proof) {
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
    auto const met = solver.shorten(range);
    if (!met) throw Defect("the source of a project does not reach its sink");
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

void throw_too_short(double deadline, std::int64_t shortest) {
  throw InputError("a deadline of " + number_text(deadline) + " time steps is below the shortest possible time of " + std::to_string(shortest) +
                   " (every computation at its fastest); allow more time");
}

Frontier Frontier::of(Project const& project, Proof proof) {
  auto const order = topological_order(project);
  for (int exponent = FlowNetwork::finest_unit(project);; exponent -= FlowNetwork::coarser) {
    FlowNetwork network(project, order, exponent);
    auto const sink = static_cast<std::size_t>(network.sink);
    auto const shortest_time = network.earliest(false)[sink];
    auto const range = network.earliest(true)[sink] - shortest_time;
    ParametricFlow solver(network, range);
    auto const found = run(network, solver, range, proof);
    if (!found) continue;

    Frontier frontier;
    frontier.certificate_ = found->certificate;
    frontier.effort_ = solver.effort();
    auto const longest_time = solver.longest_times()[sink];
    auto const in_joules = [&](Wide units) { return std::ldexp(static_cast<double>(units), -exponent); };
    for (std::size_t b = found->bends.size(); b-- > 0;) {
      auto const& bend = found->bends[b];
      frontier.knots_.push_back({longest_time - bend.offset, in_joules(bend.energy), b > 0 ? -in_joules(found->bends[b - 1].flow) : 0});
    }
    WATTFILL_ASSERT(frontier.shortest() == shortest_time);
    return frontier;
  }
}

double Frontier::energy_j(double deadline) const {
  if (!(deadline >= static_cast<double>(shortest()))) throw_too_short(deadline, shortest());
  auto const time = std::min(deadline, static_cast<double>(longest()));
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

}  // namespace wattfill
