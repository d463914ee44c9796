#include "cli/stage_draws.hpp"

#include <algorithm>
#include <utility>

#include "wattfill/scenario/job_library.hpp"
#include "wattfill/training/stage_power.hpp"

namespace wattfill::cli {

StageDraws::StageDraws(Scenario const& scenario, std::span<MixAllocation const> allocations) {
  if (!scenario.varied.empty()) return;
  std::map<std::pair<std::string, std::string>, std::vector<double>> draws;  // of each job at once: one walk down its frontier serves them
  for (auto const& allocation : allocations)
    for (auto const& a : allocation.classes)
      if (is_optimised(a.cls.curve->name)) draws[{a.cls.curve->library, a.cls.curve->name}].push_back(a.draw_w);
  for (auto const& [curve, draw_w] : draws) {
    auto const job = std::ranges::find(scenario.jobs, curve.first, &std::pair<std::string, PipelineScenario>::first);
    if (job == scenario.jobs.end()) continue;  // a measured curve
    auto const model = job_behind(job->second, curve.second);
    auto const found = stages_at(model, model.iteration(), draw_w);
    for (std::size_t i = 0; i < draw_w.size(); ++i) stages_[{curve.first, curve.second, draw_w[i]}] = found[i];
  }
}

std::vector<double> const* StageDraws::of(Allocation const& given) const {
  auto const found = stages_.find({given.cls.curve->library, given.cls.curve->name, given.draw_w});
  return found == stages_.end() ? nullptr : &found->second;
}

}  // namespace wattfill::cli
