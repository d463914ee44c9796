#include "wattfill/core/fixed_math.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "support/catch.hpp"

using wattfill::fixed_exp;
using wattfill::fixed_log;
using wattfill::fixed_pow;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

/// Distance of `value` to `exact` in units in the last place of a double near `exact`.
double ulps(double value, long double exact) {
  auto const rounded = static_cast<double>(exact);
  if (value == rounded) return 0;
  if (!std::isfinite(value) || !std::isfinite(rounded)) return inf;
  auto const magnitude = std::fabs(rounded);
  auto const unit = magnitude < std::numeric_limits<double>::min() ? smallest : std::nextafter(magnitude, inf) - magnitude;
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact) / static_cast<long double>(unit));
}

/// Equal, both zeros of one sign, or both NaN.
bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b)); }

}  // namespace

TEST_CASE("fixed_exp is within 2 units in the last place of long double over its whole range") {
  std::mt19937_64 engine(1);
  double worst = 0;
  for (double const width : {745.0, 100.0, 1.0, 1e-3, 1e-10}) {
    std::uniform_real_distribution<double> draw(-width, std::min(width, 709.7));
    for (int i = 0; i < 100000; ++i) {
      auto const x = draw(engine);
      worst = std::max(worst, ulps(fixed_exp(x), std::exp(static_cast<long double>(x))));
    }
  }
  CAPTURE(worst);
  CHECK(worst < 1.0);
}

TEST_CASE("fixed_log is within 2 units in the last place of long double, subnormals included") {
  std::mt19937_64 engine(2);
  double worst = 0;
  for (int i = 0; i < 300000; ++i) {
    auto const x = std::bit_cast<double>(engine() % std::bit_cast<std::uint64_t>(inf));  // every positive double equally likely
    worst = std::max(worst, ulps(fixed_log(x), std::log(static_cast<long double>(x))));
  }
  for (double const width : {0.5, 0.1, 1e-3, 1e-9}) {
    std::uniform_real_distribution<double> draw(1 - width, 1 + width);
    for (int i = 0; i < 100000; ++i) {
      auto const x = draw(engine);
      worst = std::max(worst, ulps(fixed_log(x), std::log(static_cast<long double>(x))));
    }
  }
  CAPTURE(worst);
  CHECK(worst < 1.0);
}

TEST_CASE("fixed_pow is within 2 units in the last place of long double, near overflow and in subnormal results too") {
  std::mt19937_64 engine(3);
  double worst = 0;
  auto const look = [&](double x, double y) {
    auto const exact = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    if (exact < static_cast<long double>(std::numeric_limits<double>::max())) worst = std::max(worst, ulps(fixed_pow(x, y), exact));
  };
  std::uniform_real_distribution<double> unit(0, 1), exponent(-4, 4), level(-745, 709);
  for (int i = 0; i < 200000; ++i) {
    look(unit(engine), exponent(engine));
    look(1 + unit(engine) * 1e-6, 1e9 * exponent(engine));
    auto const x = std::bit_cast<double>(engine() % std::bit_cast<std::uint64_t>(inf));
    if (x != 1) look(x, level(engine) / std::log(x));
  }
  CAPTURE(worst);
  CHECK(worst < 2.0);
}

TEST_CASE("Whole powers of small numbers and the fixed points of exp and log are exact") {
  CHECK(fixed_exp(0) == 1);
  CHECK(fixed_exp(-0.0) == 1);
  CHECK(fixed_log(1) == 0);
  CHECK(fixed_pow(3, 4) == 81);
  CHECK(fixed_pow(10, 15) == 1e15);
  CHECK(fixed_pow(2, -1074) == smallest);
  CHECK(fixed_pow(-2, 3) == -8);
  CHECK(fixed_pow(7.25, 1) == 7.25);
}

TEST_CASE("fixed_exp and fixed_log treat special values as the standard functions do") {
  for (double const x : {0.0, -0.0, inf, -inf, not_a_number, 709.782712893384, 709.7827128933841, 710.0, -745.1332191019411, -745.1332191019412, -746.0, 1e300,
                         -1e300, smallest}) {
    CAPTURE(x);
    CHECK((same(fixed_exp(x), std::exp(x)) || ulps(fixed_exp(x), std::exp(static_cast<long double>(x))) <= 1));
  }
  for (double const x : {0.0, -0.0, inf, -inf, not_a_number, -1.0, -smallest}) {
    CAPTURE(x);
    CHECK(same(fixed_log(x), std::log(x)));
  }
  CHECK(ulps(fixed_log(smallest), std::log(static_cast<long double>(smallest))) <= 1);
}

TEST_CASE("fixed_pow treats special values as std::pow does") {
  double const values[] = {0.0, -0.0, 1.0, -1.0, 0.5,          -0.5,     2.0,       -2.0,  3.0,    -3.0,
                           2.5, -2.5, inf, -inf, not_a_number, smallest, -smallest, 1e300, -1e300, 9007199254740993.0};
  for (double const x : values)
    for (double const y : values) {
      CAPTURE(x, y);
      auto const expected = std::pow(x, y);
      CHECK((same(fixed_pow(x, y), expected) || ulps(fixed_pow(x, y), static_cast<long double>(expected)) <= 2));
    }
}

TEST_CASE("Normal quantiles are those of the tables, and turn the error function back") {
  CHECK(wattfill::fixed_normal_quantile(0.5) == 0);
  for (auto const& [p, z] : {std::pair(0.975, 1.959963984540054), std::pair(0.05, -1.6448536269514722), std::pair(0.01, -2.3263478740408408),
                             std::pair(1e-6, -4.753424308822899), std::pair(1e-15, -7.941345326170997)})
    CHECK(wattfill::fixed_normal_quantile(p) == Approx(z).epsilon(3e-7));
  for (double p = 0.001; p < 1; p += 0.001) CHECK(0.5 * std::erfc(-wattfill::fixed_normal_quantile(p) / std::sqrt(2.0)) == Approx(p).epsilon(3e-6));
  CHECK(std::isnan(wattfill::fixed_normal_quantile(0)));
  CHECK(std::isnan(wattfill::fixed_normal_quantile(1)));
}
