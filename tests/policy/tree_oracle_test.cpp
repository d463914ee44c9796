#include "wattfill/policy/tree_oracle.hpp"

#include <algorithm>
#include <deque>
#include <functional>

#include "policy/trees.hpp"
#include "support/catch.hpp"
#include "support/policies.hpp"
#include "support/skip.hpp"

namespace wattfill {
namespace {

using testing::Draws;
using testing::make_curve;
using testing::node;
using testing::RandomDemands;
using testing::RandomTree;

constexpr auto none = PowerNode::no_parent;

Demand demand(Curve const& curve, double value, double floor_w) {
  Demand d;
  d.believed = &curve;
  d.floor_w = floor_w;
  d.uncapped_w = curve.curve.max_draw();
  d.value = value;
  return d;
}

bool without_solver() {
  if (linear_programs_are_solved()) return false;
  testing::say_skipped("linear programs are not tried out: built without GLPK (apt install libglpk-dev)");
  return true;
}

}  // namespace

TEST_CASE("with a job that spans, greed finds 250 where 275 is possible") {
  // Limits of 100 and 200 W. Job 0 draws at a, job 1 at b (at most 150 W), job 2 the same at both. A watt of jobs 0 and 1 is worth 1, a watt on both sides of
  // job 2 is worth 1.5. Greed takes the dearest watts first, jobs 0 and 1: 100 + 150. Best is 50 + 150 + 1.5 x 50.
  auto const curve = make_curve("line", {{1e-9, 1e-9}, {300, 300}}), capped = make_curve("capped", {{1e-9, 1e-9}, {150, 150}});
  std::vector<Demand> const demands{demand(curve, 300, 1e-9), demand(capped, 150, 1e-9), demand(curve, 450, 1e-9)};
  std::vector<PlacedJob> const jobs{{0, {{0, 1}}}, {1, {{1, 1}}}, {2, {{0, 1}, {1, 1}}}};
  PowerTree const tree({node("a", none, 100), node("b", none, 200)});
  auto const best = best_in_tree(tree, demands, jobs);
  if (without_solver()) {
    CHECK(!best);
    return;
  }
  REQUIRE(best);
  CHECK(best->objective == Approx(275).epsilon(1e-9));
  CHECK(best->draw_w[0] == Approx(50).epsilon(1e-7));
  CHECK(best->draw_w[1] == Approx(150).epsilon(1e-7));
  CHECK(best->draw_w[2] == Approx(50).epsilon(1e-7));
}

TEST_CASE("greed under nested limits is the optimum that exhaustive search finds") {
  Draws draw(1);
  for (int trial = 0; trial < 150; ++trial) {
    // Draws in whole watts from 1 to 5, limits in whole watts: with nested limits an optimum stands on whole watts.
    std::deque<Curve> curves;
    std::vector<Demand> demands;
    for (int c = 0; c < 3; ++c) {
      std::vector<std::pair<double, double>> points;
      double speed = draw.between(0.1, 1);
      for (int w = 1; w <= 5; ++w) {
        points.emplace_back(w, speed);
        speed += draw.between(0, 1);
      }
      curves.push_back(make_curve("c" + std::to_string(c), points));
    }
    for (auto const& curve : curves) demands.push_back(demand(curve, draw.between(0.5, 2), 1));
    std::vector<PowerNode> const nodes{node("feed", none, static_cast<double>(6 + draw.below(18))), node("p", 0, static_cast<double>(4 + draw.below(12))),
                                       node("q", 0, static_cast<double>(4 + draw.below(12))), node("r", 1, static_cast<double>(2 + draw.below(8)))};
    std::vector<PlacedJob> jobs;
    for (int j = 0; j < 5; ++j) jobs.push_back({draw.below(3), {{1 + draw.below(3), 1}}});
    PowerTree const tree(nodes);
    auto const hull_speed = [&](std::size_t cls, double w) {
      auto const hull = curves[cls].curve.hull(1);
      std::size_t i = 0;
      while (i + 2 < hull.size() && hull[i + 1].draw_w < w) ++i;
      return hull[i].speed + (w - hull[i].draw_w) / (hull[i + 1].draw_w - hull[i].draw_w) * (hull[i + 1].speed - hull[i].speed);
    };
    double best = -1;
    std::vector<double> at(5, 1);
    std::vector<std::vector<JobPiece>> pieces;
    for (auto const& job : jobs) pieces.push_back(job.pieces);
    std::function<void(std::size_t, double)> const search = [&](std::size_t j, double value) {
      if (j == 5) {
        auto const flows = tree.flows_w(pieces, at);
        for (std::size_t n = 0; n < 4; ++n)
          if (flows[n] > nodes[n].limit_w) return;
        best = std::max(best, value);
        return;
      }
      for (int w = 1; w <= 5; ++w) {
        at[j] = w;
        auto const cls = jobs[j].cls;
        search(j + 1, value + demands[cls].value * hull_speed(cls, w) / curves[cls].curve.max_speed());
      }
    };
    search(0, 0);
    auto const greedy = best_in_tree(tree, demands, jobs);
    REQUIRE(greedy.has_value() == (best >= 0));
    if (!greedy) continue;
    REQUIRE(greedy->objective == Approx(best).epsilon(1e-9));
  }
}

TEST_CASE("on random trees of three levels with up to twelve jobs greed is the best of all whole-watt divisions, each of them looked at") {
  // Draws and limits in whole watts, concave gains: an optimum stands on whole watts. best[w] of a subtree: the most that its jobs are worth at w watts in all,
  // over every way to divide them, merged child by child.
  static constexpr double no_way = -1e300;
  using Table = std::vector<double>;
  auto const merged = [](Table const& a, Table const& b) {
    Table sum(a.size() + b.size() - 1, no_way);
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t k = 0; k < b.size(); ++k) sum[i + k] = std::max(sum[i + k], a[i] + b[k]);
    return sum;
  };
  Draws draw(12);
  int possible = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::deque<Curve> curves;
    std::vector<Demand> demands;
    for (int c = 0; c < 4; ++c) {
      std::vector<std::pair<double, double>> points;
      double speed = draw.between(1, 2), gain = draw.between(0.5, 1);
      for (int w = 1; w <= 6; ++w) {
        points.emplace_back(w, speed);
        speed += gain *= draw.between(0.4, 1);
      }
      curves.push_back(make_curve("c" + std::to_string(c), points));
    }
    for (auto const& curve : curves) demands.push_back(demand(curve, draw.between(0.5, 2), 1));
    // A feed, two or three PDUs, up to three racks under each.
    std::vector<PowerNode> nodes{node("feed", none, static_cast<double>(8 + draw.below(50)))};
    std::vector<std::size_t> racks;
    auto const pdus = 2 + draw.below(2);
    for (std::size_t p = 0; p < pdus; ++p) nodes.push_back(node("pdu" + std::to_string(p), 0, static_cast<double>(6 + draw.below(20))));
    for (std::size_t p = 0; p < pdus; ++p)
      for (auto r = 1 + draw.below(3); r > 0; --r) {
        racks.push_back(nodes.size());
        nodes.push_back(node("rack" + std::to_string(nodes.size()), 1 + p, static_cast<double>(2 + draw.below(12))));
      }
    std::vector<PlacedJob> jobs;
    for (auto j = 1 + draw.below(12); j > 0; --j) jobs.push_back({draw.below(4), {{racks[draw.below(racks.size())], 1}}});
    std::vector<Table> below(nodes.size(), Table{0});
    for (auto const& job : jobs) {
      Table own(7, no_way);
      for (std::size_t w = 1; w <= 6; ++w)
        own[w] = demands[job.cls].value * curves[job.cls].curve.speed(static_cast<double>(w)) / curves[job.cls].curve.max_speed();
      below[job.pieces[0].node] = merged(below[job.pieces[0].node], own);
    }
    for (auto n = nodes.size(); n-- > 0;) {
      if (auto const most = static_cast<std::size_t>(nodes[n].limit_w) + 1; below[n].size() > most) below[n].resize(most);
      if (n > 0) below[nodes[n].parent] = merged(below[nodes[n].parent], below[n]);
    }
    auto const best = *std::ranges::max_element(below[0]);
    auto const greedy = best_in_tree(PowerTree(nodes), demands, jobs);
    REQUIRE(greedy.has_value() == (best >= 0));
    if (!greedy) continue;
    ++possible;
    REQUIRE(greedy->objective == Approx(best).epsilon(1e-9));
  }
  CHECK(possible > 100);
}

TEST_CASE("on random trees greed is the linear program's optimum, no limit is broken, and no fair fill does better") {
  Draws draw(2);
  if (without_solver()) return;
  for (int trial = 0; trial < 400; ++trial) {
    RandomDemands const of(draw, 1 + draw.below(4));
    bool const spanning = trial % 2 == 1;
    RandomTree const random(draw, of, 12, spanning ? 0.4 : 0, 0.05);
    PowerTree const tree(random.nodes);
    auto const best = best_in_tree(tree, of.demands, random.jobs), program = best_in_tree_by_program(tree, of.demands, random.jobs);
    REQUIRE(best);
    REQUIRE(program);
    REQUIRE(best->objective == Approx(program->objective).epsilon(1e-7));
    auto const flows = tree.flows_w(random.pieces(), best->draw_w);
    for (std::size_t n = 0; n < tree.size(); ++n) REQUIRE(flows[n] <= tree[n].limit_w * (1 + 1e-9) + 1e-6);
    for (auto const* rule : {"equal-split", "proportional", "oracle"}) {
      auto const fill = fill_tree(tree, make_policy(testing::policy(rule))->prepare(of.demands), random.jobs);
      double objective = 0;
      for (std::size_t j = 0; j < random.jobs.size(); ++j) {
        auto const& d = of.demands[random.jobs[j].cls];
        objective += d.value * d.believed->curve.speed(fill.draw_w[j]) / d.believed->curve.max_speed();
      }
      REQUIRE(objective <= best->objective * (1 + 1e-9));
    }
  }
}

TEST_CASE("floors above a limit have no optimum") {
  auto const curve = make_curve("line", {{50, 1}, {100, 2}});
  std::vector<Demand> const demands{demand(curve, 1, 50)};
  std::vector<PlacedJob> const jobs{{0, {{0, 2}}}};
  CHECK(!best_in_tree(PowerTree({node("a", none, 99)}), demands, jobs));
  CHECK(best_in_tree(PowerTree({node("a", none, 100)}), demands, jobs)->draw_w[0] == 50);
  CHECK(best_in_tree(PowerTree({node("a", none, 150)}), demands, jobs)->draw_w[0] == Approx(75));
  CHECK(!best_in_tree_by_program(PowerTree({node("a", none, 99)}), demands, jobs));
}

}  // namespace wattfill
