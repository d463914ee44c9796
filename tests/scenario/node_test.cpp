#include "wattfill/scenario/node.hpp"

#include "support/catch.hpp"

using wattfill::Node;

TEST_CASE("A tree is written as YAML and JSON: numbers stay numbers, text that looks like one is quoted") {
  auto const tree =
      Node::map().add("n", Node::plain("1.5")).add("t", Node::quote("1.5")).add("list", Node::list().add(Node::plain("true")).add(Node::quote("a\"b")));
  CHECK(wattfill::to_json(tree) == "{\n  \"n\": 1.5,\n  \"t\": \"1.5\",\n  \"list\": [\n    true,\n    \"a\\\"b\"\n  ]\n}\n");
  CHECK(wattfill::to_flow(tree).find("n: 1.5") != std::string::npos);
  CHECK(wattfill::to_yaml(tree).find("n: 1.5\n") != std::string::npos);
}

TEST_CASE("A key is found in a map, nothing elsewhere; every node is counted") {
  auto tree = Node::map().add("a", Node::plain("1")).add("b", Node::list().add(Node::plain("2")).add(Node::plain("3")));
  REQUIRE(tree.find("b") != nullptr);
  CHECK(tree.find("b")->members.size() == 2);
  CHECK(tree.find("c") == nullptr);
  CHECK(Node::plain("1").find("a") == nullptr);
  CHECK(tree.size() == 5);
}

TEST_CASE("What spells a number is one, with NaN and infinities, and nothing else") {
  CHECK(wattfill::spelled_number("1e3") == 1000.0);
  CHECK(wattfill::spelled_number("-0.5") == -0.5);
  CHECK(wattfill::spelled_number(".nan").has_value());
  CHECK(wattfill::spelled_number(".inf").has_value());
  CHECK_FALSE(wattfill::spelled_number("1,5").has_value());
  CHECK_FALSE(wattfill::spelled_number("1.5 W").has_value());
  CHECK_FALSE(wattfill::spelled_number("").has_value());
}
