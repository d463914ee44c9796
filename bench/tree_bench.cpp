// How does the cost of limits in a power delivery tree grow with its nodes? Feeds of PDUs of 20 racks of four 8-GPU jobs on 25 curves; most racks bind.
#include <benchmark/benchmark.h>

#include "wattfill/policy/policy.hpp"
#include "wattfill/policy/tree_oracle.hpp"
#include "wattfill/scenario/library_shelf.hpp"

namespace {

using namespace wattfill;

struct Tree {
  LibraryShelf shelf{{WATTFILL_SOURCE_DIR "/curves"}, "."};
  std::vector<Demand> demands;
  std::vector<PowerNode> nodes{{.name = "feed"}};
  std::vector<PlacedJob> jobs;

  explicit Tree(std::size_t size) {
    Reading reading;
    for (auto const& curve : shelf.take({"h200-pfi-2026", {}}, reading)->curves) {
      Demand d;
      d.believed = &curve;
      d.gpus = curve.gpus;
      d.uncapped_w = curve.curve.max_draw();
      d.floor_w = curve.curve.min_draw();
      d.value = curve.gpus;
      demands.push_back(d);
    }
    std::size_t pdu = 0;
    for (std::size_t r = 0; nodes.size() < size; ++r) {
      if (r % 20 == 0) {
        pdu = nodes.size();
        nodes.push_back({.name = "pdu" + std::to_string(r), .parent = 0, .limit_w = 20 * 32 * 480.0, .loss = 0.02});
      }
      nodes.push_back({.name = "rack" + std::to_string(r), .parent = pdu, .limit_w = 32 * (400.0 + static_cast<double>(r * 37 % 200))});
      for (std::size_t j = 0; j < 4; ++j) jobs.push_back({(r * 4 + j) % demands.size(), {{nodes.size() - 1, 8}}});
    }
    nodes[0].limit_w = static_cast<double>(jobs.size()) * 8 * 450;
  }
};

void fill(benchmark::State& state) {
  Tree const tree(static_cast<std::size_t>(state.range(0)));
  PowerTree const limits(tree.nodes);
  PolicySpec proportional;
  proportional.name = "proportional";
  auto const plan = make_policy(proportional)->prepare(tree.demands);
  for (auto _ : state) benchmark::DoNotOptimize(fill_tree(limits, plan, tree.jobs));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(fill)->RangeMultiplier(10)->Range(100, 100'000)->Unit(benchmark::kMicrosecond)->Complexity();

void optimum(benchmark::State& state) {
  Tree const tree(static_cast<std::size_t>(state.range(0)));
  PowerTree const limits(tree.nodes);
  for (auto _ : state) benchmark::DoNotOptimize(best_in_tree(limits, tree.demands, tree.jobs));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(optimum)->RangeMultiplier(10)->Range(100, 100'000)->Unit(benchmark::kMicrosecond)->Complexity();

}  // namespace
