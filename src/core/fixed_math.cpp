#include "wattfill/core/fixed_math.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace wattfill {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// ln 2 in two parts: the first has 20 trailing zero bits, so that its product with any exponent is exact.
constexpr double ln2_high = 0x1.62e42feep-1;
constexpr double ln2_low = 0x1.a39ef35793c76p-33;

bool is_nan(double x) { return x != x; }
double magnitude(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63)); }
bool sign_bit(double x) { return (std::bit_cast<std::uint64_t>(x) >> 63) != 0; }

/// 2^n for -1022 <= n <= 1023.
double power_of_two(int n) { return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52); }

/// An unevaluated sum high + low, about 106 bits; |low| <= half a unit in the last place of high.
struct Pair {
  double high;
  double low;
};

Pair two_sum(double a, double b) {
  double const sum = a + b;
  double const b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

Pair quick_two_sum(double a, double b) {  // |a| >= |b|
  double const sum = a + b;
  return {sum, b - (sum - a)};
}

/// a * b exactly, by Dekker's splitting (no fused multiply-add); |a|, |b| < 2^996.
Pair two_product(double a, double b) {
  constexpr double splitter = 134217729;  // 2^27 + 1
  double const wide_a = splitter * a, wide_b = splitter * b;
  double const a1 = wide_a - (wide_a - a), b1 = wide_b - (wide_b - b);
  double const a2 = a - a1, b2 = b - b1;
  double const product = a * b;
  return {product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

Pair add(Pair a, Pair b) {
  Pair const sum = two_sum(a.high, b.high);
  return quick_two_sum(sum.high, sum.low + (a.low + b.low));
}

Pair multiply(Pair a, Pair b) {
  Pair const product = two_product(a.high, b.high);
  return quick_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/// exp(x + tail) for |x| <= 746 and a tail far below x: x = n ln 2 + r, then the Taylor series of exp(r), |r| <= 0.35, to degree 14.
double exp_of_sum(double x, double tail) {
  constexpr double inverse_ln2 = 0x1.71547652b82fep+0;
  constexpr double round_to_integer = 0x1.8p52;  // adding and subtracting it rounds to an integer
  double const n = (x * inverse_ln2 + round_to_integer) - round_to_integer;
  Pair const reduced = two_sum(x - n * ln2_high, tail - n * ln2_low);
  double const r = reduced.high;
  double series = 0;
  for (double k = 14; k >= 2; --k) series = (1 + series * r) / k;  // 1/2 + r/6 + r^2/24 + ...
  double const y = 1 + (r + (r * r * series + reduced.low));
  int const exponent = static_cast<int>(n), half = exponent / 2;
  return y * power_of_two(half) * power_of_two(exponent - half);  // in two steps: results may be subnormal, and 2^1024 is no double
}

/// x = 2^exponent * m with sqrt(1/2) <= m < sqrt(2), for finite x > 0.
struct Split {
  double m;
  double exponent;
};

Split split(double x) {
  int exponent = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    exponent = -54;
  }
  auto const bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
  if (m > 0x1.6a09e667f3bcdp+0) {
    m /= 2;
    ++exponent;
  }
  return {m, static_cast<double>(exponent)};
}

/// log x to about 70 bits, for finite x > 0: k ln 2 + 2 artanh(s), s = (m - 1) / (m + 1).
Pair log_pair(double x) {
  auto const [m, k] = split(x);
  double const f = m - 1;  // exact
  Pair const denominator = two_sum(m, 1);
  double const first = f / denominator.high;
  Pair const back = two_product(first, denominator.high);
  Pair const s = quick_two_sum(first, ((f - back.high) - back.low - first * denominator.low) / denominator.high);
  Pair const squared = multiply(s, s);
  double const z = squared.high;
  double tail = 0;
  for (double odd = 23; odd >= 7; odd -= 2) tail = 1 / odd + tail * z;
  constexpr Pair third{0x1.5555555555555p-2, 0x1.5555555555555p-56};
  constexpr Pair fifth{0x1.999999999999ap-3, -0x1.999999999999ap-57};
  Pair const inner = add(third, multiply(squared, add(fifth, multiply(squared, {tail, 0}))));
  Pair const artanh = multiply(s, add({1, 0}, multiply(squared, inner)));
  return add(add({k * ln2_high, 0}, two_product(k, ln2_low)), {2 * artanh.high, 2 * artanh.low});
}

enum class Parity { not_an_integer, even, odd };

Parity parity(double y) {
  y = magnitude(y);
  if (y >= 0x1p53) return Parity::even;
  auto const whole = static_cast<std::int64_t>(y);
  if (static_cast<double>(whole) != y) return Parity::not_an_integer;
  return whole % 2 == 0 ? Parity::even : Parity::odd;
}

}  // namespace

double fixed_exp(double x) {
  if (is_nan(x)) return x;
  if (x > 709.79) return infinity;
  if (x < -745.2) return 0;
  return exp_of_sum(x, 0);
}

double fixed_log(double x) {
  if (is_nan(x) || x == infinity) return x;
  if (x == 0) return -infinity;
  if (x < 0) return not_a_number;
  auto const [m, k] = split(x);
  double const f = m - 1;
  double const s = f / (2 + f), z = s * s;
  double series = 0;
  for (double odd = 23; odd >= 3; odd -= 2) series = 2 / odd + series * z;
  double const half_square = 0.5 * f * f;
  // log(1 + f) = f - f^2/2 + s (f^2/2 + z series): the large terms are summed last.
  return k * ln2_high - ((half_square - (s * (half_square + z * series) + k * ln2_low)) - f);
}

double fixed_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (is_nan(x) || is_nan(y)) return not_a_number;
  double const base = magnitude(x);
  auto const kind = parity(y);
  double const sign = sign_bit(x) && kind == Parity::odd ? -1 : 1;
  if (magnitude(y) == infinity) {
    if (base == 1) return 1;
    return (base > 1) == (y > 0) ? infinity : 0;
  }
  if (base == 0 || base == infinity) return (base == 0) == (y < 0) ? sign * infinity : sign * 0.0;
  if (x < 0 && kind == Parity::not_an_integer) return not_a_number;
  if (base == 1) return sign;
  Pair const log = log_pair(base);
  double const estimate = y * log.high;
  if (estimate > 709.79) return sign * infinity;
  if (estimate < -745.2) return sign * 0.0;
  Pair const product = two_product(y, log.high);
  return sign * exp_of_sum(product.high, product.low + y * log.low);
}

double fixed_normal_quantile(double p) {
  if (!(p > 0 && p < 1)) return not_a_number;
  double const q = p - 0.5;
  if (magnitude(q) <= 0.425) {
    double const r = 0.180625 - q * q;
    return q * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) / (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1);
  }
  double const tail = __builtin_sqrt(-fixed_log(q < 0 ? p : 1 - p));
  double size = 0;
  if (tail <= 5) {
    double const r = tail - 1.6;
    size = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777) / ((0.12021132975 * r + 0.73700164250) * r + 1);
  } else {
    double const r = tail - 5;
    size = (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150) / ((0.012258202635 * r + 0.24197894225) * r + 1);
  }
  return q < 0 ? -size : size;
}

}  // namespace wattfill
