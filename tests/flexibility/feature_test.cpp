#include "wattfill/flexibility/feature.hpp"

#include "support/catch.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;

TEST_CASE("a feature is a column, a product of two or a ratio of two") {
  auto const plain = parse_feature("dram_active"), product = parse_feature("dram_active * mem_copy"), ratio = parse_feature("tensor/dram");
  CHECK(plain.first == "dram_active");
  CHECK(plain.second.empty());
  CHECK(plain.value(3, 7) == 3);
  CHECK(product.name == "dram_active * mem_copy");
  CHECK(product.first == "dram_active");
  CHECK(product.second == "mem_copy");
  CHECK(product.value(3, 7) == 21);
  CHECK(ratio.value(3, 6) == 0.5);
}

TEST_CASE("what is no feature is refused") {
  for (auto const* text : {"", "*b", "a/", "a*b*c", "a*b/c", " "}) CHECK_THROWS_AS(parse_feature(text), InputError);
}
