#include "wattfill/core/quotation.hpp"

#include "support/catch.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;

TEST_CASE("a message repeats at most forty characters of an input, whole ones, and nothing that steers a terminal") {
  CHECK(quotation("") == "\"\"");
  CHECK(quotation("fine-tuning") == "\"fine-tuning\"");
  std::string const forty(40, 'x');
  CHECK(quotation(forty) == '"' + forty + '"');
  CHECK(quotation(forty + "x") == '"' + forty + "...\"");
  std::string watts;  // two bytes a character
  for (int i = 0; i < 41; ++i) watts += "\xC2\xB5";
  CHECK(quotation(watts) == '"' + watts.substr(0, 80) + "...\"");
  CHECK(quotation("a\x1B[31m\nb\x7F\xFF") == "\"a?[31m?b??\"");
  CHECK(shortened("abcdef", 3) == "abc...");
}

TEST_CASE("keys and places of a mistake are cut as well, however long the input made them") {
  Problem const problem{{"--set " + std::string(1000, 'v'), 0, 0}, std::string(5000, 'k'), "is not known; remove it"};
  auto const text = to_string(problem);
  CHECK(text == "--set " + std::string(134, 'v') + "...: " + std::string(200, 'k') + "...: is not known; remove it");
}
