#include "wattfill/training/timeline.hpp"

#include <algorithm>

#include "wattfill/core/text.hpp"

namespace wattfill {

std::vector<PowerStep> power_over_time(JobModel const& model, DiscretePlan const& plan) {
  struct Change {
    double time_s;
    int rank;
    double draw_w;
    bool starts;
  };
  auto const& instructions = model.pipeline().instructions;
  std::vector<Change> changes;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    auto const& c = plan.choice[i];
    changes.push_back({plan.start_s[i], instructions[i].rank, c.energy_j / c.time_s, true});
    changes.push_back({plan.start_s[i] + c.time_s, instructions[i].rank, model.job().blocking_w, false});
  }
  // Where one ends as another starts, the start comes last and stays.
  std::ranges::stable_sort(changes, [](Change const& a, Change const& b) { return a.time_s != b.time_s ? a.time_s < b.time_s : a.starts < b.starts; });
  std::vector<double> draw(static_cast<std::size_t>(model.job().pipeline.stages), model.job().blocking_w);
  std::vector<PowerStep> steps;
  for (std::size_t i = 0; i < changes.size();) {
    auto const now = changes[i].time_s;
    for (; i < changes.size() && changes[i].time_s == now; ++i) draw[static_cast<std::size_t>(changes[i].rank)] = changes[i].draw_w;
    double sum = 0;  // anew each time: no drift
    for (auto w : draw) sum += w;
    sum *= model.job().gpus_per_rank;
    if (steps.empty() || steps.back().power_w != sum) steps.push_back({now, sum});
  }
  return steps;
}

std::string timeline_csv(JobModel const& model, DiscretePlan const& plan) {
  std::string text = "rank,start_s,end_s,instruction,virtual_stage,microbatch,knob,power_w,energy_j\n";
  auto const& instructions = model.pipeline().instructions;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    auto const& c = plan.choice[i];
    auto const energy_j = c.energy_j * model.job().gpus_per_rank;
    text += std::to_string(instructions[i].rank) + "," + number_text(plan.start_s[i]) + "," + number_text(plan.start_s[i] + c.time_s) + "," +
            std::string(to_string(instructions[i].direction)) + "," + std::to_string(instructions[i].virtual_stage) + "," +
            std::to_string(instructions[i].microbatch) + "," + number_text(c.knob) + "," + number_text(energy_j / c.time_s) + "," + number_text(energy_j) +
            "\n";
  }
  return text;
}

std::string power_csv(JobModel const& model, DiscretePlan const& plan) {
  std::string text = "time_s,power_w\n";
  auto const steps = power_over_time(model, plan);
  for (auto const& s : steps) text += number_text(s.time_s) + "," + number_text(s.power_w) + "\n";
  // The last change is the end of the last computation, where all wait: the iteration's end.
  if (!steps.empty() && steps.back().time_s < plan.time_s) text += number_text(plan.time_s) + "," + number_text(steps.back().power_w) + "\n";
  return text;
}

std::string schedule_json(JobModel const& model, DiscretePlan const& plan) {
  auto const& instructions = model.pipeline().instructions;
  std::string text = "{\n  \"knob\": " + std::string(model.job().knob == Knob::clock_mhz ? "\"clock_mhz\"" : "\"cap_w\"") +
                     ",\n  \"iteration_time_s\": " + number_text(plan.time_s) + ",\n  \"ranks\": {";
  int rank = -1;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].rank != rank) {
      text += (rank < 0 ? "\n" : "],\n") + std::string("    \"") + std::to_string(instructions[i].rank) + "\": [";
      rank = instructions[i].rank;
    } else {
      text += ", ";
    }
    text += "[" + json_text(to_string(instructions[i].direction)) + ", " + number_text(plan.choice[i].knob) + "]";
  }
  return text + "]\n  }\n}\n";
}

}  // namespace wattfill
