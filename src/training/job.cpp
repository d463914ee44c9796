#include "wattfill/training/job.hpp"

#include <algorithm>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

std::string place_of(StageProfile const& p) { return "stage " + std::to_string(p.virtual_stage) + ", " + std::string(to_string(p.direction)); }

}  // namespace

JobModel::JobModel(TrainingJob job) : job_(std::move(job)), pipeline_(make_pipeline(job_.pipeline)) {
  std::vector<StageCost> costs;
  for (auto const& p : job_.profiles) {
    if (p.virtual_stage < 0 || p.virtual_stage >= pipeline_.virtual_stages()) continue;
    try {
      options_.push_back(useful_options(p.points, job_.tau_s, job_.blocking_w));
      costs.push_back(
          {p.virtual_stage, p.direction, job_.costs == CostForm::fitted ? fitted_cost_curve(options_.back()) : measured_cost_curve(options_.back())});
    } catch (InputError const& error) {
      auto problems = error.problems();
      for (auto& problem : problems) problem.what = place_of(p) + ": " + problem.what;
      throw InputError(std::move(problems));
    }
    profiles_.push_back(p);
  }
  project_ = make_project(pipeline_, costs);  // one cost curve per kind, in the order of `costs`
  kind_of_ = project_.curve_of;
}

IterationEnergy JobModel::iteration() const { return {Frontier::of(project_), job_.tau_s, waiting_w()}; }

double JobModel::fastest_energy_j(double time_s) const {
  std::vector<std::vector<ProfilePoint>> used;
  for (std::size_t k = 0; k < kinds(); ++k)
    if (std::ranges::find(kind_of_, k) != kind_of_.end()) used.emplace_back(profile(k).begin(), profile(k).end());
  return wattfill::fastest_energy_j(used, job_.pipeline.microbatches, job_.pipeline.stages, job_.blocking_w, time_s);
}

}  // namespace wattfill
