#include "wattfill/training/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "training/parametric_flow.hpp"
#include "training/too_short.hpp"

namespace wattfill {
namespace {

using namespace training;

/// The plan at `offset` steps below the longest time; the solver has come to the whole step before.
Plan plan_at(FlowNetwork const& network, ParametricFlow const& solver, double offset) {
  std::vector<std::int32_t> whole;
  solver.times(whole);
  auto const rest = offset - solver.offset();
  auto const time = [&](std::int32_t v) { return whole[static_cast<std::size_t>(v)] - (solver.moves(v) ? rest : 0); };
  Plan plan;
  for (std::size_t i = 0; i < network.start.size(); ++i) {
    auto const longest = network.segments[static_cast<std::size_t>(network.first_segment[network.curve_of[i]]) + 1].duration;
    plan.start.push_back(time(network.start[i]));
    plan.duration.push_back(std::min<double>(time(network.end[i]) - plan.start.back(), longest));
    plan.time = std::max(plan.time, plan.start.back() + plan.duration.back());
  }
  return plan;
}

}  // namespace

std::vector<Plan> plans(Project const& project, std::span<double const> deadlines) {
  auto const order = topological_order(project);
  std::vector<std::size_t> latest_first(deadlines.size());
  std::iota(latest_first.begin(), latest_first.end(), std::size_t{0});
  std::ranges::stable_sort(latest_first, std::ranges::greater{}, [&](std::size_t d) { return deadlines[d]; });
  for (int exponent = FlowNetwork::finest_unit(project);; exponent -= FlowNetwork::coarser) {
    FlowNetwork network(project, order, exponent);
    auto const sink = static_cast<std::size_t>(network.sink);
    auto const shortest = network.earliest(false)[sink], longest = network.earliest(true)[sink];
    ParametricFlow solver(network, longest - shortest);
    std::vector<Plan> result(deadlines.size());
    for (auto d : latest_first) {
      if (!(deadlines[d] >= shortest)) throw_too_short(deadlines[d], shortest);
      auto const offset = std::max(0.0, longest - deadlines[d]);
      while (solver.shorten(static_cast<std::int32_t>(offset)) && solver.augment() && solver.flow() <= FlowNetwork::most_flow) {
      }
      result[d] = plan_at(network, solver, offset);
    }
    if (solver.flow() <= FlowNetwork::most_flow) return result;
  }
}

double energy_j(Project const& project, Plan const& plan) {
  double sum = 0;
  for (std::size_t i = 0; i < plan.duration.size(); ++i) sum += project.curves[project.curve_of[i]].energy_j(plan.duration[i]);
  return sum;
}

}  // namespace wattfill
