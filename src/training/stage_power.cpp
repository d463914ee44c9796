#include "wattfill/training/stage_power.hpp"

#include <algorithm>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/training/baselines.hpp"
#include "wattfill/training/plan.hpp"

namespace wattfill {

namespace {

/// Mean draw of one GPU of each rank in iterations of these times [s]; beyond the frontier's end they wait.
std::vector<std::vector<double>> stages_in(JobModel const& model, IterationEnergy const& energy, std::span<double const> times_s) {
  auto const shortest = static_cast<double>(energy.frontier().shortest()), longest = static_cast<double>(energy.frontier().longest());
  std::vector<double> deadlines;
  for (auto const time_s : times_s) deadlines.push_back(std::clamp(time_s / energy.tau_s(), shortest, longest));
  auto const planned = plans(model.project(), deadlines);
  auto const& instructions = model.pipeline().instructions;
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    auto& stage_w = all.emplace_back(static_cast<std::size_t>(model.job().pipeline.stages), model.job().blocking_w);
    for (std::size_t v = 0; v < instructions.size(); ++v) {
      auto const& curve = model.project().curves[model.project().curve_of[v]];
      stage_w[static_cast<std::size_t>(instructions[v].rank)] += curve.energy_j(planned[i].duration[v]) / times_s[i];  // beyond what waiting takes
    }
  }
  return all;
}

}  // namespace

std::vector<std::vector<double>> stages_at(JobModel const& model, IterationEnergy const& energy, std::span<double const> power_w) {
  std::vector<double> times_s;
  for (auto const w : power_w) times_s.push_back(energy.time_for_power(w * model.job().pipeline.stages));
  return stages_in(model, energy, times_s);
}

std::vector<StagePower> stage_power(JobModel const& model, IterationEnergy const& energy, int points) {
  if (points < 2) throw InputError(std::to_string(points) + " points; give at least 2");
  auto const stages = static_cast<double>(model.job().pipeline.stages);
  auto const shortest = energy.shortest_s(), best = energy.best_s();
  std::vector<StagePower> rows;
  std::vector<double> times_s;
  for (int i = 0; i < (best > shortest ? points : 1); ++i) times_s.push_back(i + 1 < points ? shortest + (best - shortest) * i / (points - 1) : best);
  auto const shared = stages_in(model, energy, times_s);
  auto const limits = zeus_global(model);
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    auto& row = rows.emplace_back(StagePower{energy.power_w(times_s[i]) / stages, times_s[i], {}, shared[i]});
    for (auto const& limit : limits)
      if (limit.plan.power_w() / stages <= row.power_w) row.uniform_s = std::min(row.uniform_s.value_or(limit.plan.time_s), limit.plan.time_s);
  }
  return rows;
}

std::string stage_power_csv(std::vector<StagePower> const& rows) {
  std::string text = "power_w,time_s,uniform_time_s,rank,stage_w,share\n";
  for (auto const& row : rows)
    for (std::size_t r = 0; r < row.stage_w.size(); ++r)
      text += number_text(row.power_w) + "," + number_text(row.time_s) + "," + (row.uniform_s ? number_text(*row.uniform_s) : "") + "," + std::to_string(r) +
              "," + number_text(row.stage_w[r]) + "," + number_text(row.stage_w[r] / (row.power_w * static_cast<double>(row.stage_w.size()))) + "\n";
  return text;
}

}  // namespace wattfill
