#pragma once
#include <span>
#include <string>
#include <vector>

#include "wattfill/policy/policy.hpp"

namespace wattfill::testing {

inline PolicySpec policy(std::string name) {
  PolicySpec spec;
  spec.name = std::move(name);
  return spec;
}
inline PolicySpec expression(std::string curtail) {
  auto spec = policy("expression");
  spec.curtail = std::move(curtail);
  return spec;
}
inline PolicySpec telemetry(std::string feature, bool per_job = false) {
  auto spec = policy("telemetry");
  spec.feature = std::move(feature);
  spec.per_job = per_job;
  return spec;
}
inline PolicySpec labelled(PolicySpec spec, std::string label, bool pfi_off = false) {
  spec.label = std::move(label);
  spec.pfi_off = pfi_off;
  return spec;
}

/// Every rule with its least options; curves need the feature "dram".
inline std::vector<PolicySpec> every_policy() {
  std::vector<PolicySpec> all;
  for (auto const& entry : policy_registry()) {
    auto spec = policy(std::string(entry.name));
    if (entry.name == "telemetry") spec.feature = "dram";
    if (entry.name == "expression") spec.curtail = "p_max^1.5 * pfi / (gpus + 1)";
    if (entry.name == "class-weighted") spec.where.task = "fine-tuning";
    all.push_back(spec);
  }
  return all;
}

/// Draws of one GPU of every demand when `jobs[d]` jobs share `budget_w`.
inline std::vector<double> draws_of(PolicySpec const& spec, std::span<Demand const> demands, std::vector<double> const& jobs, double budget_w) {
  auto const plan = make_policy(spec)->prepare(demands);
  std::vector<double> gpus;
  for (std::size_t d = 0; d < demands.size(); ++d) gpus.push_back(jobs[d] * demands[d].gpus);
  return plan.draws_at(plan.locate(gpus, budget_w));
}

}  // namespace wattfill::testing
