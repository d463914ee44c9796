#include "wattfill/training/discrete_plan.hpp"

#include <algorithm>
#include <cmath>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

DiscretePlan realised(JobModel const& model, WorkOrder const& work, std::vector<ProfilePoint> choice) {
  DiscretePlan plan{std::move(choice), {}, 0, 0};
  plan.start_s.assign(plan.choice.size(), 0);
  double busy_s = 0;
  for (auto i : work.order) {
    for (auto b : work.before[i]) plan.start_s[i] = std::max(plan.start_s[i], plan.start_s[b] + plan.choice[b].time_s);
    plan.time_s = std::max(plan.time_s, plan.start_s[i] + plan.choice[i].time_s);
  }
  for (auto const& c : plan.choice) {
    plan.energy_j += c.energy_j;
    busy_s += c.time_s;
  }
  plan.energy_j += model.job().blocking_w * (model.job().pipeline.stages * plan.time_s - busy_s);
  return plan;
}

}  // namespace

WorkOrder::WorkOrder(Project const& project) : order(topological_order(project)), before(project.curve_of.size()), after(project.curve_of.size()) {
  for (auto const& edge : project.edges) {
    before[edge.after].push_back(edge.before);
    after[edge.before].push_back(edge.after);
  }
}

DiscretePlan realise(JobModel const& model, std::vector<ProfilePoint> choice) { return realised(model, WorkOrder(model.project()), std::move(choice)); }

DiscretePlan rounded(JobModel const& model, Plan const& plan) {
  constexpr double rounding = 1e-9;  // of time steps: between whole deadlines durations are sums of fractions
  std::vector<ProfilePoint> choice;
  for (std::size_t i = 0; i < plan.duration.size(); ++i) {
    auto const options = model.options(model.kind_of(i));  // longest first
    auto const fits = std::ranges::find_if(options, [&](CostOption const& o) { return static_cast<double>(o.steps) <= plan.duration[i] + rounding; });
    WATTFILL_ASSERT(fits != options.end());
    choice.push_back({fits->knob, fits->time_s, fits->energy_j});
  }
  return realise(model, std::move(choice));
}

DiscretePlan with_slack_used(JobModel const& model, DiscretePlan plan, double limit_s) {
  WorkOrder const work(model.project());
  auto const end = std::max(limit_s, plan.time_s);
  std::vector<double> latest(plan.choice.size(), end);  // end of each that keeps the iteration in time, later ones as they are
  for (std::size_t n = work.order.size(); n-- > 0;) {
    auto const i = work.order[n];
    for (auto a : work.after[i]) latest[i] = std::min(latest[i], latest[a] - plan.choice[a].time_s);
  }
  std::vector<double> earliest(plan.choice.size(), 0);
  auto const waiting_w = model.job().blocking_w;
  auto const effective = [&](ProfilePoint const& p) { return p.energy_j - waiting_w * p.time_s; };
  for (auto i : work.order) {
    for (auto b : work.before[i]) earliest[i] = std::max(earliest[i], earliest[b] + plan.choice[b].time_s);
    auto const room = latest[i] - earliest[i];
    for (auto const& p : model.profile(model.kind_of(i)))
      if (p.time_s <= room && effective(p) < effective(plan.choice[i])) plan.choice[i] = p;
  }
  auto result = realised(model, work, plan.choice);
  // A longer iteration makes every stage wait longer; where that costs more than was saved, the plan stays as it was.
  return result.energy_j <= plan.energy_j ? result : plan;
}

}  // namespace wattfill
