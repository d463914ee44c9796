#include "wattfill/training/pipeline.hpp"

#include <algorithm>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

using Order = std::vector<Instruction>;

std::string counted(int n) { return std::to_string(n); }

void check(PipelineSpec const& spec) {
  constexpr int most = 1 << 24;  // instructions, far beyond any job
  auto const at_least_one = [](int n, char const* what) {
    if (n < 1) throw InputError({{}, what, "is " + counted(n) + "; give at least 1"});
  };
  at_least_one(spec.stages, "stages");
  at_least_one(spec.microbatches, "microbatches");
  at_least_one(spec.chunks, "chunks");
  if (static_cast<double>(spec.stages) * spec.microbatches * spec.chunks > most)
    throw InputError({{}, "microbatches", "more than " + counted(most) + " forward passes in an iteration; give fewer stages, chunks or microbatches"});
  if (spec.schedule != PipelineSpec::Schedule::interleaved) {
    if (spec.chunks != 1)
      throw InputError({{}, "chunks", "is " + counted(spec.chunks) + ", but only the interleaved schedule has more than one part of the model per rank"});
    return;
  }
  auto const group = spec.group == 0 ? spec.stages : spec.group;
  if (group < spec.stages || group > spec.microbatches)
    throw InputError({{},
                      "group",
                      "is " + counted(group) + "; the interleaved schedule needs stages (" + counted(spec.stages) + ") <= group <= microbatches (" +
                          counted(spec.microbatches) + ")"});
  auto const last = spec.microbatches % group;
  if (last > 0 && last < spec.stages)
    throw InputError({{},
                      "group",
                      "leaves a last group of " + counted(last) + " microbatches, fewer than the " + counted(spec.stages) +
                          " stages (the pipeline would stall); choose microbatches divisible by it, or another group"});
}

/// `warm_up` forwards, then one backward and one forward by turns, then the backwards that are left.
Order alternate(Order const& forwards, Order const& backwards, std::size_t warm_up) {
  Order order(forwards.begin(), forwards.begin() + static_cast<std::ptrdiff_t>(warm_up));
  for (std::size_t i = 0; i < backwards.size(); ++i) {
    order.push_back(backwards[i]);
    if (warm_up + i < forwards.size()) order.push_back(forwards[warm_up + i]);
  }
  return order;
}

Order one_f_one_b(PipelineSpec const& spec, int rank) {
  Order forwards, backwards;
  for (int m = 0; m < spec.microbatches; ++m) {
    forwards.push_back({rank, rank, Direction::forward, m});
    backwards.push_back({rank, rank, Direction::backward, m});
  }
  auto const warm_up = spec.schedule == PipelineSpec::Schedule::gpipe ? spec.microbatches : std::min(spec.microbatches, spec.stages - rank);
  auto order = alternate(forwards, backwards, static_cast<std::size_t>(warm_up));
  if (spec.schedule != PipelineSpec::Schedule::early_recomputation || rank + 1 == spec.stages) return order;
  Order with;
  for (auto const& i : order) {
    if (i.direction == Direction::backward) with.push_back({i.rank, i.virtual_stage, Direction::recomputation, i.microbatch});
    with.push_back(i);
  }
  return with;
}

/// Megatron-LM: microbatches in groups, each group through the rank's chunks in turn (backwards: in reverse); 2 (stages - 1 - rank) + (chunks - 1)
/// group forwards ahead of the first pair. A pair there is forward, then backward, so one forward more comes before the first backward.
Order interleaved(PipelineSpec const& spec, int rank) {
  auto const group = spec.group == 0 ? spec.stages : spec.group;
  Order forwards, backwards;
  for (int first = 0; first < spec.microbatches; first += group)
    for (int chunk = 0; chunk < spec.chunks; ++chunk)
      for (int m = first; m < std::min(first + group, spec.microbatches); ++m) {
        forwards.push_back({rank, chunk * spec.stages + rank, Direction::forward, m});
        backwards.push_back({rank, (spec.chunks - 1 - chunk) * spec.stages + rank, Direction::backward, m});
      }
  auto const ahead = 2 * (spec.stages - 1 - rank) + (spec.chunks - 1) * group + 1;
  return alternate(forwards, backwards, std::min(static_cast<std::size_t>(ahead), forwards.size()));
}

}  // namespace

std::string_view to_string(Direction direction) {
  return direction == Direction::forward ? "forward" : direction == Direction::backward ? "backward" : "recomputation";
}

std::string name_of(Instruction const& i) {
  return std::string(to_string(i.direction)) + " of stage " + counted(i.virtual_stage) + ", microbatch " + counted(i.microbatch);
}

Pipeline make_pipeline(PipelineSpec const& spec) {
  check(spec);
  Pipeline pipeline{spec, {}, {}};
  auto const virtual_stages = static_cast<std::size_t>(pipeline.virtual_stages()), microbatches = static_cast<std::size_t>(spec.microbatches);
  std::vector<std::size_t> place(directions * virtual_stages * microbatches);
  auto const at = [&](std::size_t stage, std::size_t m, Direction direction) -> std::size_t& {
    return place[directions * (stage * microbatches + m) + static_cast<std::size_t>(direction)];
  };
  auto& edges = pipeline.edges;
  for (int rank = 0; rank < spec.stages; ++rank) {
    auto const order = spec.schedule == PipelineSpec::Schedule::interleaved ? interleaved(spec, rank) : one_f_one_b(spec, rank);
    for (std::size_t i = 0; i < order.size(); ++i) {
      auto const index = pipeline.instructions.size();
      if (i > 0) edges.push_back({index - 1, index});
      at(static_cast<std::size_t>(order[i].virtual_stage), static_cast<std::size_t>(order[i].microbatch), order[i].direction) = index;
      pipeline.instructions.push_back(order[i]);
    }
  }
  for (std::size_t m = 0; m < microbatches; ++m) {
    for (std::size_t s = 0; s + 1 < virtual_stages; ++s) {
      edges.push_back({at(s, m, Direction::forward), at(s + 1, m, Direction::forward)});
      edges.push_back({at(s + 1, m, Direction::backward), at(s, m, Direction::backward)});
    }
    auto const turn = at(virtual_stages - 1, m, Direction::forward), back = at(virtual_stages - 1, m, Direction::backward);
    if (back != turn + 1) edges.push_back({turn, back});
  }
  return pipeline;
}

Project make_project(Pipeline const& pipeline, std::span<StageCost const> costs) {
  Project project;
  auto const kinds = directions * static_cast<std::size_t>(pipeline.virtual_stages());
  auto const kind = [](int stage, Direction direction) { return directions * static_cast<std::size_t>(stage) + static_cast<std::size_t>(direction); };
  std::vector<std::size_t> curve_of(kinds, kinds);
  for (auto const& cost : costs) {
    if (cost.virtual_stage < 0 || cost.virtual_stage >= pipeline.virtual_stages()) continue;
    auto& curve = curve_of[kind(cost.virtual_stage, cost.direction)];
    if (curve < kinds)
      throw InputError("stage " + counted(cost.virtual_stage) + ", " + std::string(to_string(cost.direction)) + " has two cost models; keep one");
    curve = project.curves.size();
    project.curves.push_back(cost.curve);
  }
  for (auto const& instruction : pipeline.instructions) {
    auto const curve = curve_of[kind(instruction.virtual_stage, instruction.direction)];
    if (curve == kinds)
      throw InputError("stage " + counted(instruction.virtual_stage) + ", " + std::string(to_string(instruction.direction)) +
                       " has no cost model (its duration and energy are unknown); give one for every stage and direction");
    project.curve_of.push_back(curve);
    project.names.push_back(name_of(instruction));
  }
  project.edges = pipeline.edges;
  return project;
}

}  // namespace wattfill
