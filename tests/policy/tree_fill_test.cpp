#include "wattfill/policy/tree_fill.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "policy/trees.hpp"
#include "support/catch.hpp"
#include "support/policies.hpp"

namespace wattfill {
namespace {

using testing::Draws;
using testing::node;
using testing::RandomDemands;
using testing::RandomTree;

constexpr auto none = PowerNode::no_parent;

/// One class that rises from 0 to 100 W while the level does.
FillPlan ramp() {
  double const floors[]{0.0};
  return FillPlan(floors, {{0, 0, 1, 0, 100}});
}

std::vector<std::string> const rules{"equal-split", "proportional", "headroom-fair", "pfi-ranked", "quadratic"};

}  // namespace

TEST_CASE("fills compose: the minimum of the limit and the sum of the children") {
  // Rack a: 4 GPUs under 100 W; rack b: 4 GPUs under 300 W; both under 350 W.
  PowerTree const tree({node("feed", none, 350), node("a", 0, 100), node("b", 0, 300)});
  std::vector<PlacedJob> const jobs{{0, {{1, 4}}}, {0, {{2, 4}}}};
  auto const fill = fill_tree(tree, ramp(), jobs);
  CHECK(fill.draw_w[0] == Approx(25));    // a: 100 / 4
  CHECK(fill.draw_w[1] == Approx(62.5));  // the rest of 350: 250 / 4
  CHECK(fill.held_by[0] == 1);
  CHECK(fill.held_by[1] == 0);
  CHECK(fill.shortfall_w == 0);
}

TEST_CASE("a job that spans racks rises with all and stops where the first of them is full; the others go on") {
  // a: 100 W with job 0 (1 GPU) and half of job 2; b: 200 W with job 1 (2 GPUs) and the other half. One GPU each at level L: a is full at L = 50.
  PowerTree const tree({node("a", none, 100), node("b", none, 200)});
  std::vector<PlacedJob> const jobs{{0, {{0, 1}}}, {0, {{1, 2}}}, {0, {{0, 1}, {1, 1}}}};
  auto const fill = fill_tree(tree, ramp(), jobs);
  CHECK(fill.draw_w[0] == Approx(50));
  CHECK(fill.draw_w[2] == Approx(50));
  CHECK(fill.draw_w[1] == Approx(75));  // 200 - 50 for two GPUs
  CHECK(fill.held_by == std::vector<std::size_t>{0, 1, 0});
}

TEST_CASE("floors that are above a limit are kept and reported") {
  double const floors[]{60.0};
  FillPlan const plan(floors, {{0, 0, 1, 60, 100}});
  PowerTree const tree({node("feed", none, 1000), node("a", 0, 100), node("b", 0, 500)});
  std::vector<PlacedJob> const jobs{{0, {{1, 2}}}, {0, {{2, 4}}}};
  auto const fill = fill_tree(tree, plan, jobs);
  CHECK(fill.shortfall_w == Approx(20));
  CHECK(fill.draw_w == std::vector<double>{60, 100});
  // What is lost above the node makes no difference: the excess is in watts at the node, here 120 against 100 again.
  PowerTree const lossy({{.name = "feed", .limit_w = 1000, .loss = 0.2, .fixed_loss_w = 10}, node("a", 0, 100), node("b", 0, 500)});
  auto const same = fill_tree(lossy, plan, jobs);
  CHECK(same.shortfall_w == Approx(20));
  CHECK(lossy.flows_w(std::vector{jobs[0].pieces, jobs[1].pieces}, same.draw_w)[1] == Approx(120));
}

TEST_CASE("one limit at the top is the plan's own answer to a budget") {
  Draws draw(3);
  for (int trial = 0; trial < 200; ++trial) {
    RandomDemands const of(draw, 4);
    auto const plan = make_policy(testing::policy(rules[draw.below(rules.size())]))->prepare(of.demands);
    std::vector<PlacedJob> jobs;
    std::vector<double> gpus(4);
    for (std::size_t j = 0; j < 10; ++j) {
      jobs.push_back({draw.below(4), {{j % 3, static_cast<double>(1 + draw.below(8))}}});
      gpus[jobs.back().cls] += jobs.back().pieces[0].gpus;
    }
    double high = 0;
    for (std::size_t c = 0; c < 4; ++c) high += gpus[c] * of.demands[c].uncapped_w;
    auto const budget = high * draw.between(0.3, 1.1);
    PowerTree const tree({node("feed", none, budget), node("a", 0, high * 2), node("b", 0, high * 2)});
    auto const fill = fill_tree(tree, plan, jobs);
    auto const position = plan.locate(gpus, budget);
    auto const draws = plan.draws_at(position);
    for (std::size_t j = 0; j < jobs.size(); ++j) REQUIRE(fill.draw_w[j] == Approx(draws[jobs[j].cls]).epsilon(1e-9));
    REQUIRE(fill.shortfall_w == Approx(position.shortfall_w).margin(1e-9));
  }
}

TEST_CASE("10,000 random trees: no limit is broken, and nobody can rise without taking from one that is not further") {
  Draws draw(4);
  std::size_t held = 0, spanning = 0;
  for (int trial = 0; trial < 10'000; ++trial) {
    RandomDemands const of(draw, 1 + draw.below(4));
    RandomTree const random(draw, of, 12, trial % 2 == 0 ? 0 : 0.4, 0);
    PowerTree const tree(random.nodes);
    auto const plan = make_policy(testing::policy(rules[draw.below(rules.size())]))->prepare(of.demands);
    auto const fill = fill_tree(tree, plan, random.jobs);
    REQUIRE(fill.shortfall_w == 0);
    auto const flows = tree.flows_w(random.pieces(), fill.draw_w);
    for (std::size_t n = 0; n < tree.size(); ++n) REQUIRE(flows[n] <= tree[n].limit_w * (1 + 1e-12) + 1e-9);
    // Max-min fairness (Bertsekas and Gallager): each job that has not come to the end has a full node where nobody is further.
    std::vector<FillPlan::Place> furthest(tree.size());
    for (std::size_t j = 0; j < random.jobs.size(); ++j)
      for (auto const& piece : random.jobs[j].pieces)
        for (auto n = piece.node; n != none; n = tree[n].parent) furthest[n] = std::max(furthest[n], fill.level[j]);
    for (std::size_t j = 0; j < random.jobs.size(); ++j) {
      spanning += random.jobs[j].pieces.size() > 1;
      if (fill.held_by[j] == TreeFill::nobody) {
        REQUIRE(fill.draw_w[j] == of.demands[random.jobs[j].cls].uncapped_w);
        continue;
      }
      ++held;
      bool bottleneck = false;
      for (auto const& piece : random.jobs[j].pieces)
        for (auto n = piece.node; n != none; n = tree[n].parent)
          bottleneck = bottleneck || (flows[n] >= tree[n].limit_w * (1 - 1e-9) - 1e-9 && furthest[n] <= fill.level[j]);
      REQUIRE(bottleneck);
    }
  }
  CHECK(held > 10'000);
  CHECK(spanning > 5'000);
}

TEST_CASE("the order of jobs and an unlimited node in between change nothing") {
  Draws draw(5);
  for (int trial = 0; trial < 100; ++trial) {
    RandomDemands const of(draw, 3);
    RandomTree random(draw, of, 12, 0.3, 0);
    auto const plan = make_policy(testing::policy("proportional"))->prepare(of.demands);
    auto const fill = fill_tree(PowerTree(random.nodes), plan, random.jobs);
    std::ranges::reverse(random.jobs);
    auto const back = fill_tree(PowerTree(random.nodes), plan, random.jobs);
    for (std::size_t j = 0; j < random.jobs.size(); ++j) REQUIRE(back.draw_w[j] == Approx(fill.draw_w[random.jobs.size() - 1 - j]).epsilon(1e-9));
  }
}

TEST_CASE("cost grows nearly in proportion to the tree") {
  Draws draw(6);
  RandomDemands const of(draw, 25);
  auto const plan = make_policy(testing::policy("proportional"))->prepare(of.demands);
  auto const ticks = [&](std::size_t racks) {  // feeds of 20 PDUs of 20 racks, limits that bind at most of the racks
    std::vector<PowerNode> nodes{{.name = "feed"}};
    std::vector<PlacedJob> jobs;
    std::vector<double> most{0};
    for (std::size_t r = 0; r < racks; ++r) {
      if (r % 20 == 0) nodes.push_back({.name = "pdu" + std::to_string(r), .parent = 0, .limit_w = 20 * 4 * 8 * 300.0});
      auto const pdu = nodes.size() - 1 - r % 20;
      nodes.push_back({.name = "rack" + std::to_string(r), .parent = pdu, .limit_w = draw.between(4 * 8 * 200.0, 4 * 8 * 500.0)});
      for (int j = 0; j < 4; ++j) jobs.push_back({draw.below(25), {{nodes.size() - 1, 8}}});
    }
    nodes[0].limit_w = static_cast<double>(racks) * 4 * 8 * 250;
    PowerTree const tree(nodes);
    auto best = 1e9;
    for (int k = 0; k < 3; ++k) {
      auto const start = std::clock();  // of this process: others on the machine do not count
      (void)fill_tree(tree, plan, jobs);
      best = std::min(best, static_cast<double>(std::clock() - start));
    }
    return best;
  };
  auto const small = ticks(1000), large = ticks(16'000);
  CHECK(large < 16 * 6 * small);  // a quadratic cost would be 256 times as long
}

}  // namespace wattfill
