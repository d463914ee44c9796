#include "wattfill/scenario/job_library.hpp"

#include <algorithm>

#include "wattfill/training/baselines.hpp"
#include "wattfill/training/derived_curve.hpp"

namespace wattfill {
namespace {

class Maker {
 public:
  Maker(PipelineScenario const& scenario, CurveLibrary& library) : scenario_(scenario), library_(library) {}

  void uniform(char const* name, JobModel const& model) {
    std::vector<UniformPoint> settings;
    for (auto const& b : zeus_global(model)) settings.push_back({b.plan.time_s, b.plan.energy_j});
    if (settings.size() > 1) add(name, uniform_curve(settings, 1, scenario_.job.pipeline.stages, scenario_.work()));
  }
  void frontier(char const* name, JobModel const& model) {
    auto const& wanted = scenario_.fields.curve;
    add(name, derived_curve(model.iteration(), 1, scenario_.job.pipeline.stages, scenario_.work(), wanted.least_speed, static_cast<int>(wanted.points)));
  }

 private:
  void add(char const* name, PowerSpeedCurve curve) {
    auto const& wanted = scenario_.fields.curve;
    library_.curves.push_back({library_.name,
                               name,
                               wanted.architecture,
                               wanted.task,
                               wanted.model,
                               scenario_.megatron.gpus(),
                               library_.speed_unit,
                               library_.provenance,
                               std::nullopt,
                               {},
                               std::move(curve)});
  }
  PipelineScenario const& scenario_;
  CurveLibrary& library_;
};

}  // namespace

CurveLibrary job_library(PipelineScenario const& scenario, std::string name) {
  auto const& fields = scenario.fields;
  CurveLibrary library;
  library.name = std::move(name);
  library.gpu_model = fields.gpu.model;
  library.tdp_w = fields.gpu.tdp_w;
  library.provenance = Provenance::derived;
  library.source = fields.source.value_or(Source{});
  if (!fields.source) library.source.citation = "computed by wattfill pipeline " + fields.name;
  library.speed_unit = scenario.speed_unit();
  library.statistic = "mean over an iteration";
  library.assumptions = {"job: one power limit for all, every pass at the fastest knob whose mean draw keeps it",
                         "job-perseus: time-energy frontier of one iteration (clock control per pass); beyond its end the job waits between iterations"};
  Maker maker(scenario, library);
  if (scenario.kareus) {
    library.assumptions.push_back("job-kareus: the same with launch time and SMs of communication scheduled; passes of all three come from an analytic device");
    for (auto const& system : kareus_systems(*scenario.kareus, scenario.job)) {
      if (system.name != "megatron-perseus" && system.name != "kareus") continue;
      JobModel const model(system.job);
      if (system.name == "megatron-perseus") maker.uniform("job", model);
      maker.frontier(system.name == "kareus" ? "job-kareus" : "job-perseus", model);
    }
    return library;
  }
  JobModel const model(scenario.job);
  maker.uniform("job", model);
  maker.frontier("job-perseus", model);
  return library;
}

JobModel job_behind(PipelineScenario const& scenario, std::string_view curve_name) {
  if (!scenario.kareus && curve_name == "job-perseus") return JobModel(scenario.job);
  if (scenario.kareus)
    for (auto const& system : kareus_systems(*scenario.kareus, scenario.job))
      if ((system.name == "megatron-perseus" && curve_name == "job-perseus") || (system.name == "kareus" && curve_name == "job-kareus"))
        return JobModel(system.job);
  throw InputError("the job " + scenario.fields.name + " has no frontier called " + std::string(curve_name) + "; it has job-perseus" +
                   (scenario.kareus ? " and job-kareus" : ""));
}

bool is_optimised(std::string_view curve_name) {
  return std::ranges::any_of(optimisers, [&](std::string_view optimiser) {
    return curve_name.size() > optimiser.size() + 1 && curve_name.ends_with(optimiser) && curve_name[curve_name.size() - optimiser.size() - 1] == '-';
  });
}

}  // namespace wattfill
