#include "wattfill/flexibility/quadratic.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "support/catch.hpp"

using namespace wattfill;

namespace {

double squared_error(double b, double a, std::vector<CappedPoint> const& points) {
  double sum = 0;
  for (auto const& p : points) sum += std::pow(p.loss - b * p.x - a * p.x * p.x, 2);
  return sum;
}

}  // namespace

TEST_CASE("A response that is quadratic is found exactly") {
  std::vector<CappedPoint> points;
  for (double const x : {0.1, 0.3, 0.5, 0.7}) points.push_back({x, 0.2 * x + 0.9 * x * x});
  auto const fit = fit_quadratic(points);
  CHECK(fit.b == Approx(0.2).epsilon(1e-12));
  CHECK(fit.a == Approx(0.9).epsilon(1e-12));
  CHECK(fit.loss(0.5) == Approx(0.325));
  CHECK(fit.pfi_at(0.5) == Approx(0.5 / 0.325));
  CHECK(centred_r2(fit, points) == Approx(1));
}

TEST_CASE("Where the free solution is negative the fit lies on an edge") {
  // sqrt-like loss bends the other way: a = 0, b = sum xy / sum x^2 = (0.25 x 0.5 + 0.64 x 0.8) / (0.25^2 + 0.64^2).
  std::vector<CappedPoint> const concave{{0.25, 0.5}, {0.64, 0.8}};
  CHECK(fit_quadratic(concave).a == 0);
  CHECK(fit_quadratic(concave).b == Approx(0.637 / 0.4721).epsilon(1e-12));
  // x^3: b = 0, a = sum x^5 / sum x^4.
  std::vector<CappedPoint> const steep{{0.2, 0.008}, {0.4, 0.064}, {0.6, 0.216}};
  CHECK(fit_quadratic(steep).b == 0);
  CHECK(fit_quadratic(steep).a ==
        Approx((std::pow(0.2, 5) + std::pow(0.4, 5) + std::pow(0.6, 5)) / (std::pow(0.2, 4) + std::pow(0.4, 4) + std::pow(0.6, 4))).epsilon(1e-12));
}

TEST_CASE("No loss, gains, no points and points without depth give the zero response") {
  for (auto const& points : {std::vector<CappedPoint>{{0.2, 0}, {0.4, 0}}, std::vector<CappedPoint>{{0.2, -0.1}, {0.4, -0.3}}, std::vector<CappedPoint>{},
                             std::vector<CappedPoint>{{0, 0.1}, {0, 0.2}}}) {
    auto const fit = fit_quadratic(points);
    CHECK(fit.b == 0);
    CHECK(fit.a == 0);
  }
  CHECK(std::isnan(centred_r2({}, std::vector<CappedPoint>{{0.1, 0.5}, {0.2, 0.5}})));
}

TEST_CASE("R2 compares with the mean loss") {
  // Losses 0.3 and 0.6 around 0.45: SST 0.045; the response 0.5 x at 0.5 and 1.0 errs by 0.05 and 0.1: SSE 0.0125.
  CHECK(centred_r2({0.5, 0}, std::vector<CappedPoint>{{0.5, 0.3}, {1.0, 0.6}}) == Approx(1 - 0.0125 / 0.045));
}

TEST_CASE("One depth measured twice is met by the mean") {
  auto const fit = fit_quadratic(std::vector<CappedPoint>{{0.5, 0.2}, {0.5, 0.4}});
  CHECK(fit.loss(0.5) == Approx(0.3));
}

TEST_CASE("No feasible neighbour fits better, on random points") {
  std::mt19937 engine(4);
  std::uniform_real_distribution<double> depth(-0.1, 0.9), loss(-0.2, 1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<CappedPoint> points(2 + round % 5);
    for (auto& p : points) p = {depth(engine), loss(engine)};
    auto const fit = fit_quadratic(points);
    REQUIRE(fit.b >= 0);
    REQUIRE(fit.a >= 0);
    double const best = squared_error(fit.b, fit.a, points);
    for (double const step : {1e-1, 1e-3, 1e-5})  // convex: a local optimum is the optimum
      for (int db = -1; db <= 1; ++db)
        for (int da = -1; da <= 1; ++da)
          if (fit.b + db * step >= 0 && fit.a + da * step >= 0) REQUIRE(squared_error(fit.b + db * step, fit.a + da * step, points) >= best - 1e-12);
  }
}

TEST_CASE("a curve of two points has a straight response, whatever the rounding") {
  for (double x = 0.013; x < 1; x += 0.0371)
    for (double loss = 0.001; loss < 1; loss += 0.0457) {
      std::vector<CappedPoint> const one{{x, loss}};
      CHECK(fit_quadratic(one).a == 0);
      CHECK(fit_quadratic(one).b == Approx(loss / x));
    }
}
