#include "wattfill/training/baselines.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace wattfill {
namespace {

constexpr double limit_step_w = 25;

ProfilePoint fastest(std::span<ProfilePoint const> profile) { return *std::ranges::max_element(profile, {}, &ProfilePoint::knob); }
double power_w(ProfilePoint const& p) { return p.energy_j / p.time_s; }

/// What a GPU does under a power limit: as fast as its draw allows, or its least draw.
ProfilePoint under_limit(JobModel const& model, std::size_t kind, double limit_w) {
  auto const profile = model.profile(kind);
  auto const draw = [&](ProfilePoint const& p) { return model.job().knob == Knob::cap_w ? p.knob : power_w(p); };
  ProfilePoint const* best = nullptr;
  for (auto const& p : profile)
    if (draw(p) <= limit_w && (best == nullptr || p.time_s < best->time_s)) best = &p;
  return best != nullptr ? *best : *std::ranges::min_element(profile, {}, draw);
}

/// Multiples of 25 W from below the least draw to above the greatest, highest first.
std::vector<double> limits(JobModel const& model) {
  double low = 1e300, high = 0;
  for (std::size_t k = 0; k < model.kinds(); ++k)
    for (auto const& p : model.profile(k)) {
      auto const draw = model.job().knob == Knob::cap_w ? p.knob : power_w(p);
      low = std::min(low, draw);
      high = std::max(high, draw);
    }
  std::vector<double> result;
  for (auto n = std::ceil(high / limit_step_w); n >= std::ceil(low / limit_step_w); --n) result.push_back(n * limit_step_w);
  return result;
}

/// The plan in which every rank has a limit of its own.
DiscretePlan under_limits(JobModel const& model, std::vector<double> const& limit_of_rank) {
  std::vector<ProfilePoint> choice;
  auto const& instructions = model.pipeline().instructions;
  std::map<std::size_t, ProfilePoint> of_kind;  // a kind belongs to one rank
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    auto const kind = model.kind_of(i);
    auto const known = of_kind.find(kind);
    choice.push_back(known != of_kind.end() ? known->second : under_limit(model, kind, limit_of_rank[static_cast<std::size_t>(instructions[i].rank)]));
    of_kind.emplace(kind, choice.back());
  }
  return realise(model, std::move(choice));
}

void add_if_new(std::vector<PlanBaseline>& list, PlanBaseline baseline) {
  auto const same = !list.empty() && list.back().plan.time_s == baseline.plan.time_s && list.back().plan.energy_j == baseline.plan.energy_j;
  if (same) list.back().setting = baseline.setting;  // the lowest limit that gives this
  if (!same) list.push_back(std::move(baseline));
}

double forward_s(JobModel const& model, int rank, double limit_w) {
  double sum = 0;
  for (std::size_t k = 0; k < model.kinds(); ++k) {
    auto const& p = model.stage_profile(k);
    if (p.direction == Direction::forward && p.virtual_stage % model.job().pipeline.stages == rank) sum += under_limit(model, k, limit_w).time_s;
  }
  return sum;
}

/// Whether each computation lies on a critical path of the plan.
std::vector<bool> critical(WorkOrder const& work, DiscretePlan const& plan) {
  std::vector<double> latest(plan.choice.size(), plan.time_s);
  std::vector<bool> result(plan.choice.size());
  auto const rounding = 1e-12 * plan.time_s;
  for (std::size_t n = work.order.size(); n-- > 0;) {
    auto const i = work.order[n];
    for (auto a : work.after[i]) latest[i] = std::min(latest[i], latest[a] - plan.choice[a].time_s);
    result[i] = latest[i] - plan.choice[i].time_s - plan.start_s[i] <= rounding;
  }
  return result;
}

std::vector<bool> envelope_of(Pipeline const& pipeline) {
  std::vector<bool> result;
  auto const last_stage = pipeline.virtual_stages() - 1;
  for (auto const& i : pipeline.instructions)
    result.push_back(i.virtual_stage == last_stage || (i.direction == Direction::forward && i.microbatch == 0) ||
                     (i.direction == Direction::backward && i.microbatch == pipeline.spec.microbatches - 1));
  return result;
}

}  // namespace

DiscretePlan top_clock(JobModel const& model) {
  std::vector<ProfilePoint> choice;
  for (std::size_t i = 0; i < model.pipeline().instructions.size(); ++i) choice.push_back(fastest(model.profile(model.kind_of(i))));
  return realise(model, std::move(choice));
}

std::vector<PlanBaseline> zeus_global(JobModel const& model) {
  std::vector<PlanBaseline> result;
  for (auto limit : limits(model))
    add_if_new(result, {"zeus-global", limit, under_limits(model, std::vector<double>(static_cast<std::size_t>(model.job().pipeline.stages), limit))});
  return result;
}

std::vector<PlanBaseline> zeus_per_stage(JobModel const& model) {
  std::vector<PlanBaseline> result;
  auto const stages = model.job().pipeline.stages;
  auto const grid = limits(model);
  int heaviest = 0;
  for (int r = 1; r < stages; ++r)
    if (forward_s(model, r, grid.front()) > forward_s(model, heaviest, grid.front())) heaviest = r;
  for (auto limit : grid) {
    auto const allowed = forward_s(model, heaviest, limit);
    std::vector<double> of_rank(static_cast<std::size_t>(stages), limit);
    for (int r = 0; r < stages; ++r) {
      if (r == heaviest) continue;
      of_rank[static_cast<std::size_t>(r)] = grid.front();
      for (auto lower : grid)
        if (forward_s(model, r, lower) <= allowed) of_rank[static_cast<std::size_t>(r)] = lower;
    }
    add_if_new(result, {"zeus-per-stage", limit, under_limits(model, of_rank)});
  }
  return result;
}

DiscretePlan envpipe(JobModel const& model) {
  WorkOrder const work(model.project());
  auto const envelope = envelope_of(model.pipeline());
  std::vector<std::vector<ProfilePoint>> by_knob;  // of each kind, rising
  std::vector<std::size_t> least;                  // of each kind, the place of its least effective energy
  for (std::size_t k = 0; k < model.kinds(); ++k) {
    auto& points = by_knob.emplace_back(model.profile(k).begin(), model.profile(k).end());
    std::ranges::sort(points, {}, &ProfilePoint::knob);
    auto const effective = [&](ProfilePoint const& p) { return p.energy_j - model.job().blocking_w * p.time_s; };
    least.push_back(static_cast<std::size_t>(std::ranges::min_element(points, {}, effective) - points.begin()));
  }
  auto const n = model.pipeline().instructions.size();
  std::vector<std::size_t> at(n);
  std::vector<ProfilePoint> choice(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto const& points = by_knob[model.kind_of(i)];
    at[i] = envelope[i] ? points.size() - 1 : least[model.kind_of(i)];
    choice[i] = points[at[i]];
  }
  for (;;) {
    auto plan = realise(model, choice);
    auto const on_path = critical(work, plan);
    bool raised = false;
    for (std::size_t i = 0; i < n; ++i) {
      auto const& points = by_knob[model.kind_of(i)];
      if (!on_path[i] || envelope[i] || at[i] + 1 >= points.size()) continue;
      choice[i] = points[++at[i]];
      raised = true;
    }
    if (!raised) return plan;
  }
}

}  // namespace wattfill
