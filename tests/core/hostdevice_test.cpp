#include "wattfill/core/hostdevice.hpp"

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/draws.hpp"

using namespace wattfill;

namespace {

WATTFILL_HD double twice(double x) { return 2 * x; }

WATTFILL_CLONES void multiply_add(double const* x, double const* y, double* z, int n) {
  for (int i = 0; i < n; ++i) z[i] = x[i] * y[i] + z[i];
}

}  // namespace

TEST_CASE("a function for host and device is an ordinary function on the host") { CHECK(twice(3) == 6); }

TEST_CASE("a function built for several vector widths rounds after the product and after the sum, whatever the width") {
  testing::Draws draws(4);
  double x[37], y[37], z[37], expected[37];
  for (int i = 0; i < 37; ++i) {
    x[i] = draws.share(), y[i] = draws.share(), z[i] = draws.share();
    double const volatile product = x[i] * y[i];  // volatile: no contraction here either
    expected[i] = product + z[i];
  }
  multiply_add(x, y, z, 37);
  CHECK(testing::same_bits(z, expected));
}
