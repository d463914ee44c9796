#include "wattfill/core/exact_sum.hpp"

#include "support/catch.hpp"

TEST_CASE("A running sum keeps what plain addition drops") {
  wattfill::ExactSum sum;
  double plain = 0;
  for (double x : {1.0, 1e100, 1.0, -1e100}) {
    sum.add(x);
    plain += x;
  }
  CHECK(plain == 0);
  CHECK(sum.value() == 2);
}

TEST_CASE("The error of a running sum does not grow with the number of additions") {
  wattfill::ExactSum sum;
  for (int i = 0; i < 1'000'000; ++i) sum.add(0.1);
  CHECK(sum.value() == 100000.00000000000555);  // a million times the double next to 0.1
}
