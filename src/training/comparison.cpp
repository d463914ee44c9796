#include "wattfill/training/comparison.hpp"

#include <algorithm>
#include <array>

#include "wattfill/core/text.hpp"

namespace wattfill {

std::vector<Compared> comparisons(JobModel const& model, IterationEnergy const& energy) {
  auto const base = top_clock(model);
  std::vector<Compared> rows;
  auto const add = [&](std::string name, double setting, DiscretePlan const& plan) {
    rows.push_back(
        {std::move(name), setting, plan.time_s, plan.energy_j * model.job().gpus_per_rank, 1 - plan.energy_j / base.energy_j, plan.time_s / base.time_s - 1});
  };
  add("top-clock", 0, base);
  auto const steps = [&](double time_s) { return time_s / energy.tau_s(); };
  std::array const deadlines{static_cast<double>(energy.frontier().shortest()), steps(energy.best_s())};
  auto const planned = plans(model.project(), deadlines);
  auto const fastest = rounded(model, planned[0]);
  add("perseus", energy.shortest_s(), fastest);
  add("perseus-slack", energy.shortest_s(), with_slack_used(model, fastest, base.time_s));
  add("perseus-best", energy.best_s(), rounded(model, planned[1]));
  add("envpipe", 0, envpipe(model));
  for (auto const& b : zeus_per_stage(model)) add(b.name, b.setting, b.plan);
  for (auto const& b : zeus_global(model)) add(b.name, b.setting, b.plan);
  return rows;
}

std::string comparison_csv(std::vector<Compared> const& rows) {
  std::string text = "plan,setting,time_s,energy_j,saving,slowdown\n";
  for (auto const& r : rows)
    text += r.name + "," + number_text(r.setting) + "," + number_text(r.time_s) + "," + number_text(r.energy_j) + "," + number_text(r.saving) + "," +
            number_text(r.slowdown) + "\n";
  return text;
}

std::string straggler_csv(JobModel const& model, IterationEnergy const& energy, int replicas, std::vector<double> const& slowdowns) {
  std::string text = "slowdown,time_s,saving\n";
  auto const baseline_j = model.fastest_energy_j(energy.shortest_s());
  for (auto s : slowdowns)
    text += number_text(s) + "," + number_text(std::min(energy.best_s(), s * energy.shortest_s())) + "," +
            number_text(straggler_saving(energy, baseline_j, replicas, s)) + "\n";
  return text;
}

std::string ranks_csv(JobModel const& model, DiscretePlan const& plan) {
  std::vector<double> busy_s(static_cast<std::size_t>(model.job().pipeline.stages), 0), energy_j = busy_s;
  auto const& instructions = model.pipeline().instructions;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    busy_s[static_cast<std::size_t>(instructions[i].rank)] += plan.choice[i].time_s;
    energy_j[static_cast<std::size_t>(instructions[i].rank)] += plan.choice[i].energy_j;
  }
  std::string text = "rank,busy,power_w\n";
  for (std::size_t r = 0; r < busy_s.size(); ++r)
    text += std::to_string(r) + "," + number_text(busy_s[r] / plan.time_s) + "," +
            number_text((energy_j[r] + model.job().blocking_w * (plan.time_s - busy_s[r])) / plan.time_s) + "\n";
  return text;
}

}  // namespace wattfill
