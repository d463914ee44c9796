// The oracle against every division of small mixes on a grid of draws.
#include <algorithm>
#include <functional>
#include <limits>

#include "support/catch.hpp"
#include "support/snapshots.hpp"

using namespace wattfill;
using namespace wattfill::testing;

TEST_CASE("no division on a grid beats the oracle by more than its proven gap, or by more than one job's step") {
  for (std::uint64_t seed = 0; seed < 250; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    auto const curves = random_curves(draws, 2 + draws.below(2));
    MixSpec spec;
    spec.name = "m";
    std::size_t jobs = 0;
    for (auto const& curve : curves) {
      JobTerms terms;
      terms.min_speed = draws.chance(0.3) ? draws.between(0, 0.8) : 0;
      spec.listed.push_back({&curve, 1 + draws.below(curves.size() == 2 ? 3 : 2), terms});
      jobs += spec.listed.back().count;
    }
    Mix const mix(spec);
    auto const demands = make_demands(spec, mix, {}, Objective::gpu_speed);
    double floors = 0, all = 0, value = 0, step = 0;
    struct Job {
      std::vector<std::pair<double, double>> choices;  // watts and worth of the whole job
    };
    std::vector<Job> list;
    for (std::size_t c = 0; c < demands.size(); ++c) {
      auto const& d = demands[c];
      auto const& curve = mix.classes()[c].curve->curve;
      std::vector<double> levels{d.floor_w, d.uncapped_w};
      for (double w : curve.draws())
        if (w > d.floor_w) levels.push_back(w);
      for (int k = 1; k < 4; ++k) levels.push_back(d.floor_w + (d.uncapped_w - d.floor_w) * k / 4);
      std::ranges::sort(levels);
      levels.erase(std::ranges::unique(levels).begin(), levels.end());
      Job job;
      for (double w : levels) job.choices.push_back({d.gpus * w, d.value * curve.speed(w) / curve.max_speed()});
      auto const hull = curve.hull(d.floor_w);
      for (std::size_t i = 0; i + 1 < hull.size(); ++i) step = std::max(step, d.value * (hull[i + 1].speed - hull[i].speed) / curve.max_speed());
      for (auto n = static_cast<std::size_t>(std::ranges::find(spec.listed, mix.classes()[c].curve, &ExplicitJobs::curve)->count); n-- > 0;) {
        list.push_back(job);
        floors += d.gpus * d.floor_w;
        all += d.gpus * d.uncapped_w;
        value += d.value;
      }
    }
    REQUIRE(list.size() == jobs);
    auto const budget = floors + draws.share() * (all - floors);
    double best = 0;
    std::function<void(std::size_t, double, double)> const go = [&](std::size_t i, double watts, double worth) {
      if (watts > budget) return;
      if (i == list.size()) {
        best = std::max(best, worth);
        return;
      }
      for (auto const& [w, v] : list[i].choices) go(i + 1, watts + w, worth + v);
    };
    go(0, 0, 0);
    best /= value;
    Snapshot const snapshot(spec, std::vector{policy("oracle")}, {{Target::Kind::limit_w, budget}}, {}, Objective::gpu_speed, 0);
    auto const scored = replicate(snapshot, 0);
    auto const found = scored.at(0, 0, score::objective), gap = scored.at(0, 0, score::hull_gap);
    REQUIRE(found + gap >= best * (1 - 1e-12));
    REQUIRE(found >= best - step / value - 1e-12);
    REQUIRE(gap <= step / value + 1e-12);
  }
}

TEST_CASE("on concave curves with one job a class the oracle is its bound wherever no job stands between two points") {
  // Value a watt: a 0.5 / 100 W then 0.1 / 100 W, b 0.4 / 100 W then 0.2 / 100 W; floors 200 W. Restored in the order a, b, b, a.
  auto const a = make_curve("a", {{100, 40}, {200, 90}, {300, 100}}), b = make_curve("b", {{100, 40}, {200, 80}, {300, 100}});
  MixSpec spec;
  spec.name = "m";
  spec.listed = {{&a, 1, {}}, {&b, 1, {}}};
  std::vector<Target> targets;
  for (double w : {200, 300, 400, 500, 600, 350, 550}) targets.push_back({Target::Kind::limit_w, w});
  auto const s = replicate(Snapshot(spec, std::vector{policy("oracle")}, targets, {}, Objective::normalized, 0), 0);
  double const expected[] = {0.4, 0.65, 0.85, 0.95, 1, 0.75, 0.975};
  for (std::size_t t = 0; t < targets.size(); ++t) {
    CAPTURE(targets[t].value);
    CHECK(s.at(0, t, score::objective) == Approx(expected[t]));
    CHECK(s.at(0, t, score::hull_gap) == Approx(0).margin(1e-12));
  }
}
