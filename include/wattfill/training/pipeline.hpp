#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattfill/training/project.hpp"

namespace wattfill {

/// What is done with a microbatch on a stage. Recomputation (of a forward pass whose activations were not kept) is a computation of its own in the
/// early-recomputation schedule alone; elsewhere it is part of the backward pass.
enum class Direction { forward, backward, recomputation };
inline constexpr std::size_t directions = 3;
std::string_view to_string(Direction);

/// One iteration of a pipeline-parallel job, in Megatron-LM's words. `stages` = pipeline-model-parallel-size; with `interleaved`, every rank holds
/// `chunks` parts of the model (virtual stages) and takes microbatches in groups of `group` (microbatch-group-size-per-virtual-pipeline-stage; 0:
/// `stages`).
struct PipelineSpec {
  enum class Schedule { one_f_one_b, interleaved, gpipe, early_recomputation };
  Schedule schedule = Schedule::one_f_one_b;
  int stages = 1;
  int microbatches = 1;
  int chunks = 1;
  int group = 0;
};

/// The forward or backward pass of one microbatch through one virtual stage. Virtual stage = chunk x stages + rank: the order in which the model's
/// layers come.
struct Instruction {
  int rank;
  int virtual_stage;
  Direction direction;
  int microbatch;
  bool operator==(Instruction const&) const = default;
};
std::string name_of(Instruction const&);

struct Pipeline {
  PipelineSpec spec;
  std::vector<Instruction> instructions;  ///< rank by rank, each in the order in which it is carried out
  std::vector<Project::Edge> edges;       ///< that order, and activations and gradients between virtual stages
  int virtual_stages() const { return spec.stages * spec.chunks; }
};

/// 1F1B (PipeDream-flush): stage s of S does min(M, S - s) forwards, then one backward and one forward by turns, then the backwards that are left.
/// GPipe: all forwards, then all backwards, both in order. Early recomputation (Merak, arXiv:2206.04959, section 4.1): 1F1B in which every stage but
/// the last, which still has its activations, recomputes a microbatch right before its backward pass and without waiting for the gradient. Interleaved 1F1B:
/// the order of Megatron-LM (arXiv:2104.04473, section 2.2). Edges: the order on every rank; F(s, m) -> F(s + 1, m); B(s + 1, m) -> B(s, m); F(last, m) ->
/// B(last, m) where the order does not imply it at once. Throws InputError for counts below 1, chunks without interleaving, and group sizes that Megatron-LM
/// refuses (stages <= group <= microbatches, and a last group smaller than the number of stages).
Pipeline make_pipeline(PipelineSpec const& spec);

/// What the passes through one virtual stage cost.
struct StageCost {
  int virtual_stage;
  Direction direction;
  CostCurve curve;
};

/// The project whose frontier is that of the iteration. Throws InputError naming the first stage and direction that has no cost, or has two.
Project make_project(Pipeline const& pipeline, std::span<StageCost const> costs);

}  // namespace wattfill
