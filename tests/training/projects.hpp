#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "wattfill/core/error.hpp"
#include "wattfill/training/plan.hpp"
#include "wattfill/training/project.hpp"

namespace wattfill::test {

using Knots = std::vector<CostCurve::Knot>;

/// One curve per computation.
inline Project project_of(std::vector<Knots> const& curves, std::vector<Project::Edge> edges) {
  Project project;
  for (auto const& knots : curves) {
    project.curve_of.push_back(project.curves.size());
    project.curves.emplace_back(knots);
  }
  project.edges = std::move(edges);
  return project;
}

/// Small numbers, the same everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 2 + 1) {}
  int upto(int n) {  // 0 .. n
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int>((state_ >> 33U) % static_cast<std::uint64_t>(n + 1));
  }

 private:
  std::uint64_t state_;
};

/// Random edges from lower to higher index, random convex costs with slopes in eighths of a joule (exact in binary), durations 0 to 3 wide.
inline Project random_project(Dice& dice, int computations, int density_of_10) {
  std::vector<Knots> curves;
  std::vector<Project::Edge> edges;
  for (int i = 0; i < computations; ++i) {
    Knots knots{{dice.upto(4) + 4, 1.0 + dice.upto(8)}};  // from the longest duration to the left, ever steeper or as steep
    int slope = 1;
    for (int width = dice.upto(3); width > 0; --width) {
      slope += dice.upto(6);
      knots.push_back({knots.back().duration - 1, knots.back().energy_j + slope / 8.0});
    }
    curves.push_back(knots);
    for (int j = 0; j < i; ++j)
      if (dice.upto(9) < density_of_10) edges.push_back({static_cast<std::size_t>(j), static_cast<std::size_t>(i)});
  }
  return project_of(curves, edges);
}

/// When the last computation ends if each takes `duration` and starts as soon as it may; edges lead from lower to higher index.
template <class Durations>
double makespan(Project const& project, Durations const& durations) {
  std::vector<double> start(durations.size(), 0);
  double last = 0;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    for (auto const& edge : project.edges)
      if (edge.after == i) start[i] = std::max(start[i], start[edge.before] + static_cast<double>(durations[edge.before]));
    last = std::max(last, start[i] + static_cast<double>(durations[i]));
  }
  return last;
}

/// Least energy at every whole time that some choice of whole durations has exactly, by trying all choices.
inline std::map<std::int64_t, double> by_enumeration(Project const& project) {
  std::map<std::int64_t, double> least;
  std::vector<std::int64_t> durations;
  for (auto curve : project.curve_of) durations.push_back(project.curves[curve].shortest());
  for (;;) {
    double energy = 0;
    for (std::size_t i = 0; i < durations.size(); ++i) energy += project.curves[project.curve_of[i]].energy_j(static_cast<double>(durations[i]));
    auto const time = static_cast<std::int64_t>(makespan(project, durations));
    auto const found = least.try_emplace(time, energy).first;
    found->second = std::min(found->second, energy);
    std::size_t i = 0;
    while (i < durations.size() && durations[i] == project.curves[project.curve_of[i]].longest()) {
      durations[i] = project.curves[project.curve_of[i]].shortest();
      ++i;
    }
    if (i == durations.size()) return least;
    ++durations[i];
  }
}

/// Whether a plan keeps every edge, every shortest duration and the deadline.
inline bool feasible(Project const& project, Plan const& plan, double deadline) {
  constexpr double rounding = 1e-9;
  for (auto const& edge : project.edges)
    if (plan.start[edge.before] + plan.duration[edge.before] > plan.start[edge.after] + rounding) return false;
  for (std::size_t i = 0; i < plan.start.size(); ++i) {
    if (plan.start[i] < 0 || plan.start[i] + plan.duration[i] > deadline + rounding) return false;
    if (plan.duration[i] < static_cast<double>(project.curves[project.curve_of[i]].shortest())) return false;
  }
  return true;
}

template <class Call>
std::string message(Call const& call) {
  try {
    call();
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace wattfill::test
