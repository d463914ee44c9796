#include "wattfill/flexibility/figures.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "support/catch.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/flexibility/pfi.hpp"

using namespace wattfill;

namespace {

// P_max = 400 W, T_max = 100: x = 0.75, 0.5, 0.25 lose 0.8, 0.4, 0.1.
PowerSpeedCurve const plain({{100, 100, 20}, {200, 200, 60}, {300, 300, 90}, {400, 400, 100}});

bool noted(FlexibilityFigures const& figures, std::string const& part) {
  for (auto const& note : figures.notes)
    if (note.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("the figures of a small curve, by hand") {
  auto const f = flexibility_figures(plain);
  CHECK(f.pfi == measured_pfi(plain));
  CHECK(f.n_used == 3);
  CHECK(f.pooled == Approx(1.5 / 1.3).epsilon(1e-14));
  // T/T_max - P/P_max at P/P_max = 0, 0.25, 0.5, 0.75, 1: 0, -0.05, 0.1, 0.15, 0; trapezoids of width 0.25.
  CHECK(f.area == Approx(0.25 * (-0.05 + 0.1 + 0.15)).epsilon(1e-13));
  // 360 W and 320 W lie between 90 at 300 W and 100 at 400 W; 280 W between 60 at 200 W and 90 at 300 W.
  CHECK(f.loss[0] == Approx(0.04).epsilon(1e-12));
  CHECK(f.loss[1] == Approx(0.08).epsilon(1e-12));
  CHECK(f.loss[2] == Approx(0.16).epsilon(1e-12));
  CHECK(f.response.loss(0.5) == Approx(0.4).margin(0.05));
  CHECK(f.r2 > 0.97);
  CHECK(f.notes.empty());
}

TEST_CASE("a job whose speed is proportional to its draw has PFI 1, no area, elasticity 1, and loses what is cut") {
  auto const f = flexibility_figures(PowerSpeedCurve({{100, 100, 25}, {200, 200, 50}, {300, 280, 70}, {400, 400, 100}}));
  CHECK(f.pfi == Approx(1).epsilon(1e-14));
  CHECK(f.pooled == Approx(1).epsilon(1e-14));
  CHECK(f.area == Approx(0).margin(1e-15));
  CHECK(f.elasticity == Approx(1).epsilon(1e-13));
  for (std::size_t i = 0; i < 3; ++i) CHECK(f.loss[i] == Approx(reported_cuts[i]).epsilon(1e-13));
  CHECK(f.response.b == Approx(1).epsilon(1e-12));
  CHECK(f.response.a == Approx(0).margin(1e-12));
  CHECK(f.r2 == Approx(1));
}

TEST_CASE("a power law has its exponent as elasticity, a quadratic response its coefficients") {
  std::vector<CurvePoint> power_law, quadratic;
  for (double const p : {100.0, 150.0, 220.0, 300.0, 400.0}) {
    double const x = 1 - p / 400;
    power_law.push_back({p, p, 7 * std::pow(p, 0.6)});
    quadratic.push_back({p, p, 50 * (1 - 0.3 * x - 0.7 * x * x)});
  }
  CHECK(flexibility_figures(PowerSpeedCurve(power_law)).elasticity == Approx(0.6).epsilon(1e-12));
  auto const f = flexibility_figures(PowerSpeedCurve(quadratic));
  CHECK(f.response.b == Approx(0.3).epsilon(1e-11));
  CHECK(f.response.a == Approx(0.7).epsilon(1e-11));
}

TEST_CASE("a chosen grid gives the figures of its points alone, and the highest cap of it is uncapped") {
  std::array const grid{300.0, 100.0, 200.0};
  auto const f = flexibility_figures(plain, grid);
  auto const alone = flexibility_figures(PowerSpeedCurve({{100, 100, 20}, {200, 200, 60}, {300, 300, 90}}));
  CHECK(f.pfi == alone.pfi);
  CHECK(f.area == alone.area);
  CHECK(f.elasticity == alone.elasticity);
  CHECK(f.pooled == alone.pooled);
  CHECK(f.loss == alone.loss);
  CHECK(f.n_used == 2);
  CHECK(on_caps(plain, grid).points().size() == 3);
  CHECK(measured_caps(plain) == std::vector<double>{100, 200, 300, 400});
  CHECK_THROWS_AS(flexibility_figures(plain, std::array{100.0, 250.0}), InputError);
  CHECK_THROWS_AS(on_caps(plain, std::array{100.0}), InputError);
}

TEST_CASE("losses are against the speed at the highest cap, also where a lower cap was faster") {
  // 104 at 200 W and 100 at 300 W are one step of 102; uncapped are the 100.
  auto const f = flexibility_figures(PowerSpeedCurve({{100, 100, 50}, {200, 200, 104}, {300, 300, 100}}));
  for (double const loss : f.loss) CHECK(loss == Approx(-0.02).epsilon(1e-12));
}

TEST_CASE("an unresponsive curve has no figure, and says so") {
  auto const f = flexibility_figures(PowerSpeedCurve({{100, 99, 50}, {200, 100, 100}}));
  for (double const value : {f.pfi, f.area, f.elasticity, f.pooled, f.loss[0], f.loss[1], f.loss[2], f.response.a, f.response.b, f.r2})
    CHECK(std::isnan(value));
  CHECK(f.n_used == 0);
  CHECK(noted(f, "unresponsive"));
}

TEST_CASE("a job that never slows down has an infinite PFI, no pooled ratio, and losses of nothing") {
  auto const f = flexibility_figures(PowerSpeedCurve({{100, 100, 100}, {200, 200, 100}, {300, 300, 100}}));
  CHECK(f.pfi == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(f.pooled));
  CHECK(f.loss == std::array{0.0, 0.0, 0.0});
  CHECK(f.response.b == 0);
  CHECK(f.response.a == 0);
  CHECK(std::isnan(f.r2));
  CHECK(noted(f, "PFI is infinite"));
}

TEST_CASE("points that do not count, cuts deeper than any point and draws above the uncapped one are noted") {
  auto const f = flexibility_figures(PowerSpeedCurve({{100, 75, 70}, {150, 90, 101}, {180, 110, 95}, {200, 100, 100}}));
  CHECK(f.n_used == 2);
  CHECK(noted(f, "1 of 3 capped points are not slower"));
  CHECK(noted(f, "area leaves out 1 capped point that draws more"));
  CHECK(noted(f, "no point is as low as 30 % less draw"));
  CHECK(std::isnan(f.loss[2]));
  CHECK(std::isfinite(f.loss[1]));
}

TEST_CASE("a loss at a cut stays small where the ratios explode") {
  // Full speed within 0.02 % at every cap: PFI is in the thousands, the loss is what it is.
  auto const f = flexibility_figures(PowerSpeedCurve({{100, 100, 99.99}, {200, 200, 99.98}, {300, 300, 99.999}, {400, 400, 100}}));
  CHECK(f.pfi > 1000);
  CHECK(f.pooled > 1000);
  for (double const loss : f.loss) CHECK(loss < 3e-4);
}
