#include "wattfill/core/bytes.hpp"

#include <limits>

#include "support/bits.hpp"
#include "support/catch.hpp"

using namespace wattfill;

TEST_CASE("what was written reads back bit for bit, and the bytes end with it") {
  std::string bytes;
  ByteWriter to(bytes);
  std::vector<double> const numbers{0.1, -0.0, std::numeric_limits<double>::quiet_NaN(), 5e-324};
  to.number(0x0102030405060708);
  to.doubles(numbers);
  std::string_view const zero("a text\0with a zero", 18);
  to.text(zero);
  to.text("");
  CHECK(bytes.substr(0, 8) == "\x08\x07\x06\x05\x04\x03\x02\x01");  // little-endian
  ByteReader from(bytes);
  std::uint64_t number = 0;
  std::vector<double> read(4);
  std::string_view text, empty = "x";
  REQUIRE((from.number(number) && from.doubles(read) && from.text(text) && from.text(empty)));
  CHECK(number == 0x0102030405060708);
  CHECK(testing::same_bits(read, numbers));
  CHECK(text == zero);
  CHECK(empty.empty());
  CHECK(from.left() == 0);
}

TEST_CASE("bytes that end too early, or claim to be longer than they are, give nothing and move nothing") {
  for (std::string const& bytes : {std::string(), std::string("1234567"), std::string(8, '\xff') + "....", "\x05" + std::string(7, '\0') + "four"}) {
    ByteReader from(bytes);
    std::string_view text = "untouched";
    CHECK(!from.text(text));
    CHECK(text == "untouched");
    CHECK(from.left() == bytes.size());
    std::vector<double> many(100);
    CHECK(!from.doubles(many));
    CHECK(from.left() == bytes.size());
  }
}
