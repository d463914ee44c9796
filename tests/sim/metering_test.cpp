#include <cmath>

#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "wattfill/facility/facility.hpp"

namespace wattfill {
namespace {

using namespace testing;

/// Scores of one replication of a snapshot with a facility.
struct Metered {
  std::vector<double> all;
  std::size_t targets;
  double at(std::size_t policy, std::size_t target, std::size_t s) const { return all[(policy * targets + target) * score::metered_count + s]; }
};
Metered metered(Snapshot const& snapshot, std::uint64_t replication) {
  Snapshot::Worker worker(snapshot);
  Metered scored{std::vector<double>(snapshot.scores_per_replication()), snapshot.targets()};
  snapshot.replicate(replication, 1, worker, scored.all);
  return scored;
}

MixSpec listed(std::vector<ExplicitJobs> jobs) {
  MixSpec mix;
  mix.name = "listed";
  mix.listed = std::move(jobs);
  return mix;
}
ExplicitJobs jobs(Curve const& curve, std::uint64_t count) {
  ExplicitJobs j;
  j.curve = &curve;
  j.count = count;
  return j;
}

Ledger ledger_of(Facility const& facility, std::vector<Allocation> const& allocations) {
  std::vector<NodeLoad> loads;
  for (auto const& a : allocations) loads.push_back({a.jobs * a.cls.curve->gpus / facility.spec().gpus, facility.spec().gpus * a.draw_w});
  return facility.ledger(loads);
}

}  // namespace

TEST_CASE("a cut at the meter is the facility's inverse where all nodes are alike") {
  auto const curve = make_curve("line", {{100, 0.2}, {650, 1}}, 16);
  Facility const facility(h200_node());
  for (auto const at : {LimitAt::it, LimitAt::meter}) {
    Snapshot const snapshot(listed({jobs(curve, 5)}), std::vector{policy("proportional")}, cuts({0, 0.2}), {}, Objective::gpu_speed, 0,
                            MeteringSpec{h200_node(), at});
    auto const s = metered(snapshot, 0);
    double const nodes = 10, uncapped_gpu = 80 * 650;
    auto const uncapped = at == LimitAt::it ? facility.it_w(nodes, uncapped_gpu) : facility.meter_w(nodes, uncapped_gpu);
    auto const gpu = at == LimitAt::it ? facility.gpu_for_it(nodes, 0.8 * uncapped) : facility.gpu_for_meter(nodes, 0.8 * uncapped);
    CHECK(s.at(0, 0, score::power_w) == Approx(uncapped_gpu));
    CHECK(s.at(0, 0, score::meter_w) == Approx(facility.meter_w(nodes, uncapped_gpu)));
    CHECK(std::isnan(s.at(0, 0, score::meter_saved_per_gpu_w)));
    CHECK(s.at(0, 1, score::target_w) == Approx(0.8 * uncapped).epsilon(1e-12));
    CHECK(s.at(0, 1, score::power_w) == Approx(gpu).epsilon(1e-12));
    CHECK(s.at(0, 1, score::it_w) == Approx(facility.it_w(nodes, gpu)).epsilon(1e-12));
    CHECK(s.at(0, 1, score::meter_w) == Approx(facility.meter_w(nodes, gpu)).epsilon(1e-12));
    CHECK(s.at(0, 1, score::speed_gpu) == Approx(0.2 + 0.8 * (gpu / 80 - 100) / 550).epsilon(1e-11));
    CHECK(s.at(0, 1, score::meter_saved_per_gpu_w) ==
          Approx((facility.meter_w(nodes, uncapped_gpu) - facility.meter_w(nodes, gpu)) / (uncapped_gpu - gpu)).epsilon(1e-10));
    CHECK(s.at(0, 1, score::shortfall_w) == 0);
    CHECK(snapshot.allocate(0, 0, 1).at(0).draw_w == Approx(gpu / 80).epsilon(1e-12));
  }
}

TEST_CASE("a facility that adds nothing changes no score, wherever the limit is") {
  Draws draws(1);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto const curves = random_curves(draws, 6);
    auto const mix = random_mix(draws, curves);
    auto const targets = cuts({0, 0.1, 0.4});
    auto const policies = every_policy();
    auto const plain = replicate(Snapshot(mix, policies, targets, {}, Objective::gpu_speed, seed), 0);
    for (auto const at : {LimitAt::gpu, LimitAt::it, LimitAt::meter}) {
      auto const bare = metered(Snapshot(mix, policies, targets, {}, Objective::gpu_speed, seed, MeteringSpec{{}, at}), 0);
      for (std::size_t p = 0; p < policies.size(); ++p)
        for (std::size_t t = 0; t < 3; ++t) {
          CAPTURE(policies[p].name, t);
          for (std::size_t s = 0; s < score::count; ++s) {
            auto const x = plain.at(p, t, s), y = bare.at(p, t, s);
            if (at == LimitAt::gpu)
              REQUIRE(((std::isnan(x) && std::isnan(y)) || x == y));
            else if (s != score::share_worse && s != score::share_below_min && s != score::hull_gap && !std::isnan(x))
              REQUIRE(y == Approx(x).epsilon(1e-9).margin(1e-7));
          }
          REQUIRE(bare.at(p, t, score::it_w) == Approx(bare.at(p, t, score::power_w)).epsilon(1e-12));
          REQUIRE(bare.at(p, t, score::meter_w) == Approx(bare.at(p, t, score::power_w)).epsilon(1e-12));
        }
    }
  }
}

TEST_CASE("limits at IT load and meter are kept and used up, and both are what the allocation says (random mixes, every policy)") {
  Draws draws(2);
  std::size_t bound = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    auto const curves = random_curves(draws, 6);
    auto const mix = random_mix(draws, curves);
    auto const policies = every_policy();
    auto spec = seed % 2 == 0 ? h200_node() : a100_node();
    if (seed % 3 == 0) spec.outdoor_c = draws.between(-10, 40);
    Facility const facility(spec);
    for (auto const at : {LimitAt::gpu, LimitAt::it, LimitAt::meter}) {
      std::vector<double> const values{draws.between(0, 0.1), draws.between(0.1, 0.5)};
      Snapshot const snapshot(mix, policies, cuts(values), {}, Objective::gpu_speed, seed, MeteringSpec{spec, at});
      auto const s = metered(snapshot, 0);
      for (std::size_t p = 0; p < policies.size(); ++p)
        for (std::size_t t = 0; t < 2; ++t) {
          CAPTURE(seed, policies[p].name, t, static_cast<int>(at));
          auto const ledger = ledger_of(facility, snapshot.allocate(0, p, t));
          REQUIRE(s.at(p, t, score::power_w) == Approx(ledger[Component::gpu]).epsilon(1e-11));
          REQUIRE(s.at(p, t, score::it_w) == Approx(ledger.it_w()).epsilon(1e-11));
          REQUIRE(s.at(p, t, score::meter_w) == Approx(ledger.meter_w()).epsilon(1e-11));
          auto const read = s.at(p, t, at == LimitAt::gpu ? score::power_w : at == LimitAt::it ? score::it_w : score::meter_w);
          auto const limit = s.at(p, t, score::target_w);
          if (s.at(p, t, score::shortfall_w) > 0) {
            REQUIRE(read - limit == Approx(s.at(p, t, score::shortfall_w)).epsilon(1e-6).margin(1e-6));
          } else {
            REQUIRE(read <= limit * (1 + 1e-12));
            REQUIRE(read >= limit * (1 - 1e-11));
            ++bound;
          }
        }
    }
  }
  CHECK(bound > 2000);
}

TEST_CASE("the same GPU watts cost more at the meter where they are cut unevenly") {
  auto const flat = make_curve("flat", {{200, 0.9}, {650, 1}}, 8), steep = make_curve("steep", {{200, 0.2}, {650, 1}}, 8);
  Snapshot const snapshot(listed({jobs(flat, 10), jobs(steep, 10)}), std::vector{policy("equal-split"), policy("oracle")}, cuts({0.25}), {},
                          Objective::gpu_speed, 0, MeteringSpec{h200_node(), LimitAt::gpu});
  auto const s = metered(snapshot, 0);
  CHECK(s.at(0, 0, score::power_w) == Approx(s.at(1, 0, score::power_w)).epsilon(1e-12));
  CHECK(s.at(1, 0, score::meter_w) > 1.005 * s.at(0, 0, score::meter_w));
  CHECK(s.at(1, 0, score::meter_saved_per_gpu_w) < s.at(0, 0, score::meter_saved_per_gpu_w));
}

}  // namespace wattfill
