#include "wattfill/curve/curve_view.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"

using wattfill::CurveView;

TEST_CASE("A view of one point is that point everywhere") {
  double const draw = 100, speed = 7;
  CurveView const view{&draw, &speed, 1};
  CHECK(view.speed(1) == 7);
  CHECK(view.speed(100) == 7);
  CHECK(view.speed(1000) == 7);
  CHECK(view.draw_for(0) == 100);
  CHECK(view.draw_for(7) == 100);
  CHECK(view.draw_for(9) == 100);
}

TEST_CASE("draw_for takes the left end of a flat stretch, at the top of the curve and inside it") {
  std::array const draws{100.0, 200.0, 300.0, 400.0, 500.0}, speeds{1.0, 3.0, 3.0, 5.0, 5.0};
  CurveView const view{draws.data(), speeds.data(), 5};
  CHECK(view.draw_for(3) == 200);
  CHECK(view.draw_for(5) == 400);
  CHECK(view.draw_for(99) == 400);
  CHECK(view.draw_for(1) == 100);
  CHECK(view.draw_for(4) == 350);
}

TEST_CASE("Measured points come back exactly") {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> step(0.01, 90);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> draws{step(engine)}, speeds{step(engine)};
    for (int i = 0; i < 8; ++i) {
      draws.push_back(draws.back() + step(engine));
      speeds.push_back(speeds.back() + step(engine));
    }
    CurveView const view{draws.data(), speeds.data(), 9};
    for (std::size_t i = 0; i < draws.size(); ++i) {
      REQUIRE(view.speed(draws[i]) == speeds[i]);
      REQUIRE(view.draw_for(speeds[i]) == Approx(draws[i]).epsilon(1e-15));
    }
  }
}

TEST_CASE("More draw never gives less speed, even in the last bit") {
  std::mt19937 engine(6);
  std::uniform_real_distribution<double> step(0.01, 90), share(0, 1);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> draws{step(engine)}, speeds{step(engine)};
    for (int i = 0; i < 5; ++i) {
      draws.push_back(draws.back() + step(engine));
      speeds.push_back(speeds.back() + (i % 2 == 0 ? step(engine) : 0));
    }
    CurveView const view{draws.data(), speeds.data(), 6};
    double const low = draws.front() + share(engine) * (draws.back() - draws.front());
    for (double x = low, last = view.speed(low), k = 0; k < 50; ++k) {
      x = std::nextafter(x, 1e9);
      REQUIRE(view.speed(x) >= last);
      last = view.speed(x);
    }
  }
}

TEST_CASE("A draw that is not a number is read as the lowest draw") {
  std::array const draws{100.0, 200.0}, speeds{1.0, 3.0};
  CurveView const view{draws.data(), speeds.data(), 2};
  CHECK(view.speed(std::numeric_limits<double>::quiet_NaN()) == 1);
  CHECK(view.draw_for(std::numeric_limits<double>::quiet_NaN()) == 100);
}
