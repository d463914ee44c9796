// What policies are told, and that watts stay true whatever is believed.
#include "sim/demands.hpp"

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "wattfill/facility/facility_spec.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

/// Rules that believe in every way.
std::vector<PolicySpec> believers() {
  auto all = every_policy();
  for (auto const knows : {Knowledge::perfect, Knowledge::shrunk, Knowledge::safe, Knowledge::shrunk_safe})
    for (auto const* name : {"proportional", "pfi-aware", "pfi-ranked", "quadratic", "curve-aware"}) {
      auto spec = labelled(policy(name), std::string(name) + std::to_string(static_cast<int>(knows)));
      spec.knows = knows;
      all.push_back(spec);
    }
  return all;
}

BeliefSpec noisy(double rmse) { return {.source = PfiSource::noisy, .rmse = rmse, .cluster_share = 0.5, .epsilon = 0.1}; }

bool same(double l, double r) { return l == r || (std::isnan(l) && std::isnan(r)); }

}  // namespace

TEST_CASE("An error of 0 gives the very bits of measured beliefs, though every path is made anew (200 random mixes)") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Draws draws(seed);
    auto const curves = random_curves(draws, 1 + draws.below(8));
    auto const spec = random_mix(draws, curves);
    std::vector const at{draws.between(0, 0.2), draws.between(0.2, 0.5), 0.9};
    Snapshot const known(spec, believers(), cuts(at), {}, Objective::gpu_speed, 3), guessed(spec, believers(), cuts(at), noisy(0), Objective::gpu_speed, 3);
    for (std::uint64_t r = 0; r < std::min<std::uint64_t>(2, known.replications()); ++r) {
      auto const one = replicate(known, r), other = replicate(guessed, r);
      for (std::size_t i = 0; i < one.all.size(); ++i) {
        if (same(one.all[i], other.all[i])) continue;  // an assertion of each would take longer than all the rest
        CAPTURE(seed, r, believers()[i / score::count / at.size()].shown(), i % score::count);
        FAIL();
      }
    }
  }
}

TEST_CASE("Whatever is believed, budgets hold in true watts, the oracle and perfect knowledge are as without errors, and batches change nothing") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Draws draws(seed);
    auto const curves = random_curves(draws, 2 + draws.below(6));
    auto const spec = random_mix(draws, curves);
    auto const policies = believers();
    std::vector const at{0.1, 0.4};
    Snapshot const known(spec, policies, cuts(at), {}, Objective::normalized, 3), guessed(spec, policies, cuts(at), noisy(0.6), Objective::normalized, 3);
    auto const count = std::min<std::uint64_t>(3, known.replications());
    Snapshot::Worker worker(guessed);
    std::vector<double> together(count * guessed.scores_per_replication());
    guessed.replicate(0, count, worker, together);
    for (std::uint64_t r = 0; r < count; ++r) {
      auto const truth = replicate(known, r), belief = replicate(guessed, r);
      for (std::size_t i = 0; i < belief.all.size(); ++i) REQUIRE(same(belief.all[i], together[r * belief.all.size() + i]));
      for (std::size_t p = 0; p < policies.size(); ++p)
        for (std::size_t t = 0; t < at.size(); ++t) {
          CAPTURE(seed, r, policies[p].shown(), at[t]);
          REQUIRE(belief.at(p, t, score::power_w) <= (belief.at(p, t, score::target_w) + belief.at(p, t, score::shortfall_w)) * (1 + 1e-12));
          REQUIRE(belief.at(p, t, score::headroom_w) == truth.at(p, t, score::headroom_w));
          double power = 0, jobs = 0, speed = 0;
          for (auto const& a : guessed.allocate(r, p, t)) {
            power += a.jobs * a.cls.curve->gpus * a.draw_w;
            speed += a.jobs * a.speed;
            jobs += a.jobs;
          }
          REQUIRE(belief.at(p, t, score::power_w) == Approx(power).epsilon(1e-9));
          REQUIRE(belief.at(p, t, score::speed_normalized) == Approx(speed / jobs).epsilon(1e-9));
          if (policies[p].name == "oracle" || policies[p].knows == Knowledge::perfect)
            for (std::size_t s : {score::power_w, score::objective, score::speed_p5, score::share_below_min, score::rank_errors, score::hull_gap})
              REQUIRE(same(belief.at(p, t, s), truth.at(p, t, s)));
        }
    }
  }
}

TEST_CASE("With a facility or racks an error of 0 gives the very bits of measured beliefs too, and wrong beliefs break no limit") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Draws draws(seed);
    auto curves = random_curves(draws, 2 + draws.below(6));
    for (auto& curve : curves) curve.gpus = std::min(curve.gpus, 16.0);  // no job spans racks: no solver is needed
    auto const spec = random_mix(draws, curves);
    auto const policies = believers();
    std::vector const at{draws.between(0, 0.1), draws.between(0.1, 0.4)};
    RackSpec const racks{16, 16 * draws.between(200, 600), 0.02};
    for (auto const limit : {std::optional<LimitAt>(), std::optional(LimitAt::gpu), std::optional(LimitAt::it), std::optional(LimitAt::meter)}) {
      auto const metering = limit ? std::optional(MeteringSpec{h200_node(), *limit}) : std::nullopt;
      auto const make = [&](BeliefSpec const& belief) {
        return Snapshot(spec, policies, cuts(at), belief, Objective::gpu_speed, 3, metering, limit ? std::nullopt : std::optional(racks));
      };
      Snapshot const known = make({}), guessed = make(noisy(0)), wrong = make(noisy(0.6));
      auto const truth = replicate(known, 0).all, guess = replicate(guessed, 0).all;
      for (std::size_t i = 0; i < truth.size(); ++i) {
        if (same(truth[i], guess[i])) continue;
        CAPTURE(seed, limit ? static_cast<int>(*limit) : -1, policies[i / known.scores() / at.size()].shown(), score_table()[i % known.scores()].column);
        FAIL();
      }
      auto const count = std::min<std::uint64_t>(2, wrong.replications());
      Snapshot::Worker worker(wrong);
      std::vector<double> together(count * wrong.scores_per_replication());
      wrong.replicate(0, count, worker, together);
      auto const last = replicate(wrong, count - 1).all;
      for (std::size_t i = 0; i < last.size(); ++i) REQUIRE(same(last[i], together[(count - 1) * last.size() + i]));
      auto const first = std::span(together).first(truth.size());
      for (std::size_t p = 0; p < policies.size(); ++p)
        for (std::size_t t = 0; t < at.size(); ++t) {
          CAPTURE(seed, limit ? static_cast<int>(*limit) : -1, policies[p].shown(), at[t]);
          auto const row = first.subspan((p * at.size() + t) * wrong.scores(), wrong.scores());
          auto const read = row[limit == LimitAt::it ? score::it_w : limit == LimitAt::meter ? score::meter_w : score::power_w];
          REQUIRE(read <= (row[score::target_w] + row[score::shortfall_w]) * (1 + 1e-9));
          double power = 0, jobs = 0, speed = 0;
          for (auto const& a : wrong.allocate(0, p, t)) {
            power += a.jobs * a.cls.curve->gpus * a.draw_w;
            speed += a.jobs * a.speed;
            jobs += a.jobs;
          }
          REQUIRE(row[score::power_w] == Approx(power).epsilon(1e-9));
          REQUIRE(row[score::speed_normalized] == Approx(speed / jobs).epsilon(1e-9));
          if (policies[p].name == "oracle" || policies[p].knows == Knowledge::perfect)
            for (std::size_t s : {score::power_w, score::objective, score::speed_p5, score::rank_errors, score::hull_gap})
              REQUIRE(same(row[s], truth[(p * at.size() + t) * wrong.scores() + s]));
        }
    }
  }
}

TEST_CASE("Racks without a binding limit change no score of a rule whose beliefs are wrong") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Draws draws(seed);
    auto const curves = random_curves(draws, 2 + draws.below(6));
    auto const spec = random_mix(draws, curves);
    auto const policies = believers();
    auto const targets = cuts({draws.between(0, 0.1), draws.between(0.1, 0.4)});
    auto const plain = replicate(Snapshot(spec, policies, targets, noisy(0.5), Objective::gpu_speed, 3), 0);
    auto const racked = replicate(Snapshot(spec, policies, targets, noisy(0.5), Objective::gpu_speed, 3, std::nullopt, RackSpec{64, 1e9, 0.05}), 0);
    for (std::size_t p = 0; p < policies.size(); ++p)
      for (std::size_t t = 0; t < 2; ++t)
        for (std::size_t s : {score::power_w, score::shortfall_w, score::speed_gpu, score::objective, score::rank_errors}) {
          CAPTURE(seed, policies[p].shown(), t, score_table()[s].column);
          REQUIRE(racked.at(p, t, s) == Approx(plain.at(p, t, s)).epsilon(1e-9).margin(1e-6));
        }
  }
}

TEST_CASE("Rank errors are the share of pairs of jobs in the wrong order, counted job by job") {
  Draws draws(8);
  for (int trial = 0; trial < 200; ++trial) {
    auto const curves = random_curves(draws, 2 + draws.below(6));
    MixSpec spec;
    spec.name = "m";
    for (auto const& c : curves) spec.listed.push_back({&c, 1 + draws.below(4), {}});
    Mix const mix(spec);
    MixBeliefs const beliefs(spec, mix, draws.chance(0.5) ? noisy(1) : BeliefSpec{.source = PfiSource::class_median}, Objective::gpu_speed);
    auto const told = beliefs.beliefs(Knowledge::believed, 4, 0), truth = beliefs.beliefs(Knowledge::perfect, 4, 0);
    std::vector<double> jobs, true_pfi, told_pfi;
    for (std::size_t c = 0; c < mix.classes().size(); ++c)
      for (auto const& listed : spec.listed)
        if (listed.curve == mix.classes()[c].curve) {
          jobs.push_back(static_cast<double>(listed.count));
          for (std::uint64_t k = 0; k < listed.count; ++k) {
            true_pfi.push_back(truth[c].pfi);
            told_pfi.push_back(told[c].pfi);
          }
        }
    double wrong = 0, pairs = 0;
    for (std::size_t i = 0; i < true_pfi.size(); ++i)
      for (std::size_t k = 0; k < true_pfi.size(); ++k) {
        if (!(true_pfi[i] < true_pfi[k])) continue;
        pairs += 1;
        wrong += told_pfi[i] > told_pfi[k] ? 1 : told_pfi[i] == told_pfi[k] ? 0.5 : 0;
      }
    REQUIRE(beliefs.rank_errors(told, jobs) == Approx(pairs > 0 ? wrong / pairs : 0));
    REQUIRE(beliefs.rank_errors(truth, jobs) == 0);
  }
}

TEST_CASE("Floors are what agreed speeds are believed to need: true where curves are known, off where they are not, higher where one is safe") {
  Draws draws(1);
  auto const steep = make_curve("steep", {{100, 10}, {200, 40}, {300, 70}, {400, 100}}),
             flat = make_curve("flat", {{100, 70}, {200, 80}, {300, 90}, {400, 100}});
  MixSpec spec;
  spec.name = "m";
  for (auto const* c : {&steep, &flat}) spec.listed.push_back({c, 5, {.priority = 1, .min_speed = 0.85}});
  Mix const mix(spec);
  auto const floors = [&](BeliefSpec const& belief, Knowledge knows) {
    MixBeliefs const beliefs(spec, mix, belief, Objective::gpu_speed);
    auto const demands = beliefs.demands(beliefs.beliefs(knows, 0, 0), knows);
    return std::pair(demands[1].floor_w, demands[0].floor_w);  // classes are in the order of their names: flat, steep
  };
  CHECK(floors({}, Knowledge::believed).first == Approx(350));   // steep loses 0.3 % a watt: 15 % are 50 W
  CHECK(floors({}, Knowledge::believed).second == Approx(250));  // flat: 0.1 % a watt
  // The class median makes one of both: the steep one's floor is too low, the flat one's too high.
  BeliefSpec const median{.source = PfiSource::class_median, .epsilon = 0.05};
  auto const plain = floors(median, Knowledge::believed), safe = floors(median, Knowledge::safe);
  CHECK(plain.first < 350);
  CHECK(plain.second > 250);
  CHECK(safe.first > plain.first);
  CHECK(safe.second > plain.second);
  CHECK(floors(median, Knowledge::perfect).first == Approx(350));
}
