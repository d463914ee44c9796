#include "wattfill/study/capacity.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/mixes.hpp"

namespace wattfill {
namespace {

using namespace testing;

StudySpec study_of(std::vector<Curve const*> curves, std::vector<PolicySpec> policies, std::uint64_t replications) {
  StudySpec study;
  study.seed = 5;
  MixSpec mix;
  mix.name = "m";
  mix.replications = replications;
  mix.jobs = 20;
  mix.draw = {group("all", std::move(curves))};
  study.mixes = {mix};
  for (int k = 0; k <= 40; ++k) study.cuts.push_back(k * 0.01);
  study.policies = std::move(policies);
  return study;
}

std::vector<Promise> promises_of(StudySpec const& study, CapacitySpec const& spec, unsigned threads = 1) {
  Capacity capacity(study, spec);
  RunOptions options;
  options.rows = &capacity;
  run_study(study, *make_thread_executor(threads), options);
  return capacity.promises();
}

}  // namespace

TEST_CASE("of equal linear jobs every mix gives the same: the loss over the slope") {
  // From 200 W at half speed to 600 W at full speed: a loss of 10 % is 80 W of 600.
  auto const curve = make_curve("line", {{200, 0.5}, {600, 1}}, 4);
  auto const promises = promises_of(study_of({&curve}, {policy("proportional")}, 400), {{0.1, 0.9}, {0.9, 0.99}});
  REQUIRE(promises.size() == 4);
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(promises[i].reduction_w);
    CHECK(promises[i].reduction_w->value == Approx(20 * 4 * 80.0).epsilon(1e-9));
    CHECK(promises[i].reduction_w->low == Approx(20 * 4 * 80.0).epsilon(1e-9));
    CHECK(promises[i].mean_uncapped_w == Approx(20 * 4 * 600.0));
    CHECK(promises[i].censored == 0);
  }
  // A loss of 90 % is more than the deepest cut of 40 %: a lower bound, and said so.
  CHECK(promises[2].censored == 1);
  CHECK(promises[2].reduction_w->value == Approx(20 * 4 * 240.0).epsilon(1e-9));
}

TEST_CASE("the interval of a promise covers what all mixes together could keep, as often as it says; the same study twice gives the same bits") {
  Draws draws(6);
  auto const curves = random_curves(draws, 8);
  auto study = study_of(pointers(curves), {policy("proportional")}, 60'000);
  study.cuts = {0, 0.05, 0.1, 0.2, 0.4};
  study.seed = 1;
  CapacitySpec const spec{{0.1}, {0.9}};
  auto const truth = promises_of(study, spec).at(0).reduction_w->value;
  study.mixes[0].replications = 100;
  int covered = 0;
  constexpr int trials = 300;
  for (int t = 0; t < trials; ++t) {
    study.seed = 1000 + static_cast<std::uint64_t>(t);
    auto const promise = *promises_of(study, spec).at(0).reduction_w;
    covered += promise.low <= truth && truth <= promise.high;
    if (t > 0) continue;
    auto const again = *promises_of(study, spec).at(0).reduction_w;
    CHECK((again.value == promise.value && again.low == promise.low && again.high == promise.high));
  }
  CHECK(covered >= 0.95 * trials - 3 * std::sqrt(trials * 0.95 * 0.05));
  CHECK(covered < trials);  // and is no empty promise
}

TEST_CASE("too few mixes promise nothing at high confidence") {
  auto const curve = make_curve("line", {{200, 0.5}, {600, 1}}, 4);
  auto const promises = promises_of(study_of({&curve}, {policy("proportional")}, 100), {{0.1}, {0.9, 0.95, 0.99}});
  CHECK(promises[0].reduction_w.has_value());
  CHECK(promises[1].reduction_w.has_value());
  CHECK(!promises[2].reduction_w);
}

TEST_CASE("higher confidence promises less, more loss promises more, and threads change nothing") {
  Draws draws(3);
  auto const curves = random_curves(draws, 6);
  auto study = study_of(pointers(curves), every_policy(), 400);
  CapacitySpec const spec{{0.05, 0.1}, {0.9, 0.95, 0.99}};
  auto const one = promises_of(study, spec), three = promises_of(study, spec, 3);
  REQUIRE(one.size() == three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    REQUIRE(one[i].reduction_w->value == three[i].reduction_w->value);
    REQUIRE(one[i].reduction_w->low <= one[i].reduction_w->value);
    REQUIRE(one[i].reduction_w->value <= one[i].reduction_w->high);
    if (i % 3 > 0) REQUIRE(one[i].reduction_w->value <= one[i - 1].reduction_w->value);
    if (i % 6 >= 3) REQUIRE(one[i].reduction_w->value >= one[i - 3].reduction_w->value);
  }
}

TEST_CASE("a mix whose curves are nowhere slower at equal draws never promises less, at the GPUs and at the meter") {
  Draws draws(4);
  for (int trial = 0; trial < 8; ++trial) {
    std::deque<Curve> slow, fast;
    for (int c = 0; c < 4; ++c) {
      std::vector<std::pair<double, double>> low, high;
      double const top = draws.between(400, 700);
      double v = 1, w = 1;
      for (int k = 5; k >= 1; --k) {
        low.insert(low.begin(), {top * k / 5, v});
        high.insert(high.begin(), {top * k / 5, w});
        v *= draws.between(0.6, 0.95);
        w = v + (w - v) * draws.between(0, 1);  // between the slow curve's next speed and its own last one
      }
      slow.push_back(make_curve("c" + std::to_string(c), low, 8));
      fast.push_back(make_curve("c" + std::to_string(c), high, 8));
    }
    for (bool const metered : {false, true}) {
      auto of_slow = study_of(pointers(slow), {policy("equal-split"), policy("proportional")}, 80), of_fast = of_slow;
      of_fast.mixes[0].draw = {group("all", pointers(fast))};
      if (metered) of_slow.metering = of_fast.metering = MeteringSpec{h200_node(), LimitAt::meter};
      auto const a = promises_of(of_slow, {{0.05, 0.2}, {0.9, 0.95}}), b = promises_of(of_fast, {{0.05, 0.2}, {0.9, 0.95}});
      for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(b[i].reduction_w->value >= a[i].reduction_w->value * (1 - 1e-12));
    }
  }
}

}  // namespace wattfill
