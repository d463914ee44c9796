#include "wattfill/core/text.hpp"

#include <charconv>
#include <limits>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/draws.hpp"

using namespace wattfill;

TEST_CASE("numbers are written in full, shortest, and read back bit for bit; NaN is an empty cell") {
  CHECK(number_text(0.1) == "0.1");
  CHECK(number_text(0) == "0");
  CHECK(number_text(-0.0) == "-0");
  CHECK(number_text(123456) == "123456");
  CHECK(number_text(100000) == "1e+05");  // shorter
  CHECK(number_text(1.0 / 3) == "0.3333333333333333");
  CHECK(number_text(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(number_text(std::numeric_limits<double>::quiet_NaN()).empty());
  testing::Draws draws(1);
  for (int i = 0; i < 20000; ++i) {
    auto const bits = static_cast<std::uint64_t>(draws.share() * 4294967296.0) << 32U | static_cast<std::uint64_t>(draws.share() * 4294967296.0);
    auto const x = std::bit_cast<double>(bits);
    if (std::isnan(x)) continue;
    auto const text = number_text(x);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    REQUIRE(testing::same_bits(x, back));
    REQUIRE(text.size() <= longest_number);
  }
}

TEST_CASE("CSV cells are quoted where they must be, and only there") {
  CHECK(csv_cell("plain text") == "plain text");
  CHECK(csv_cell("") == "");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_cell("two\nlines") == "\"two\nlines\"");
  CHECK(csv_cell("a\rb") == "\"a\rb\"");
}

TEST_CASE("JSON strings: quotes, backslashes and control characters are escaped, bytes that are not UTF-8 replaced") {
  CHECK(json_text("a") == "\"a\"");
  CHECK(json_text("a\"b\\c\n\t\x01") == "\"a\\\"b\\\\c\\n\\u0009\\u0001\"");
  CHECK(json_text("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80") == "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"");
  CHECK(json_text("a\xff"
                  "b") == "\"a\\ufffdb\"");
  CHECK(json_text("\xc3") == "\"\\ufffd\"");
}

TEST_CASE("UTF-8: overlong forms, surrogates and code points beyond the last are ill-formed") {
  CHECK(utf8_length("") == 0);
  CHECK(utf8_length("a") == 1);
  CHECK(utf8_length("\xc3\xa4") == 2);
  CHECK(utf8_length("\xe2\x82\xac") == 3);
  CHECK(utf8_length("\xf0\x9f\x98\x80") == 4);
  for (auto text : {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80", "\xe2\x82", "\xf0\x9f\x98"})
    CHECK(utf8_length(text) == 0);
}
