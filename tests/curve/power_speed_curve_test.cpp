#include "wattfill/curve/power_speed_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <tuple>

#include "support/catch.hpp"
#include "wattfill/core/error.hpp"

using wattfill::CurvePoint;
using wattfill::InputError;
using wattfill::PowerSpeedCurve;

namespace {

using Points = std::vector<CurvePoint>;

/// Random measurements: few distinct draws and speeds, so that ties, violators and flat stretches are common.
Points random_points(std::mt19937& engine) {
  std::uniform_int_distribution<int> count(2, 9), level(1, 8), zero_or_more(0, 6);
  Points points;
  for (int i = count(engine); i > 0; --i) points.push_back({100.0 * level(engine), 50.0 * level(engine), static_cast<double>(zero_or_more(engine))});
  points.front().speed = 3;
  return points;
}

/// Isotonic regression by its min-max formula: fit_i = max over j <= i of min over k >= i of the mean of j..k. Order n^3, no pooling.
std::vector<double> min_max(std::vector<double> const& values, std::vector<double> const& weights) {
  std::vector<double> fitted;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j <= i; ++j) {
      double least = std::numeric_limits<double>::infinity();
      for (auto k = i; k < values.size(); ++k) {
        double sum = 0, weight = 0;
        for (auto m = j; m <= k; ++m) {
          sum += weights[m] * values[m];
          weight += weights[m];
        }
        least = std::min(least, sum / weight);
      }
      best = std::max(best, least);
    }
    fitted.push_back(best);
  }
  return fitted;
}

/// The concave hull at `x` by brute force: the highest chord between two points of the curve on [floor, max] that spans x.
double hull_at(PowerSpeedCurve const& curve, double floor, double x) {
  std::vector<std::pair<double, double>> points{{floor, curve.speed(floor)}};
  for (std::size_t i = 0; i < curve.draws().size(); ++i)
    if (curve.draws()[i] > floor) points.emplace_back(curve.draws()[i], curve.speeds()[i]);
  double best = 0;
  for (auto const& [x0, y0] : points)
    for (auto const& [x1, y1] : points)
      if (x0 <= x && x <= x1) best = std::max(best, x0 < x1 ? y0 + (x - x0) / (x1 - x0) * (y1 - y0) : std::max(y0, y1));
  return best;
}

double on_hull(std::vector<PowerSpeedCurve::Vertex> const& hull, double x) {
  for (std::size_t i = 1; i < hull.size(); ++i)
    if (x <= hull[i].draw_w) return hull[i - 1].speed + (x - hull[i - 1].draw_w) / (hull[i].draw_w - hull[i - 1].draw_w) * (hull[i].speed - hull[i - 1].speed);
  return hull.back().speed;
}

}  // namespace

TEST_CASE("The usable curve is linear between points and clamped outside them") {
  PowerSpeedCurve const curve({{100, 90, 10}, {200, 190, 40}, {300, 290, 50}});
  CHECK(curve.speed(140) == 25);  // half way from 10 to 40
  CHECK(curve.speed(190) == 40);
  CHECK(curve.speed(240) == 45);
  CHECK(curve.speed(0) == 10);
  CHECK(curve.speed(1e9) == 50);
  CHECK(curve.min_draw() == 90);
  CHECK(curve.max_draw() == 290);
  CHECK(curve.max_speed() == 50);
  CHECK(curve.draw_for(45) == 240);
  CHECK(curve.draw_for(0) == 90);
  CHECK(curve.draw_for(60) == 290);
  CHECK(curve.cap_for(140) == 150);
  CHECK(curve.cap_for(10) == 100);
  CHECK(curve.cap_for(1000) == 300);
}

TEST_CASE("Points keep their measured values, sorted by cap, whatever order they came in") {
  PowerSpeedCurve const curve({{300, 290, 50}, {100, 90, 10}, {200, 190, 60}});
  REQUIRE(curve.points().size() == 3);
  CHECK(curve.points()[0] == CurvePoint{100, 90, 10});
  CHECK(curve.points()[1] == CurvePoint{200, 190, 60});
  CHECK(curve.power_at_top_cap() == 290);
  CHECK(curve.speed_at_top_cap() == 50);  // raw, though the usable curve pools 60 and 50 to 55
  CHECK(curve.max_speed() == 55);
  CHECK(curve.findings().pooled == 2);
}

TEST_CASE("Repeated measurements at the highest cap are averaged for P_max and T_max") {
  PowerSpeedCurve const curve({{300, 280, 50}, {300, 300, 54}, {100, 90, 10}});
  CHECK(curve.power_at_top_cap() == 290);
  CHECK(curve.speed_at_top_cap() == 52);
}

TEST_CASE("Equal draws are merged to their mean, and count as many times as they were measured") {
  // Draw 150 twice (mean speed 30, weight 2), then 20 at draw 200: pooled to (2 x 30 + 20) / 3.
  PowerSpeedCurve const curve({{100, 100, 10}, {150, 150, 28}, {160, 150, 32}, {200, 200, 20}});
  REQUIRE(curve.draws().size() == 3);
  CHECK(curve.speeds()[1] == Approx(80.0 / 3).epsilon(1e-15));
  CHECK(curve.speeds()[2] == curve.speeds()[1]);
  CHECK(curve.caps()[1] == 155);
  CHECK(curve.findings().repeated_draws == 1);
  CHECK(curve.findings().pooled == 2);
}

TEST_CASE("Speeds and caps are the isotonic regression of the points, against the min-max formula") {
  std::mt19937 engine(1);
  for (int round = 0; round < 3000; ++round) {
    auto const points = random_points(engine);
    PowerSpeedCurve const curve(points);
    std::map<double, std::tuple<double, double, double>> merged;  // draw -> sum of caps, sum of speeds, count
    for (auto const& p : points) {
      auto& [cap, speed, count] = merged[p.power_w];
      cap += p.cap_w;
      speed += p.speed;
      ++count;
    }
    std::vector<double> draws, caps, speeds, weights;
    for (auto const& [draw, sums] : merged) {
      auto const& [cap, speed, count] = sums;
      draws.push_back(draw);
      caps.push_back(cap / count);
      speeds.push_back(speed / count);
      weights.push_back(count);
    }
    auto const fitted = min_max(speeds, weights), fitted_caps = min_max(caps, weights);
    REQUIRE(std::ranges::equal(curve.draws(), draws));
    for (std::size_t i = 0; i < draws.size(); ++i) {
      REQUIRE(curve.speeds()[i] == Approx(fitted[i]).margin(1e-12));
      REQUIRE(curve.caps()[i] == Approx(fitted_caps[i]).margin(1e-10));
    }
    REQUIRE(std::ranges::is_sorted(curve.speeds()));
  }
}

TEST_CASE("draw_for gives the smallest draw of a speed, and speed gives the speed back") {
  std::mt19937 engine(2);
  std::uniform_real_distribution<double> share(-0.1, 1.1);
  for (int round = 0; round < 3000; ++round) {
    PowerSpeedCurve const curve(random_points(engine));
    double const lowest = curve.speeds().front(), highest = curve.max_speed();
    double const wanted = lowest + share(engine) * (highest - lowest);
    double const draw = curve.draw_for(wanted);
    REQUIRE(draw >= curve.min_draw());
    REQUIRE(draw <= curve.max_draw());
    REQUIRE(curve.speed(draw) == Approx(std::clamp(wanted, lowest, highest)).margin(1e-12));
    if (draw > curve.min_draw()) REQUIRE(curve.speed(draw - 1e-6 * curve.max_draw()) < wanted);
  }
}

TEST_CASE("The hull is the least concave curve above the points, from any floor, against brute force") {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> share(0, 1);
  for (int round = 0; round < 2000; ++round) {
    PowerSpeedCurve const curve(random_points(engine));
    double const floor = curve.min_draw() + (round % 3 == 0 ? 0 : share(engine)) * (curve.max_draw() - curve.min_draw());
    auto const hull = curve.hull(floor);
    REQUIRE(hull.front() == PowerSpeedCurve::Vertex{floor, curve.speed(floor)});
    if (floor < curve.max_draw()) REQUIRE(hull.back() == PowerSpeedCurve::Vertex{curve.max_draw(), curve.max_speed()});
    for (std::size_t i = 2; i < hull.size(); ++i) {
      auto const slope = [&](std::size_t k) { return (hull[k].speed - hull[k - 1].speed) / (hull[k].draw_w - hull[k - 1].draw_w); };
      REQUIRE(slope(i) < slope(i - 1));
    }
    for (int i = 0; i <= 20; ++i) {
      double const x = std::min(floor + (curve.max_draw() - floor) * i / 20, curve.max_draw());
      REQUIRE(on_hull(hull, x) == Approx(hull_at(curve, floor, x)).margin(1e-9));
    }
  }
}

TEST_CASE("The hull of a floor at or above the uncapped draw is one vertex") {
  PowerSpeedCurve const curve({{100, 90, 10}, {200, 190, 40}});
  CHECK(curve.hull(190) == std::vector<PowerSpeedCurve::Vertex>{{190, 40}});
  CHECK(curve.hull(500) == std::vector<PowerSpeedCurve::Vertex>{{190, 40}});
}

TEST_CASE("The hull of a floor under the lowest measured draw starts at the lowest measured draw") {
  PowerSpeedCurve const curve({{100, 90, 10}, {200, 190, 40}});
  CHECK(curve.hull(0) == std::vector<PowerSpeedCurve::Vertex>{{90, 10}, {190, 40}});
}

TEST_CASE("A curve is unresponsive if its draws spread over less than 2 % of the largest") {
  CHECK(PowerSpeedCurve({{100, 98.1, 1}, {200, 100, 2}}).unresponsive());
  CHECK_FALSE(PowerSpeedCurve({{100, 98, 1}, {200, 100, 2}}).unresponsive());
  // Over the sweep, not between its ends: the middle point dips.
  CHECK_FALSE(PowerSpeedCurve({{100, 100, 1}, {150, 90, 1}, {200, 100, 2}}).unresponsive());
}

TEST_CASE("Draws above their cap and a largest draw below the highest cap are accepted and reported") {
  PowerSpeedCurve const curve({{100, 107, 1}, {200, 210, 3}, {300, 205, 3}});
  CHECK(curve.findings().above_cap == 2);
  CHECK(curve.findings().top_draw_below_top_cap);
  CHECK(curve.power_at_top_cap() == 205);
  CHECK(curve.max_draw() == 210);
  CHECK_FALSE(PowerSpeedCurve({{100, 90, 1}, {200, 190, 3}}).findings().top_draw_below_top_cap);
}

TEST_CASE("Speeds of zero are kept where another point runs") {
  PowerSpeedCurve const curve({{100, 90, 0}, {200, 190, 4}});
  CHECK(curve.speed(90) == 0);
  CHECK(curve.speed(140) == 2);
  CHECK(curve.draw_for(0) == 90);
}

TEST_CASE("Points that cannot be are refused with what is wrong and what to do") {
  double const nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  auto const message = [](Points points) -> std::string {
    try {
      PowerSpeedCurve const curve(std::move(points));
    } catch (InputError const& error) {
      return error.what();
    }
    return "accepted";
  };
  CurvePoint const fine{200, 190, 40};
  CHECK(message({}) == "a curve needs at least two points, this one has 0 (no slope can be read from one point); add the other caps of the sweep");
  CHECK(message({fine}) == "a curve needs at least two points, this one has 1 (no slope can be read from one point); add the other caps of the sweep");
  for (double const bad : {nan, inf, -inf, -1.0, 0.0}) {
    CHECK(message({fine, {bad, 90, 10}}) == "cap_w must be a positive, finite number of watts");
    CHECK(message({fine, {100, bad, 10}}) == "power_w must be a positive, finite number of watts");
  }
  for (double const bad : {nan, inf, -inf, -1.0}) CHECK(message({fine, {100, 90, bad}}) == "speed must be a finite number, zero or more");
  CHECK(message({{100, 90, 0}, {200, 190, 0}}) == "no point has a positive speed (the job never runs); check the speed column");
}
