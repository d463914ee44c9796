#include "wattfill/core/normal_random.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("normal numbers have the moments and the tails of the standard normal distribution") {
  NormalRandom normal({11, "test", 0, Stream::measurement});
  constexpr int n = 200'000;
  double sum = 0, squares = 0, cubes = 0, fourths = 0, product = 0, last = 0;
  int beyond = 0;
  for (int i = 0; i < n; ++i) {
    double const z = normal();
    sum += z;
    squares += z * z;
    cubes += z * z * z;
    fourths += z * z * z * z;
    product += z * last;
    beyond += std::fabs(z) > 1.959963984540054;
    last = z;
  }
  // Standard errors over n: 1, sqrt 2, sqrt 15, sqrt 96, 1; the tail is binomial with p 0.05. Bands of 4 sigma.
  double const root = std::sqrt(static_cast<double>(n));
  CHECK(std::fabs(sum / n) < 4 / root);
  CHECK(std::fabs(squares / n - 1) < 4 * std::sqrt(2.0) / root);
  CHECK(std::fabs(cubes / n) < 4 * std::sqrt(15.0) / root);
  CHECK(std::fabs(fourths / n - 3) < 4 * std::sqrt(96.0) / root);
  CHECK(std::fabs(product / n) < 4 / root);
  CHECK(std::fabs(beyond / static_cast<double>(n) - 0.05) < 4 * std::sqrt(0.05 * 0.95) / root);
}

TEST_CASE("the same address gives the same normal numbers, another one gives others") {
  NormalRandom a({1, "x", 5, Stream::measurement}), b({1, "x", 5, Stream::measurement}), c({1, "x", 6, Stream::measurement});
  double const first = a();
  CHECK(first == b());
  CHECK(a() == b());
  CHECK(first != c());
}
