// What must hold of any mix, on random curves of every kind, counts, cuts, objectives and agreed speeds.
#include <map>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"
#include "support/snapshots.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

constexpr Objective objectives[] = {Objective::gpu_speed, Objective::tokens, Objective::normalized, Objective::weighted, Objective::flops};
constexpr std::size_t proportional = 1, oracle = 11;  // in every_policy()

struct Case {
  std::deque<Curve> curves;
  MixSpec spec;
  Objective objective;
  BeliefSpec belief;
  std::vector<double> at;
  std::vector<PolicySpec> policies = every_policy();

  explicit Case(std::uint64_t seed) {
    Draws draws(seed);
    curves = random_curves(draws, 1 + draws.below(9));
    spec = random_mix(draws, curves);
    objective = objectives[draws.below(5)];
    at = {0, draws.between(0, 0.3), draws.between(0, 0.6), draws.between(0.5, 1)};
    std::ranges::sort(at);
    if (draws.chance(0.3)) belief.source = PfiSource::class_median;
  }
};

/// Floor, reference and value of every class, by an address that an allocation has too.
using Key = std::pair<Curve const*, JobTerms>;

struct Sums {
  double jobs = 0, gpus = 0, power = 0, floors = 0, uncapped = 0, speed = 0, v = 0, v2 = 0, v_gpus = 0, v_value = 0, value = 0, worse = 0, under = 0;
  bool marginal = false;  // a job so near to a threshold that rounding decides
};

Sums sums_of(std::vector<Allocation> const& allocations, std::map<Key, Demand> const& demands, std::map<Key, double> const& reference) {
  Sums s;
  for (auto const& a : allocations) {
    auto const& d = demands.at({a.cls.curve, a.cls.terms});
    auto const& curve = a.cls.curve->curve;
    auto const t = curve.speed(a.draw_w), v = t / curve.max_speed(), n = a.jobs, was = reference.at({a.cls.curve, a.cls.terms});
    s.jobs += n;
    s.gpus += n * d.gpus;
    s.power += n * d.gpus * a.draw_w;
    s.floors += n * d.gpus * d.floor_w;
    s.uncapped += n * d.gpus * d.uncapped_w;
    s.speed += n * t;
    s.v += n * v;
    s.v2 += n * v * v;
    s.v_gpus += n * d.gpus * v;
    s.v_value += n * d.value * v;
    s.value += n * d.value;
    s.worse += v < was - 1e-9 ? n : 0;
    s.under += v < a.cls.terms.min_speed - 1e-9 ? n : 0;
    s.marginal = s.marginal || std::fabs(v - was + 1e-9) < 1e-10 || std::fabs(v - a.cls.terms.min_speed + 1e-9) < 1e-10;
    REQUIRE(a.draw_w >= d.floor_w * (1 - 1e-15));
    REQUIRE(a.draw_w <= d.uncapped_w);
  }
  return s;
}

}  // namespace

TEST_CASE("every score is what the allocation says, budgets are kept, and nothing is left that could be used (2000 random mixes)") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Case const c(seed);
    Snapshot const snapshot(c.spec, c.policies, cuts(c.at), c.belief, c.objective, seed);
    auto const r = c.spec.listed.empty() ? seed % 10 : 0;
    auto const scored = replicate(snapshot, r);
    Mix const mix(c.spec);
    std::map<Key, Demand> believed, truth;
    auto const told = make_demands(c.spec, mix, c.belief, c.objective), true_ones = make_demands(c.spec, mix, {}, c.objective);
    for (std::size_t i = 0; i < told.size(); ++i) {
      Key const key{mix.classes()[i].curve, mix.classes()[i].terms};
      believed.emplace(key, told[i]);
      truth.emplace(key, true_ones[i]);
    }
    for (std::size_t t = 0; t < c.at.size(); ++t) {
      std::map<Key, double> reference;
      for (auto const& a : snapshot.allocate(r, proportional, t))
        reference[{a.cls.curve, a.cls.terms}] = a.cls.curve->curve.speed(a.draw_w) / a.cls.curve->curve.max_speed();
      for (std::size_t p = 0; p < c.policies.size(); ++p) {
        CAPTURE(seed, c.policies[p].name, c.at[t], to_string(c.objective));
        auto const allocations = snapshot.allocate(r, p, t);
        auto const s = sums_of(allocations, p == oracle ? truth : believed, reference);
        auto const true_floors = sums_of(snapshot.allocate(r, oracle, t), truth, reference).floors;
        auto const at = [&](std::size_t which) { return scored.at(p, t, which); };
        auto const near = [](double x) { return Approx(x).epsilon(1e-9).margin(1e-12); };
        REQUIRE(s.jobs == static_cast<double>(mix.jobs()));
        REQUIRE(at(score::target_w) == Approx((1 - c.at[t]) * s.uncapped).epsilon(1e-12).margin(1e-9));
        REQUIRE(at(score::power_w) == Approx(s.power).epsilon(1e-12));
        REQUIRE(at(score::headroom_w) == Approx(s.uncapped - true_floors).margin(1e-12 * s.uncapped));
        if (at(score::shortfall_w) > 0) {
          REQUIRE(at(score::power_w) == Approx(s.floors).epsilon(1e-12));
          REQUIRE(at(score::shortfall_w) == at(score::power_w) - at(score::target_w));
        } else {
          REQUIRE(s.power <= at(score::target_w) * (1 + 1e-12));
          REQUIRE((at(score::power_w) == at(score::target_w) || s.power == Approx(s.uncapped).epsilon(1e-12)));
        }
        REQUIRE(at(score::speed) == near(s.speed));
        REQUIRE(at(score::speed_per_job) == near(s.speed / s.jobs));
        REQUIRE(at(score::speed_normalized) == near(s.v / s.jobs));
        REQUIRE(at(score::speed_gpu) == near(s.v_gpus / s.gpus));
        REQUIRE(at(score::objective) == near(is_mean(c.objective) ? s.v_value / s.value : s.v_value));
        REQUIRE(at(score::jain_index) == near(s.v2 > 0 ? s.v * s.v / (s.jobs * s.v2) : at(score::jain_index)));
        auto const speeds = job_speeds(allocations);
        REQUIRE(at(score::speed_min) == near(speeds.front()));
        REQUIRE(at(score::speed_p5) == near(speeds[(speeds.size() + 19) / 20 - 1]));
        if (!s.marginal) {
          REQUIRE(at(score::share_worse) == near(s.worse / s.jobs));
          REQUIRE(at(score::share_below_min) == near(s.under / s.jobs));
        }
        if (p == proportional) REQUIRE(at(score::share_worse) == 0);
        REQUIRE(std::isnan(at(score::hull_gap)) == (p != oracle));
      }
    }
  }
}

TEST_CASE("the oracle and its proven gap are above every policy, and more budget never lowers it (2000 random mixes)") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Case const c(seed);
    Snapshot const snapshot(c.spec, c.policies, cuts(c.at), c.belief, c.objective, seed);
    auto const scored = replicate(snapshot, 0);
    for (std::size_t t = 0; t < c.at.size(); ++t) {
      auto const best = scored.at(oracle, t, score::objective), gap = scored.at(oracle, t, score::hull_gap);
      REQUIRE(gap >= 0);
      for (std::size_t p = 0; p < c.policies.size(); ++p) {
        CAPTURE(seed, c.policies[p].name, c.at[t]);
        // Who believes otherwise may break agreements, or draw more than the limit for floors that are too high, and be faster.
        if (scored.at(p, t, score::share_below_min) > 0 || scored.at(p, t, score::shortfall_w) > scored.at(oracle, t, score::shortfall_w)) continue;
        REQUIRE(scored.at(p, t, score::objective) <= (best + gap) * (1 + 1e-12));
      }
      if (t > 0) {
        CAPTURE(seed, c.at[t]);
        REQUIRE(best <= scored.at(oracle, t - 1, score::objective) * (1 + 1e-12));
      }
    }
  }
}

TEST_CASE("at cut 0 everyone is uncapped, to rounding, under every policy") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Case const c(seed);
    Snapshot const snapshot(c.spec, c.policies, cuts({0}), {}, Objective::normalized, seed);
    auto const scored = replicate(snapshot, 0);
    for (std::size_t p = 0; p < c.policies.size(); ++p) {
      CAPTURE(seed, c.policies[p].name);
      REQUIRE(scored.at(p, 0, score::speed_min) == Approx(1).epsilon(1e-13));
      REQUIRE(scored.at(p, 0, score::shortfall_w) == 0);
      REQUIRE(scored.at(p, 0, score::share_worse) == 0);
      REQUIRE(scored.at(p, 0, score::power_w) == scored.at(p, 0, score::target_w));
    }
  }
}

TEST_CASE("every form of the kernel that the processor can run gives the same bits, at 1 to 16 replications a call (300 random mixes)") {
  auto const forms = Snapshot::forms();
  if (forms.size() == 1) testing::say_skipped("the kernel's forms are not compared: this build or processor has the plain form alone");
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Case c(seed);
    c.spec.replications = 40;
    Snapshot const snapshot(c.spec, c.policies, cuts(c.at), c.belief, c.objective, seed);
    auto const total = std::min<std::uint64_t>(snapshot.replications(), 33), columns = snapshot.scores_per_replication();
    std::vector<double> plain(total * columns), other(total * columns);
    Snapshot::Worker one(snapshot, "plain");
    for (std::uint64_t i = 0; i < total; ++i) snapshot.replicate(i, 1, one, std::span(plain).subspan(i * columns, columns));
    for (auto form : forms) {
      CAPTURE(seed, form);
      Snapshot::Worker worker(snapshot, form);
      for (std::uint64_t i = 0, some; i < total; i += some) {
        some = std::min<std::uint64_t>(total - i, i % 2 == 0 ? Snapshot::batch : 1 + i % 5);
        snapshot.replicate(i, some, worker, std::span(other).subspan(i * columns, some * columns));
      }
      REQUIRE(same_bits(plain, other));
    }
  }
}
