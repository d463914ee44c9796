#include "wattfill/training/pipeline.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "training/projects.hpp"
#include "wattfill/training/frontier.hpp"

using namespace wattfill;
using namespace wattfill::test;
using Schedule = PipelineSpec::Schedule;

namespace {

/// "F0 F1 B0 ..."; with chunks "F0.1" is microbatch 0 through the rank's chunk 1.
std::string order_of(Pipeline const& pipeline, int rank) {
  std::string text;
  for (auto const& i : pipeline.instructions) {
    if (i.rank != rank) continue;
    text += (text.empty() ? "" : " ") +
            std::string(i.direction == Direction::forward    ? "F"
                        : i.direction == Direction::backward ? "B"
                                                             : "R") +
            std::to_string(i.microbatch);
    if (pipeline.spec.chunks > 1) text += "." + std::to_string(i.virtual_stage / pipeline.spec.stages);
  }
  return text;
}

std::vector<StageCost> equal_costs(int virtual_stages) {
  std::vector<StageCost> costs;
  for (int s = 0; s < virtual_stages; ++s) {
    costs.push_back({s, Direction::forward, CostCurve({{2, 5}, {3, 4}})});
    costs.push_back({s, Direction::backward, CostCurve({{4, 9}, {6, 7}})});
  }
  return costs;
}

}  // namespace

TEST_CASE("1F1B: stage s of S begins with min(M, S - s) forwards, then backwards and forwards take turns") {
  auto const pipeline = make_pipeline({.schedule = Schedule::one_f_one_b, .stages = 3, .microbatches = 4});
  CHECK(order_of(pipeline, 0) == "F0 F1 F2 B0 F3 B1 B2 B3");
  CHECK(order_of(pipeline, 1) == "F0 F1 B0 F2 B1 F3 B2 B3");
  CHECK(order_of(pipeline, 2) == "F0 B0 F1 B1 F2 B2 F3 B3");
  CHECK(order_of(make_pipeline({.stages = 4, .microbatches = 2}), 0) == "F0 F1 B0 B1");
  // 3 chains of 7 edges, 2 boundaries of 4 microbatches both ways; F(last) -> B(last) is in the chain.
  CHECK(pipeline.edges.size() == 3 * 7 + 2 * 4 * 2);
}

TEST_CASE("GPipe: all forwards, then all backwards") {
  auto const pipeline = make_pipeline({.schedule = Schedule::gpipe, .stages = 2, .microbatches = 3});
  CHECK(order_of(pipeline, 0) == "F0 F1 F2 B0 B1 B2");
  CHECK(order_of(pipeline, 1) == "F0 F1 F2 B0 B1 B2");
  CHECK(pipeline.edges.size() == 2 * 5 + 3 * 2 + 3);  // the turns of the last stage, which its order does not imply at once
}

TEST_CASE("Early recomputation: 1F1B with a recomputation before each backward pass that does not wait for the gradient, none on the last stage") {
  auto const pipeline = make_pipeline({.schedule = Schedule::early_recomputation, .stages = 3, .microbatches = 2});
  CHECK(order_of(pipeline, 0) == "F0 F1 R0 B0 R1 B1");
  CHECK(order_of(pipeline, 1) == "F0 F1 R0 B0 R1 B1");
  CHECK(order_of(pipeline, 2) == "F0 B0 F1 B1");
  for (auto const& edge : pipeline.edges)
    if (pipeline.instructions[edge.after].direction == Direction::recomputation) CHECK(edge.before + 1 == edge.after);
}

TEST_CASE("Interleaved 1F1B: Megatron-LM's order") {
  // Two ranks, two chunks, four microbatches in groups of two. Rank 0 runs 2 (2 - 1) + 2 = 4 forwards ahead, then pairs of forward and backward.
  auto const pipeline = make_pipeline({.schedule = Schedule::interleaved, .stages = 2, .microbatches = 4, .chunks = 2});
  CHECK(order_of(pipeline, 0) == "F0.0 F1.0 F0.1 F1.1 F2.0 B0.1 F3.0 B1.1 F2.1 B0.0 F3.1 B1.0 B2.1 B3.1 B2.0 B3.0");
  CHECK(order_of(pipeline, 1) == "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 F2.0 B0.0 F3.0 B1.0 F2.1 B2.1 F3.1 B3.1 B2.0 B3.0");
  auto const wide = make_pipeline({.schedule = Schedule::interleaved, .stages = 2, .microbatches = 3, .chunks = 2, .group = 3});
  CHECK(order_of(wide, 1) == "F0.0 F1.0 F2.0 F0.1 B0.1 F1.1 B1.1 F2.1 B2.1 B0.0 B1.0 B2.0");
}

TEST_CASE("One chunk of interleaved 1F1B runs more forwards ahead than 1F1B and is otherwise the same work") {
  auto const plain = make_pipeline({.stages = 3, .microbatches = 6});
  auto const interleaved = make_pipeline({.schedule = Schedule::interleaved, .stages = 3, .microbatches = 6});
  auto const sorted = [](Pipeline const& p) {
    std::vector<std::string> names;
    for (auto const& i : p.instructions) names.push_back(name_of(i));
    std::ranges::sort(names);
    return names;
  };
  CHECK(sorted(plain) == sorted(interleaved));
  CHECK(order_of(interleaved, 0).starts_with("F0 F1 F2 F3 F4 B0 F5 B1"));
}

TEST_CASE("Every schedule can be carried out, and its fastest iteration has the known length") {
  // Forward 2, backward 4 at the fastest. 1F1B and GPipe with equal stages: (S - 1 + M) (2 + 4).
  for (auto schedule : {Schedule::one_f_one_b, Schedule::gpipe})
    for (int stages : {1, 2, 5})
      for (int microbatches : {1, 3, 8}) {
        auto const pipeline = make_pipeline({.schedule = schedule, .stages = stages, .microbatches = microbatches});
        auto const frontier = Frontier::of(make_project(pipeline, equal_costs(stages)));
        CHECK(frontier.shortest() == (stages - 1 + microbatches) * 6);
        CHECK(frontier.certificate().holds());
      }
  // Interleaved: the bubble shrinks to (S - 1) / V of full stages (arXiv:2104.04473): V M (2 + 4) + (S - 1) (2 + 4) per rank.
  for (int chunks : {1, 2, 3}) {
    auto const pipeline = make_pipeline({.schedule = Schedule::interleaved, .stages = 4, .microbatches = 8, .chunks = chunks});
    auto const frontier = Frontier::of(make_project(pipeline, equal_costs(4 * chunks)));
    CHECK(frontier.shortest() == (chunks * 8 + 3) * 6);
    CHECK(frontier.certificate().holds());
  }
}

TEST_CASE("Schedules that cannot be are refused") {
  CHECK(message([] { make_pipeline({.stages = 0}); }) == "stages: is 0; give at least 1");
  CHECK(message([] { make_pipeline({.microbatches = -2}); }) == "microbatches: is -2; give at least 1");
  CHECK(message([] { make_pipeline({.stages = 2, .microbatches = 2, .chunks = 2}); }).starts_with("chunks: is 2, but only the interleaved"));
  CHECK(message([] { make_pipeline({.stages = 1 << 16, .microbatches = 1 << 16}); }).starts_with("microbatches: more than"));
  auto const interleaved = [](int microbatches, int group) {
    return message([&] { make_pipeline({.schedule = Schedule::interleaved, .stages = 4, .microbatches = microbatches, .chunks = 2, .group = group}); });
  };
  CHECK(interleaved(3, 0) == "group: is 4; the interleaved schedule needs stages (4) <= group <= microbatches (3)");
  CHECK(interleaved(8, 3).starts_with("group: is 3; the interleaved schedule needs"));
  CHECK(interleaved(9, 4).starts_with("group: leaves a last group of 1 microbatches, fewer than the 4 stages"));
  CHECK(interleaved(9, 5) == "accepted");
}

TEST_CASE("A stage without costs, or with two, is named") {
  auto const pipeline = make_pipeline({.stages = 2, .microbatches = 2});
  auto costs = equal_costs(2);
  costs.pop_back();
  CHECK(message([&] { make_project(pipeline, costs); }) ==
        "stage 1, backward has no cost model (its duration and energy are unknown); give one for every stage and direction");
  costs.push_back(costs.front());
  CHECK(message([&] { make_project(pipeline, costs); }) == "stage 0, forward has two cost models; keep one");
}
