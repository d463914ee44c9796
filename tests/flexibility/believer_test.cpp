#include "wattfill/flexibility/believer.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/curves.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/flexibility/pfi.hpp"
#include "wattfill/flexibility/quadratic.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

/// A curve that loses b x + a x^2, at five draws from 100 W to 400 W.
Curve quadratic_curve(std::string name, double b, double a, std::string task = "fine-tuning") {
  std::vector<std::pair<double, double>> points;
  for (double draw : {100.0, 175.0, 250.0, 325.0, 400.0}) {
    double const x = 1 - draw / 400;
    points.emplace_back(draw, 50 * (1 - b * x - a * x * x));
  }
  auto curve = make_curve(std::move(name), points);
  curve.architecture = "dense";
  curve.task = std::move(task);
  return curve;
}

std::vector<Curve const*> pointers_to(std::vector<Curve> const& curves) {
  std::vector<Curve const*> all;
  for (auto const& c : curves) all.push_back(&c);
  return all;
}

std::vector<Curve> const four{quadratic_curve("a", 0.4, 0.5), quadratic_curve("b", 0.2, 0.3), quadratic_curve("c", 0.6, 0.2, "pretraining"),
                              quadratic_curve("d", 0.3, 0.9, "pretraining")};

BeliefSpec noisy(double rmse, double share) { return {.source = PfiSource::noisy, .rmse = rmse, .cluster_share = share}; }

}  // namespace

TEST_CASE("Errors of believed PFIs have the stated variance, and the stated share of it is common to a class and to no other") {
  Believer const believer(pointers_to(four), noisy(0.1, 0.3));
  constexpr int n = 20'000;
  double squares[4]{}, sums[4]{}, inside = 0, across = 0;
  for (int r = 0; r < n; ++r) {
    auto const told = believer.beliefs(5, "mix", static_cast<std::uint64_t>(r));
    double e[4];
    for (std::size_t i = 0; i < 4; ++i) {
      e[i] = (told[i].pfi - believer.truth()[i].pfi) / 0.1;
      sums[i] += e[i] / n;
      squares[i] += e[i] * e[i] / n;
    }
    inside += e[0] * e[1] / n;
    across += e[0] * e[2] / n;
  }
  double const sigma = 1 / std::sqrt(double{n});
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(std::fabs(sums[i]) < 5 * sigma);
    CHECK(std::fabs(squares[i] - 1) < 5 * std::sqrt(2.0) * sigma);
  }
  CHECK(std::fabs(inside - 0.3) < 5 * std::sqrt(1.09) * sigma);  // variance of a product of correlated normals: 1 + rho^2
  CHECK(std::fabs(across) < 5 * sigma);
}

TEST_CASE("An error belongs to seed, mix, curve and replication: its size is a factor, and other curves, clipping and infinite PFIs change nothing") {
  Believer const one(pointers_to(four), noisy(0.05, 0.5)), twice(pointers_to(four), noisy(0.1, 0.5));
  std::vector const two{four[3], four[0]};
  Believer const fewer(pointers_to(two), noisy(0.05, 0.5));
  auto const told = one.beliefs(5, "mix", 3), told_twice = twice.beliefs(5, "mix", 3), told_fewer = fewer.beliefs(5, "mix", 3);
  for (std::size_t i = 0; i < 4; ++i) CHECK(told_twice[i].pfi - one.truth()[i].pfi == Approx(2 * (told[i].pfi - one.truth()[i].pfi)).epsilon(1e-9));
  CHECK(told_fewer[0].pfi == told[3].pfi);
  CHECK(told_fewer[1].pfi == told[0].pfi);
  CHECK(one.beliefs(5, "mix", 4)[0].pfi != told[0].pfi);
  CHECK(one.beliefs(6, "mix", 3)[0].pfi != told[0].pfi);
  CHECK(one.beliefs(5, "other", 3)[0].pfi != told[0].pfi);
  std::vector const edge{make_curve("infinite", {{200, 100}, {400, 100}}), make_curve("unresponsive", {{399, 50}, {400, 100}}), four[0]};
  Believer const huge(pointers_to(edge), noisy(1e3, 0));
  bool clipped = false;
  for (std::uint64_t r = 0; r < 20; ++r) {
    auto const beliefs = huge.beliefs(1, "m", r);
    CHECK(std::isinf(beliefs[0].pfi));
    CHECK(std::isnan(beliefs[1].pfi));
    CHECK(beliefs[2].pfi >= least_pfi);
    clipped = clipped || beliefs[2].pfi == least_pfi;
  }
  CHECK(clipped);
}

TEST_CASE("A wrong PFI makes every believed loss wrong by the factor measured / believed") {
  Believer const believer(pointers_to(four), noisy(0.3, 0.5));
  auto const told = believer.beliefs(5, "mix", 1);
  for (std::size_t i = 0; i < 4; ++i) {
    auto const& truth = believer.truth()[i];
    auto const factor = truth.pfi / told[i].pfi;
    CHECK(told[i].loss_scale == Approx(factor));
    CHECK(told[i].b == Approx(truth.b * factor));
    CHECK(told[i].a == Approx(truth.a * factor));
    // At the believed draw for 80 % of the speed the true loss is 20 % / factor, where that lies on the curve.
    auto const draw = believed_draw_for(told[i], four[i].curve, 0.8);
    auto const x = 1 - draw / 400;
    if (draw > 100 && draw < 400) CHECK((1 - four[i].curve.speed(draw) / 50) * factor == Approx(0.2).epsilon(1e-9));
    CHECK(x >= 0);
  }
  CHECK(believed_draw_for(told[0], four[0].curve, 0) == 100);
}

TEST_CASE("Shrinking moves PFIs to their mean by tau^2 / (tau^2 + sigma^2), keeps the order, and not the responses' depth") {
  Believer const believer(pointers_to(four), noisy(0.2, 0));
  double mean = 0, variance = 0;
  for (auto const& b : believer.truth()) mean += b.pfi / 4;
  for (auto const& b : believer.truth()) variance += (b.pfi - mean) * (b.pfi - mean) / 4;
  CHECK(believer.mean_pfi() == Approx(mean));
  CHECK(believer.pfi_variance() == Approx(variance));
  auto const told = believer.beliefs(5, "mix", 9), shrunk = believer.shrunk(told);
  double const kept = variance / (variance + 0.04);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(shrunk[i].pfi == Approx(mean + kept * (told[i].pfi - mean)));
    CHECK(shrunk[i].sigma == Approx(0.2 * std::sqrt(kept)));
    CHECK(shrunk[i].a * shrunk[i].pfi == Approx(told[i].a * told[i].pfi));
    for (std::size_t k = 0; k < 4; ++k) CHECK((shrunk[i].pfi < shrunk[k].pfi) == (told[i].pfi < told[k].pfi));
  }
  Believer const certain(pointers_to(four), {});
  CHECK(certain.shrunk(certain.beliefs(0, "", 0))[2].pfi == certain.truth()[2].pfi);
}

TEST_CASE("A safe floor breaks the agreement with the stated probability") {
  // Dense 4000 replications of one curve whose floors stay inside its range.
  std::vector const curve{quadratic_curve("one", 0.5, 0.5)};
  Believer const believer(pointers_to(curve), noisy(0.15, 0.5));
  for (double const epsilon : {0.05, 0.2, 0.5}) {
    int broken = 0;
    constexpr int n = 4000;
    for (int r = 0; r < n; ++r) {
      auto const belief = believer.beliefs(2, "m", static_cast<std::uint64_t>(r)).front();
      auto const draw = believed_draw_for(at_risk(belief, epsilon), curve[0].curve, 0.75);
      broken += curve[0].curve.speed(draw) / 50 < 0.75 - 1e-9;
    }
    CAPTURE(epsilon, broken);
    CHECK(std::fabs(double(broken) / n - epsilon) < 5 * std::sqrt(epsilon * (1 - epsilon) / n));
  }
}

TEST_CASE("A stand-in ends at the job's own full draw and speed, to the bit in draw, and keeps its own shape") {
  Draws draws(4);
  for (int trial = 0; trial < 300; ++trial) {
    auto const own = random_curve(draws, "own"), other = random_curve(draws, "other");
    if (own.curve.unresponsive() || other.curve.unresponsive()) continue;
    std::vector<Curve const*> const curves{&own};
    Believer const believer(curves, {.stand_ins = {{&own, &other}}});
    auto const belief = believer.beliefs(0, "", 0).front();
    REQUIRE(belief.curve != nullptr);
    auto const& believed = belief.curve->curve;
    REQUIRE(believed.max_draw() == Approx(own.curve.max_draw()).epsilon(1e-12));
    REQUIRE(believed.max_speed() == Approx(own.curve.max_speed()).epsilon(1e-12));
    REQUIRE(belief.curve->id() == own.id());
    for (double share : {0.3, 0.6, 0.9})
      REQUIRE(believed.speed(share * own.curve.max_draw()) / own.curve.max_speed() ==
              Approx(other.curve.speed(share * other.curve.max_draw()) / other.curve.max_speed()).epsilon(1e-9));
    REQUIRE(believer.truth().front().curve == &own);
    REQUIRE_FALSE(believer.perfect());
  }
  auto const own = four[0], flat = make_curve("flat", {{399, 50}, {400, 100}});
  std::vector<Curve const*> const curves{&own};
  CHECK_THROWS_WITH(
      Believer(curves, {.stand_ins = {{&own, &flat}}}),
      "the curve that is believed instead of lab/a hardly reacts to caps (it says nothing of what a cut costs); leave the curve out of the mixes, "
      "or believe another library");
}

TEST_CASE("Two points give back a quadratic response, and only two points of any other") {
  std::vector const curves{quadratic_curve("q", 0.25, 0.5), make_curve("kinked", {{100, 20}, {200, 90}, {400, 100}})};
  Believer const believer(pointers_to(curves), {.two_points = {0.375, 0.5625}});
  auto const told = believer.beliefs(0, "", 0);
  CHECK(told[0].b == Approx(0.25));
  CHECK(told[0].a == Approx(0.5));
  // kinked: losses 0.1 x 0.375 / 0.5 = 0.075 and 0.1 + 0.7 x (0.0625 / 0.25) = 0.275 are not convex enough for b >= 0: the best a x^2.
  CHECK(told[1].b == Approx(0).margin(1e-9));
  auto const x1 = 0.375 * 0.375, x2 = 0.5625 * 0.5625;
  CHECK(told[1].a == Approx((0.075 * x1 + 0.275 * x2) / (x1 * x1 + x2 * x2)));
}

TEST_CASE("A saved model predicts from products and ratios of telemetry, with its standard error") {
  auto curves = four;
  double at = 0.2;
  for (auto& c : curves) {
    c.telemetry = {{"dram", at}, {"copy", 0.5}};
    at += 0.2;
  }
  PfiModel model;
  model.linear = {{"dram*copy"}, 1, {2}};
  model.spread = {.rows = 10, .residual_sd = 0.1, .means = {0.25}, .inverse = {4}};
  auto const told = believe(pointers_to(curves), {.source = PfiSource::predicted, .model = model});
  CHECK(told[0].pfi == Approx(1.2));  // 1 + 2 x 0.2 x 0.5
  CHECK(told[3].pfi == Approx(1.8));
  CHECK(told[3].sigma == Approx(0.1 * std::sqrt(1 + 0.1 + 4 * 0.15 * 0.15)));
  CHECK(told[3].curve == nullptr);
}

TEST_CASE("What is held out takes no part in the fit or the median that speaks of it") {
  auto curves = four;
  for (auto& c : curves) c.telemetry = {{"dram", c.name == "a" ? 0.0 : c.name == "b" ? 1.0 : c.name == "c" ? 0.5 : 2.0}};
  auto const pfi = [&](std::size_t i) { return measured_pfi(curves[i].curve); };
  auto const told = believe(pointers_to(curves), {.source = PfiSource::predicted, .feature = "dram", .held_out = CurveCluster::job_class});
  // Two points left each time: the straight line through them.
  auto const line = [&](std::size_t i, std::size_t k, double x) {
    auto const xi = curves[i].telemetry.at("dram"), xk = curves[k].telemetry.at("dram");
    return std::max(least_pfi, pfi(i) + (x - xi) / (xk - xi) * (pfi(k) - pfi(i)));
  };
  CHECK(told[0].pfi == Approx(line(2, 3, 0.0)));
  CHECK(told[3].pfi == Approx(line(0, 1, 2.0)));
  auto const median = believe(pointers_to(curves), {.source = PfiSource::class_median, .held_out = CurveCluster::curve});
  CHECK(median[0].pfi == Approx(pfi(1)));
  CHECK(median[1].pfi == Approx(pfi(0)));
  // A library that is held out: what other GPU types say, whatever the class.
  auto two = curves;
  two[1].library = two[3].library = "other";
  auto const across = believe(pointers_to(two), {.source = PfiSource::predicted, .feature = "dram", .held_out = CurveCluster::library});
  CHECK(across[0].pfi == Approx(line(1, 3, 0.0)));
  CHECK(across[2].pfi == Approx(line(1, 3, 0.5)));
  CHECK(across[1].pfi == Approx(line(0, 2, 1.0)));
  auto const medians = believe(pointers_to(two), {.source = PfiSource::class_median, .held_out = CurveCluster::library});
  CHECK(medians[0].pfi == Approx(pfi(1)));
  CHECK(medians[3].pfi == Approx(pfi(2)));
  // A class that is held out whole: the median of all others.
  auto const others = believe(pointers_to(curves), {.source = PfiSource::class_median, .held_out = CurveCluster::job_class});
  CHECK(others[0].pfi == Approx((pfi(2) + pfi(3)) / 2));
}
