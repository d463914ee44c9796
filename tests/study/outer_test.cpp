// Resampling of curve clusters, and the outer bootstrap over them and over library members.
#include "study/outer.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/mixes.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

using Cluster = std::pair<std::string, std::string>;
Cluster cluster_of(Curve const* curve) { return {curve->model, curve->task}; }

std::map<Cluster, std::vector<Curve const*>> clusters_of(std::vector<Curve const*> const& curves) {
  std::map<Cluster, std::vector<Curve const*>> clusters;
  for (auto const* curve : curves) clusters[cluster_of(curve)].push_back(curve);
  return clusters;
}

MixSpec mix_of(std::deque<Curve> const& curves, Draws& draws) {
  MixSpec mix;
  mix.name = "m";
  for (auto name : {"b", "a", "c"}) {
    std::vector<Curve const*> some;
    for (auto const& curve : curves)
      if (draws.chance(0.7)) some.push_back(&curve);
    if (some.empty()) some.push_back(&curves.front());
    mix.draw.push_back(group(name, some, draws.share() + 0.1));
  }
  return mix;
}

}  // namespace

TEST_CASE("resampling keeps the number of clusters of every group and takes whole clusters only") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    auto const curves = random_curves(draws, 1 + draws.below(12));
    auto const mix = mix_of(curves, draws), drawn = resample_clusters(mix, seed, seed % 7);
    REQUIRE(drawn.draw.size() == mix.draw.size());
    for (std::size_t g = 0; g < mix.draw.size(); ++g) {
      REQUIRE(drawn.draw[g].name == mix.draw[g].name);
      REQUIRE(drawn.draw[g].weight == mix.draw[g].weight);
      auto const before = clusters_of(mix.draw[g].curves), after = clusters_of(drawn.draw[g].curves);
      std::size_t number = 0;
      for (auto const& [cluster, members] : after) {
        auto const& whole = before.at(cluster);
        REQUIRE(members.size() % whole.size() == 0);
        number += members.size() / whole.size();
        for (auto const* curve : whole) REQUIRE(static_cast<std::size_t>(std::ranges::count(members, curve)) == members.size() / whole.size());
      }
      REQUIRE(number == before.size());
    }
  }
}

TEST_CASE("the order of groups and of curves in them changes no draw; another draw or seed does") {
  Draws draws(9);
  auto const curves = random_curves(draws, 12);
  auto const mix = mix_of(curves, draws);
  auto turned = mix;
  std::ranges::reverse(turned.draw);
  for (auto& group : turned.draw) std::ranges::reverse(group.curves);
  std::set<std::vector<std::vector<Curve const*>>> seen;
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    auto const a = resample_clusters(mix, 1, draw);
    auto b = resample_clusters(turned, 1, draw);
    std::ranges::reverse(b.draw);
    std::vector<std::vector<Curve const*>> all;
    for (std::size_t g = 0; g < a.draw.size(); ++g) {
      CHECK(a.draw[g].curves == b.draw[g].curves);
      all.push_back(a.draw[g].curves);
    }
    seen.insert(all);
    CHECK(resample_clusters(mix, 2, draw).draw[0].curves.size() > 0);
  }
  CHECK(seen.size() > 15);
}

TEST_CASE("the outer bootstrap counts its draws, gives ranges around the truth, and none where there is nothing to resample") {
  Draws draws(4);
  auto const curves = random_curves(draws, 8);
  auto study = small_study(curves);
  study.mixes[0].replications = 40;
  study.outer.draws = 20;
  auto const executor = make_thread_executor(2);
  auto const still = run_study(study, *executor);
  auto const columns = still.policies * still.targets;
  for (auto const& mix : still.mixes) {
    CHECK(mix.outer_used == 20);
    REQUIRE(mix.objective_outer.size() == columns);
    REQUIRE(mix.gap_closed_outer.size() == columns);
    // Neither clusters nor members: every draw is the study itself.
    for (std::size_t c = 0; c < columns; ++c) {
      CHECK(mix.objective_outer[c].low == mix.objective_outer[c].high);
      CHECK(mix.objective_outer[c].value == Approx(mix.scores.mean(c * score::count + score::objective)));
      CHECK(mix.below_min_outer.at(c).value == Approx(mix.scores.mean(c * score::count + score::share_below_min)));
      CHECK(mix.shortfall_outer.at(c).value == Approx(mix.scores.mean(c * score::count + score::shortfall_w)));
    }
  }
  study.outer.clusters = true;
  auto const moved = run_study(study, *executor);
  auto const c = columns - 1;  // the oracle at the deepest cut
  CHECK(moved.mixes[0].objective_outer[c].low < moved.mixes[0].objective_outer[c].high);
  CHECK(moved.mixes[1].objective_outer[c].low == moved.mixes[1].objective_outer[c].high);  // a listed mix has no clusters to draw
  CHECK(same_bits(moved.mixes[0].scores.mean(c), still.mixes[0].scores.mean(c)));          // the study itself is untouched
}

TEST_CASE("noisy beliefs are drawn in the outer bootstrap as in the study: the same errors on the same curves, and a spread of broken promises over others") {
  Draws draws(21);
  auto const curves = random_curves(draws, 8);
  auto study = small_study(curves);
  study.mixes[0].replications = 24;
  study.belief = {.source = PfiSource::noisy, .rmse = 0.4, .cluster_share = 0.5};
  study.outer.draws = 16;
  auto const one = make_thread_executor(1), three = make_thread_executor(3);
  auto const still = run_study(study, *one);
  auto const columns = still.policies * still.targets;
  for (std::size_t c = 0; c < columns; ++c)  // nothing is resampled: every draw is the study, errors included
    for (auto const& [outer, s] :
         {std::pair(&still.mixes[0].objective_outer, score::objective), std::pair(&still.mixes[0].shortfall_outer, score::shortfall_w)}) {
      CHECK(outer->at(c).low == outer->at(c).high);
      CHECK(outer->at(c).value == Approx(still.mixes[0].scores.mean(c * score::count + s)));
    }
  study.outer.clusters = true;
  auto const a = run_study(study, *one), b = run_study(study, *three);
  bool spread = false;
  for (std::size_t c = 0; c < columns; ++c) {
    CHECK(same_bits(a.mixes[0].objective_outer[c].value, b.mixes[0].objective_outer[c].value));
    CHECK(same_bits(a.mixes[0].below_min_outer[c].high, b.mixes[0].below_min_outer[c].high));
    spread = spread || a.mixes[0].objective_outer[c].low < a.mixes[0].objective_outer[c].high;
  }
  CHECK(spread);
  CHECK(a.mixes[0].outer_used == 16);
}

TEST_CASE("library members are drawn for all mixes of a draw together, each with its own curves") {
  Draws draws(14);
  auto const curves = random_curves(draws, 4), others = random_curves(draws, 4);
  auto study = small_study(curves);
  study.mixes[0].replications = 20;
  auto const member = small_study(others);
  auto alternative = member.mixes;
  alternative[0].replications = 20;
  study.outer.draws = 40;
  study.outer.members = {study.mixes, alternative};
  auto const result = run_study(study, *make_thread_executor(1));
  auto single = study;
  single.outer = {};
  auto const a = run_study(single, *make_thread_executor(1));
  single.mixes = alternative;
  auto const b = run_study(single, *make_thread_executor(1));
  auto const c = a.column(a.policies - 1, a.targets - 1, score::objective);
  for (std::size_t m = 0; m < 2; ++m) {
    auto const& e = result.mixes[m].objective_outer.back();
    CHECK(e.low == Approx(std::min(a.mixes[m].scores.mean(c), b.mixes[m].scores.mean(c))));
    CHECK(e.high == Approx(std::max(a.mixes[m].scores.mean(c), b.mixes[m].scores.mean(c))));
  }
}
