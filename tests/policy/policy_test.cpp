#include "wattfill/policy/policy.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/curves.hpp"
#include "support/policies.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Two linear jobs. A: 1 GPU, 100 to 400 W, 10 to 40 tokens/s. B: 2 GPUs of 150 to 300 W, 70 to 100 tokens/s. Uncapped 400 + 600 W, floors 100 + 300 W.
struct TwoJobs {
  std::deque<Curve> curves;
  std::vector<Demand> demands;
  TwoJobs() {
    curves.push_back(make_curve("a", {{100, 10}, {400, 40}}, 1));
    curves.push_back(make_curve("b", {{150, 70}, {300, 100}}, 2));
    curves[0].task = "fine-tuning";
    curves[0].telemetry = {{"dram", 0.5}};
    curves[1].telemetry = {{"dram", 0.25}};
    Demand a, b;
    a.believed = &curves[0];
    b.believed = &curves[1];
    a.gpus = 1, a.floor_w = 100, a.uncapped_w = 400, a.value = 1, a.priority = 1, a.pfi = 2, a.b = 0.5, a.a = 0.25;
    b.gpus = 2, b.floor_w = 150, b.uncapped_w = 300, b.value = 2, b.priority = 2, b.pfi = 1, b.b = 0.3, b.a = 0.35;
    demands = {a, b};
  }
  std::vector<double> at(PolicySpec const& spec, double budget) const { return draws_of(spec, demands, {1, 1}, budget); }
};

void check(std::vector<double> const& draws, double a, double b) {
  CHECK(draws[0] == Approx(a).epsilon(1e-12));
  CHECK(draws[1] == Approx(b).epsilon(1e-12));
}

std::deque<Curve> const& shared_curves() {
  static auto const curves = [] {
    Draws draws(1);
    return random_curves(draws, 12);
  }();
  return curves;
}

std::vector<Demand> random_demands(std::uint64_t seed) {
  Draws draws(seed);
  std::vector<Demand> demands;
  auto const count = 1 + draws.below(12);
  for (std::size_t i = 0; i < count; ++i) {
    Demand d;
    d.believed = &shared_curves()[i];
    d.gpus = d.believed->gpus;
    d.uncapped_w = d.believed->curve.max_draw();
    d.floor_w = draws.chance(0.15) ? d.uncapped_w : draws.between(d.believed->curve.min_draw(), d.uncapped_w);
    d.value = draws.chance(0.1) ? 0 : draws.between(0.1, 50);
    d.priority = draws.between(0, 3);
    d.pfi = draws.chance(0.15) ? infinity : draws.between(0.05, 4);
    d.b = draws.chance(0.2) ? 0 : draws.between(0, 1);
    d.a = draws.chance(0.2) ? 0 : draws.between(0, 1);
    if (!d.adjustable()) d.pfi = std::numeric_limits<double>::quiet_NaN();
    demands.push_back(d);
  }
  return demands;
}

}  // namespace

TEST_CASE("one job gets the budget, between its floor and its uncapped draw, under every rule") {
  TwoJobs jobs;
  std::vector<Demand> const one{jobs.demands[1]};
  for (auto const& spec : every_policy()) {
    CAPTURE(spec.name);
    CHECK(draws_of(spec, one, {1}, 500)[0] == Approx(250).epsilon(1e-12));  // 2 GPUs
    CHECK(draws_of(spec, one, {3}, 1500)[0] == Approx(250).epsilon(1e-12));
    CHECK(draws_of(spec, one, {1}, 10)[0] == 150);
    CHECK(draws_of(spec, one, {1}, 9999)[0] == 300);
  }
}

TEST_CASE("equal jobs get equal draws under every rule that does not rank classes") {
  TwoJobs jobs;
  std::vector<Demand> const equal{jobs.demands[0], jobs.demands[0], jobs.demands[0]};
  for (auto const& spec : every_policy()) {
    CAPTURE(spec.name);
    auto const draws = draws_of(spec, equal, {1, 1, 2}, 1000);
    if (spec.name == "pfi-ranked" || make_policy(spec)->splits()) continue;
    for (double w : draws) CHECK(w == Approx(250).epsilon(1e-12));
  }
}

TEST_CASE("two linear jobs, 1000 W uncapped, 200 W to cut: every rule by hand") {
  TwoJobs const jobs;
  check(jobs.at(policy("equal-split"), 800), 800.0 / 3, 800.0 / 3);  // one ceiling for three GPUs, under both uncapped draws
  check(jobs.at(policy("proportional"), 800), 320, 240);             // 80 % of each
  check(jobs.at(policy("headroom-fair"), 800), 300, 250);            // 400 W above the floors, of a headroom of 300 + 300: two thirds of each
  // Weights 400 x 2 and 600: 8/14 and 6/14 of 200 W; B has two GPUs.
  auto doubled = policy("class-weighted");
  doubled.where.task = "fine-tuning";
  check(jobs.at(doubled, 800), 400 - 200 * 8.0 / 14, 300 - 100 * 6.0 / 14);
  doubled.factor = 1;
  check(jobs.at(doubled, 800), 320, 240);
  // 400 x 0.5 and 600 x 0.25: 4/7 and 3/7; the feature alone: 2/3 and 1/3.
  check(jobs.at(telemetry("dram"), 800), 400 - 200 * 4.0 / 7, 300 - 100 * 3.0 / 7);
  check(jobs.at(telemetry("dram", true), 800), 400 - 200 * 2.0 / 3, 300 - 100 / 3.0);
  // P/T x PFI: 400/40 x 2 = 20 and 600/100 x 1 = 6. With PFI 1: 10 and 6.
  check(jobs.at(policy("pfi-paper"), 800), 400 - 200 * 20.0 / 26, 300 - 100 * 6.0 / 26);
  check(jobs.at(labelled(policy("pfi-paper"), "off", true), 800), 400 - 200 * 10.0 / 16, 300 - 100 * 6.0 / 16);
  // P^2 x PFI / V: 160000 x 2 / 1 and 360000 x 1 / 2: 32/50 and 18/50. With PFI 1: 16/34 and 18/34.
  check(jobs.at(policy("pfi-aware"), 800), 272, 264);
  check(jobs.at(labelled(policy("pfi-aware"), "off", true), 800), 400 - 200 * 16.0 / 34, 300 - 100 * 18.0 / 34);
  check(jobs.at(policy("pfi-ranked"), 800), 200, 300);  // A has the higher PFI and gives all
  // (0.5 + 0.5 x) / 400 = 2 (0.3 + 0.7 y) / 600 with 400 x + 600 y = 200: x = 19/101, y = 21/101.
  check(jobs.at(policy("quadratic"), 800), 400 - 400 * 19.0 / 101, 300 - 300 * 21.0 / 101);
  // Value a watt: A 0.75 / 300, B 2 x 0.3 / 300: A is restored first (300 W above the floors' 400), B gets 100 W.
  check(jobs.at(policy("oracle"), 800), 400, 200);
  check(jobs.at(expression("p_max * priority"), 800), 350, 225);  // 400 and 1200: a quarter and three quarters
}

TEST_CASE("whoever hits the floor stops there, and the others give the rest by the same rule") {
  TwoJobs const jobs;
  check(jobs.at(policy("proportional"), 450), 150, 150);  // 45 % would put B at 135 W: B 2 x 150, A the rest
  check(jobs.at(policy("pfi-aware"), 450), 100, 175);     // 550 W x 32/50 = 352 W is more than A's 300: A at 100, B 350 W for two
  check(jobs.at(policy("equal-split"), 410), 110, 150);   // a ceiling of 410/3 is under B's floor
  check(jobs.at(policy("pfi-ranked"), 450), 100, 175);
  check(jobs.at(policy("quadratic"), 400), 100, 150);
}

TEST_CASE("an infinite PFI is cut first, straight to the floor; several of them by the same share of headroom") {
  TwoJobs jobs;
  auto third = jobs.demands[0];
  jobs.demands[0].pfi = third.pfi = infinity;
  third.floor_w = 250;
  std::vector<Demand> const demands{jobs.demands[0], jobs.demands[1], third};
  for (auto name : {"pfi-aware", "pfi-paper"}) {
    CAPTURE(name);
    // 1400 W uncapped. 225 W come from the headrooms of 300 and 150 W: half of each; B is not touched.
    auto const half = draws_of(policy(name), demands, {1, 1, 1}, 1175);
    CHECK(half[0] == Approx(250));
    CHECK(half[1] == 300);
    CHECK(half[2] == Approx(325));
    // 500 W: both at their floors (450 W), B gives 50 W.
    auto const more = draws_of(policy(name), demands, {1, 1, 1}, 900);
    CHECK(more[0] == 100);
    CHECK(more[1] == Approx(275));
    CHECK(more[2] == 250);
  }
}

TEST_CASE("a weight of zero is cut last") {
  TwoJobs const jobs;
  auto const spec = expression("pfi > 1.5 ? 0 : p_max");
  check(jobs.at(spec, 800), 400, 200);
  check(jobs.at(spec, 700), 400, 150);
  check(jobs.at(spec, 500), 200, 150);
}

TEST_CASE("the scale of the weights changes nothing, however small or large") {
  TwoJobs const jobs;
  auto const plain = jobs.at(expression("p_max"), 800);
  for (auto formula : {"p_max * 1e-200", "p_max * 1e200", "p_max * 1e-310", "p_max * 1e305"}) {
    CAPTURE(formula);
    check(jobs.at(expression(formula), 800), plain[0], plain[1]);
  }
}

TEST_CASE("a negative weight and one that is not a number are refused with the curve's name") {
  TwoJobs const jobs;
  for (auto formula : {"0 - p_max", "-p_max", "sqrt(0 - p_max)", "0 * log(0)"}) {
    CAPTURE(formula);
    auto const text = refusal([&] { jobs.at(expression(formula), 800); });
    CHECK(contains(text, "lab/a"));
    CHECK(contains(text, "negative or not a number"));
  }
}

TEST_CASE("pfi-ranked: descending PFI, of equals the first in name, infinity first of all; the marginal class shares evenly") {
  std::deque<Curve> curves;
  std::vector<Demand> demands;
  for (auto name : {"d", "c", "b", "a"}) curves.push_back(make_curve(name, {{100, 1}, {200, 2}}));
  double const pfis[] = {1.2, 2, 2, infinity};
  for (std::size_t i = 0; i < 4; ++i) {
    Demand d;
    d.believed = &curves[i];
    d.floor_w = 100, d.uncapped_w = 200, d.pfi = pfis[i];
    demands.push_back(d);
  }
  auto const at = [&](double budget) { return draws_of(policy("pfi-ranked"), demands, {2, 2, 2, 2}, budget); };  // 1600 W uncapped
  CHECK(at(1500) == std::vector<double>{200, 200, 200, 150});
  CHECK(at(1300) == std::vector<double>{200, 200, 150, 100});
  CHECK(at(1100) == std::vector<double>{200, 150, 100, 100});
  CHECK(at(900) == std::vector<double>{150, 100, 100, 100});
}

TEST_CASE("quadratic loses no more, by its own belief, than any division on a dense grid") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    auto const& curve = shared_curves()[0];
    std::vector<Demand> demands;
    for (int i = 0; i < 3; ++i) {
      Demand d;
      d.believed = &curve;
      d.gpus = 1 + std::floor(draws.between(0, 8));
      d.uncapped_w = draws.between(300, 700);
      d.floor_w = d.uncapped_w * draws.between(0.3, 0.9);
      d.value = draws.between(0.5, 10);
      d.b = draws.chance(0.3) ? 0 : draws.between(0, 1);
      d.a = draws.chance(0.3) ? 0 : draws.between(0, 1);
      demands.push_back(d);
    }
    auto const loss = [&](std::size_t d, double w) {
      auto const x = 1 - w / demands[d].uncapped_w;
      return demands[d].value * (demands[d].b * x + demands[d].a * x * x);
    };
    double floors = 0, all = 0;
    for (auto const& d : demands) floors += d.gpus * d.floor_w, all += d.gpus * d.uncapped_w;
    auto const budget = floors + draws.share() * (all - floors);
    auto const found = draws_of(policy("quadratic"), demands, {1, 1, 1}, budget);
    auto const own = loss(0, found[0]) + loss(1, found[1]) + loss(2, found[2]);
    constexpr int n = 150;
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= n; ++j) {
        auto const step = [&](std::size_t d, int k) { return demands[d].floor_w + (demands[d].uncapped_w - demands[d].floor_w) * k / n; };
        auto const x = step(0, i), y = step(1, j);
        auto const z = std::min((budget - demands[0].gpus * x - demands[1].gpus * y) / demands[2].gpus, demands[2].uncapped_w);
        if (z < demands[2].floor_w) continue;
        auto const other = loss(0, x) + loss(1, y) + loss(2, z);
        if (other < own - 1e-9) FAIL("grid point " << x << ", " << y << ", " << z << " loses " << other << " instead of " << own);
      }
  }
}

TEST_CASE("paths start at the floors, end uncapped and never fall, and all of a budget is used (every rule, 300 random demands)") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    auto const demands = random_demands(seed);
    for (auto const& spec : every_policy()) {
      CAPTURE(seed, spec.name);
      auto const plan = make_policy(spec)->prepare(demands);
      double floors = 0, all = 0;
      std::vector<double> gpus;
      Draws draws(seed + 999);
      for (std::size_t d = 0; d < demands.size(); ++d) {
        REQUIRE(plan.draws(0)[d] == demands[d].floor_w);
        REQUIRE(plan.draws(plan.knots() - 1)[d] == demands[d].uncapped_w);
        for (std::size_t k = 0; k + 1 < plan.knots(); ++k) REQUIRE(plan.draws(k)[d] <= plan.draws(k + 1)[d]);
        gpus.push_back(demands[d].gpus * std::floor(draws.between(1, 9)));
        floors += gpus[d] * demands[d].floor_w;
        all += gpus[d] * demands[d].uncapped_w;
      }
      auto const budget = floors + draws.share() * (all - floors);
      auto const at = plan.draws_at(plan.locate(gpus, budget));
      double used = 0;
      for (std::size_t d = 0; d < demands.size(); ++d) used += gpus[d] * at[d];
      REQUIRE(used == Approx(budget).epsilon(1e-12));
    }
  }
}

TEST_CASE("the order of the demands changes no draw (every rule, 300 random demands)") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    auto const demands = random_demands(seed);
    std::vector<Demand> const turned(demands.rbegin(), demands.rend());
    std::vector<double> const jobs(demands.size(), 2.0);
    double all = 0;
    for (auto const& d : demands) all += 2 * d.job_uncapped_w();
    for (auto const& spec : every_policy()) {
      // Classes without any value, of equal PFI or of equal gain are told apart by name or place: only distinct ones here.
      if (make_policy(spec)->splits() && std::ranges::any_of(demands, [](Demand const& d) { return d.value == 0; })) continue;
      CAPTURE(seed, spec.name);
      auto const at = draws_of(spec, demands, jobs, 0.8 * all), other = draws_of(spec, turned, jobs, 0.8 * all);
      for (std::size_t d = 0; d < at.size(); ++d) REQUIRE(at[d] == Approx(other[at.size() - 1 - d]).epsilon(1e-9));
    }
  }
}

TEST_CASE("a rule of the program's own is its draws along a path, or its shares of the cut, and is met like any other") {
  struct Own final : Policy {
    FillPlan prepare(std::span<Demand const> demands) const override {
      // First B rises alone, then both: floors 100, 150; knots (100, 250) and (400, 300).
      return path_of_draws(demands, std::vector<double>{100, 150, 100, 250, 400 * (1 + 1e-12), 300});
    }
  };
  TwoJobs const jobs;
  PolicySpec spec;
  spec.name = "own";
  spec.own = std::make_shared<Own const>();
  CHECK(looks_of(spec) == Looks::at_flexibility);
  check(jobs.at(spec, 400), 100, 150);
  check(jobs.at(spec, 500), 100, 200);
  check(jobs.at(spec, 600), 100, 250);
  check(jobs.at(spec, 800), 250, 275);
  check(jobs.at(spec, 1000), 400, 300);
  auto const shares = path_of_shares(jobs.demands, std::vector<double>{1, 3});
  // 100 W less: a quarter of that from A, three quarters from B's two GPUs.
  check(shares.draws_at(shares.locate(std::vector<double>{1, 2}, 900)), 375, 262.5);
  CHECK(same_bits(jobs.at(expression("p_max"), 700), jobs.at(policy("class-weighted"), 700)));
}

TEST_CASE("a path that the program's own rule may not give is refused with its row and curve") {
  TwoJobs const jobs;
  auto const refused = [&](std::vector<double> rows) { return refusal([&] { path_of_draws(jobs.demands, rows); }); };
  CHECK(refused({100, 150}) ==
        "the rule gave 2 draws for 2 classes of jobs (a path is two rows or more of one draw a class, from all floors to all uncapped); give knots x classes");
  CHECK(refused({100, 150, 400}) ==
        "the rule gave 3 draws for 2 classes of jobs (a path is two rows or more of one draw a class, from all floors to all uncapped); give knots x classes");
  CHECK(refused({100, 140, 400, 300}) ==
        "row 0 of the rule's draws has 140 W for lab/b, which is not its floor of 150 W (a path goes from all floors to all uncapped)");
  CHECK(refused({100, 150, 390, 300}) ==
        "row 1 of the rule's draws has 390 W for lab/a, which is not its uncapped draw of 400 W (a path goes from all floors to all uncapped)");
  CHECK(refused({100, 150, 200, 250, 190, 260, 400, 300}) ==
        "row 2 of the rule's draws has 190 W for lab/a, which is less than in the row before (draws along a path only rise)");
  CHECK(refused({100, 150, 500, 200, 400, 300}) == "row 1 of the rule's draws has 500 W for lab/a, which is more than its uncapped draw of 400 W");
  CHECK(refused({100, 150, std::nan(""), 200, 400, 300}) == "row 1 of the rule's draws has nan W for lab/a, which is no draw; give watts of one GPU");
  CHECK(refusal([&] { path_of_shares(jobs.demands, std::vector<double>{1}); }) ==
        "the rule gave 1 shares for 2 classes of jobs (each class bears a share of the cut); give one a class");
}
