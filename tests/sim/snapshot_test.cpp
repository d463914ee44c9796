#include "wattfill/sim/snapshot.hpp"

#include <set>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/snapshots.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

MixSpec listed(std::vector<ExplicitJobs> jobs) {
  MixSpec mix;
  mix.name = "m";
  mix.listed = std::move(jobs);
  return mix;
}

std::size_t const oracle = 11, curve_aware = 9;  // in every_policy()

}  // namespace

TEST_CASE("one class by hand: every score") {
  // Ten jobs of 8 GPUs, 100 to 400 W, 10 to 40 tokens/s, T/T_max = draw / 400. Uncapped 32 kW; a 25 % cut leaves 300 W a GPU, three quarters of full speed.
  auto const curve = make_curve("a", {{100, 10}, {400, 40}}, 8);
  std::vector<PolicySpec> const policies{policy("proportional"), policy("oracle")};
  Snapshot const snapshot(listed({{&curve, 10, {1, 0.8}}}), policies, cuts({0.25, 0, 0.9}), {}, Objective::tokens, 0);
  // Agreed speed 0.8: the floor is 320 W, 25.6 kW: 24 kW are 1.6 kW short.
  auto const s = replicate(snapshot, 0);
  CHECK(s.at(0, 0, score::target_w) == 24000);
  CHECK(s.at(0, 0, score::power_w) == Approx(25600));
  CHECK(s.at(0, 0, score::shortfall_w) == Approx(1600));
  CHECK(s.at(0, 0, score::headroom_w) == Approx(6400));
  CHECK(s.at(0, 0, score::speed) == Approx(320));
  CHECK(s.at(0, 0, score::speed_per_job) == Approx(32));
  CHECK(s.at(0, 0, score::share_below_min) == 0);
  Snapshot const free(listed({{&curve, 10, {}}}), policies, cuts({0.25, 0, 0.9}), {}, Objective::tokens, 0);
  auto const f = replicate(free, 0);
  CHECK(f.at(0, 0, score::power_w) == 24000);
  CHECK(f.at(0, 0, score::shortfall_w) == 0);
  CHECK(f.at(0, 0, score::headroom_w) == 24000);
  for (auto score : {score::speed_normalized, score::speed_gpu, score::speed_p5, score::speed_min}) CHECK(f.at(0, 0, score) == Approx(0.75));
  CHECK(f.at(0, 0, score::objective) == Approx(300));  // a sum under tokens
  CHECK(f.at(0, 0, score::jain_index) == Approx(1));
  CHECK(std::isnan(f.at(0, 0, score::hull_gap)));
  // The oracle splits: 24 kW = floors 8 kW + 16 kW, 2.4 kW a job: six jobs uncapped, one at 100 + 1600 / 8 = 300 W, three at the floor.
  auto const parts = free.allocate(0, 1, 0);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].jobs == 3);
  CHECK(parts[0].draw_w == 100);
  CHECK(parts[1].jobs == 1);
  CHECK(parts[1].draw_w == Approx(300));
  CHECK(parts[2].jobs == 6);
  CHECK(parts[2].draw_w == 400);
  CHECK(f.at(1, 0, score::speed_min) == Approx(0.25));
  CHECK(f.at(1, 0, score::objective) == Approx(300));
  CHECK(f.at(1, 0, score::hull_gap) == Approx(0).margin(1e-9));
  CHECK(f.at(1, 0, score::share_worse) == Approx(0.3));
  // Uncapped at cut 0, to the last bit; beyond the floors at 0.9: 3.2 kW of 8.
  CHECK(f.at(0, 1, score::objective) == 400);
  CHECK(f.at(0, 2, score::shortfall_w) == Approx(4800));
}

TEST_CASE("Jain's index is insensitive: half the jobs at 1 and half at 0.7 give 0.97") {
  auto const flat = make_curve("a", {{399, 1}, {400, 1}}), steep = make_curve("b", {{100, 0.7}, {300, 1}});
  Snapshot const snapshot(listed({{&flat, 5, {}}, {&steep, 5, {}}}), std::vector{policy("headroom-fair")}, {{Target::Kind::limit_w, 2500}}, {},
                          Objective::normalized, 0);
  auto const s = replicate(snapshot, 0);
  CHECK(s.at(0, 0, score::target_w) == 2500);
  CHECK(s.at(0, 0, score::jain_index) == Approx(0.9698).epsilon(1e-4));  // 0.85^2 / 0.745
}

TEST_CASE("speeds are left out where units differ or are not stated; the other scores stay") {
  auto a = make_curve("a", {{100, 1}, {400, 2}}), b = make_curve("b", {{100, 1}, {400, 2}});
  b.speed_unit = "samples/s";
  Snapshot const snapshot(listed({{&a, 1, {}}, {&b, 1, {}}}), std::vector{policy("proportional")}, cuts({0.1}), {}, Objective::gpu_speed, 0);
  auto const s = replicate(snapshot, 0);
  CHECK(std::isnan(s.at(0, 0, score::speed)));
  CHECK(std::isnan(s.at(0, 0, score::speed_per_job)));
  CHECK(s.at(0, 0, score::objective) > 0);
}

TEST_CASE("a mix without any value under the objective is refused") {
  auto const a = make_curve("a", {{100, 1}, {400, 2}});
  CHECK(contains(refusal([&] {
                   Snapshot(listed({{&a, 1, {0, 0}}}), std::vector{policy("proportional")}, cuts({0.1}), {}, Objective::weighted, 0);
                 }),
                 "no job has a value"));
}

TEST_CASE("demands: the floor is the draw of the agreed speed, or the lowest measured, or uncapped where a job does not react") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    auto const curves = random_curves(draws, 1 + draws.below(5));
    auto const spec = random_mix(draws, curves);
    Mix const mix(spec);
    auto const demands = make_demands(spec, mix, {}, Objective::normalized);
    REQUIRE(demands.size() == mix.classes().size());
    for (std::size_t c = 0; c < demands.size(); ++c) {
      auto const& curve = mix.classes()[c].curve->curve;
      auto const& d = demands[c];
      auto const agreed = mix.classes()[c].terms.min_speed * curve.max_speed();
      REQUIRE(d.uncapped_w == curve.max_draw());
      if (curve.unresponsive()) {
        REQUIRE(d.floor_w == d.uncapped_w);
        continue;
      }
      REQUIRE((d.floor_w >= curve.min_draw() && d.floor_w <= d.uncapped_w));
      REQUIRE(curve.speed(d.floor_w) >= agreed * (1 - 1e-12));
      if (d.floor_w > curve.min_draw()) REQUIRE(curve.speed(d.floor_w - 1e-6 * d.floor_w) < agreed);
      REQUIRE((d.pfi > 0));
    }
  }
}

TEST_CASE("the order of groups, curves and entries changes no bit of any score") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    auto const curves = random_curves(draws, 1 + draws.below(8));
    auto spec = random_mix(draws, curves);
    auto const policies = every_policy();
    Snapshot const one(spec, policies, cuts({0.1, 0.35}), {}, Objective::gpu_speed, 3);
    std::ranges::reverse(spec.draw);
    std::ranges::reverse(spec.listed);
    for (auto& group : spec.draw) std::ranges::reverse(group.curves);
    Snapshot const other(spec, policies, cuts({0.1, 0.35}), {}, Objective::gpu_speed, 3);
    REQUIRE(same_bits(replicate(one, 0).all, replicate(other, 0).all));
  }
}

TEST_CASE("another policy, its place in the list and another target change no bit of a policy's scores") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    auto const curves = random_curves(draws, 1 + draws.below(8));
    auto const spec = random_mix(draws, curves);
    auto const policies = every_policy();
    auto const all = replicate(Snapshot(spec, policies, cuts({0.1, 0.35}), {}, Objective::gpu_speed, 3), 0);
    for (std::size_t p = 0; p < policies.size(); ++p) {
      auto const alone = replicate(Snapshot(spec, std::vector{policies[p]}, cuts({0.1, 0.35}), {}, Objective::gpu_speed, 3), 0);
      REQUIRE(same_bits(alone.of(0), all.of(p)));
    }
    auto const last = replicate(Snapshot(spec, policies, cuts({0.35}), {}, Objective::gpu_speed, 3), 0);
    for (std::size_t p = 0; p < policies.size(); ++p) REQUIRE(same_bits(last.of(p), all.of(p).last(score::count)));
  }
}

TEST_CASE("a replication is a function of its index: no order of replications and no used worker changes a bit") {
  Draws draws(11);
  auto const curves = random_curves(draws, 6);
  MixSpec mix;
  mix.name = "m";
  mix.jobs = 40;
  mix.draw = {group("all", pointers(curves))};
  Snapshot const snapshot(mix, every_policy(), cuts({0, 0.2, 0.4}), {}, Objective::gpu_speed, 1);
  Snapshot::Worker worker(snapshot);
  std::vector<double> scores(snapshot.scores_per_replication());
  for (std::uint64_t r : {5, 3, 499, 0, 3, 123456}) {
    CAPTURE(r);
    snapshot.replicate(r, 1, worker, scores);
    CHECK(same_bits(scores, replicate(snapshot, r).all));
  }
}

TEST_CASE("what is allocated can be set: the cap gives the draw and lies within the measured caps; only oracle and curve-aware split a class") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Draws draws(seed);
    auto const curves = random_curves(draws, 1 + draws.below(6));
    auto const spec = random_mix(draws, curves);
    Snapshot const snapshot(spec, every_policy(), cuts({draws.between(0, 0.5)}), {}, Objective::gpu_speed, 3);
    for (std::size_t p = 0; p < snapshot.policies(); ++p) {
      CAPTURE(seed, p);
      auto const allocations = snapshot.allocate(0, p, 0);
      std::multiset<std::pair<std::string, JobTerms>> classes;
      for (auto const& a : allocations) {
        auto const& curve = a.cls.curve->curve;
        REQUIRE(a.jobs >= 1);
        REQUIRE((a.cap_w >= curve.points().front().cap_w && a.cap_w <= curve.points().back().cap_w));
        REQUIRE(a.cap_w == curve.cap_for(a.draw_w));
        REQUIRE(a.speed == Approx(curve.speed(a.draw_w) / curve.max_speed()).epsilon(1e-12));
        classes.insert({a.cls.curve->id(), a.cls.terms});
      }
      std::size_t split = 0;
      for (auto const& cls : std::set(classes.begin(), classes.end())) split += classes.count(cls) > 1;
      REQUIRE(split <= (p == oracle || p == curve_aware ? 1 : 0));
    }
  }
}

TEST_CASE("several replications at a time are the same replications, whatever the count") {
  Draws draws(12);
  auto const curves = random_curves(draws, 6);
  MixSpec mix;
  mix.name = "m";
  mix.jobs = 40;
  mix.draw = {group("all", pointers(curves))};
  Snapshot const snapshot(mix, every_policy(), cuts({0, 0.1, 0.4}), {}, Objective::gpu_speed, 3);
  Snapshot::Worker worker(snapshot);
  auto const length = snapshot.scores_per_replication();
  for (std::size_t count = 1; count <= Snapshot::batch; ++count) {
    std::vector<double> scores(count * length);
    snapshot.replicate(7, count, worker, scores);
    for (std::size_t i = 0; i < count; ++i)
      CHECK(same_bits(
          std::vector<double>(scores.begin() + static_cast<std::ptrdiff_t>(i * length), scores.begin() + static_cast<std::ptrdiff_t>((i + 1) * length)),
          replicate(snapshot, 7 + i).all));
  }
}
