#include "wattfill/scenario/document.hpp"

#include "scenario/mistakes.hpp"

using namespace wattfill;

TEST_CASE("Keys keep their order and every value knows its line and column") {
  auto const root = parse_document("b: 1\na: [x, \"2\"]\n", "f");
  REQUIRE(root.members.size() == 2);
  CHECK(root.members[0].key == "b");
  auto const& list = root.members[1].value;
  CHECK(list.members[1].value.at.line == 2);
  CHECK(list.members[1].value.at.column == 8);
  CHECK(list.members[1].value.quoted);
  CHECK_FALSE(list.members[0].value.quoted);
}

TEST_CASE("A byte-order mark and CRLF change nothing in a document") {
  CHECK(to_flow(parse_document("\xEF\xBB\xBF"
                               "a: 1\r\nb: [2, c]\r\n",
                               "f")) == "{a: 1, b: [2, c]}");
}

TEST_CASE("Aliases are written out, but cannot unfold into all of memory") {
  CHECK(to_flow(parse_document("a: &x {k: 1}\nb: *x\n", "f")) == "{a: {k: 1}, b: {k: 1}}");
  std::string bomb = "a0: &a0 [1, 1]\n";
  for (int i = 1; i < 40; ++i) {
    auto const before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before + "]\n";
  }
  CHECK_THROWS_WITH(parse_document(bomb, "f"), Catch::Contains("more than 1000000 values"));
}

TEST_CASE("Brackets without end are refused before they fill the memory; those of plain text and long lists of pairs are none") {
  for (std::string const piece : {"[", "{a: ", "x: ["}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += piece;
    CHECK_THROWS_WITH(parse_document(text, "s.yaml"), Catch::Contains("more than 10000 brackets are open (no format here nests so deep); check the brackets"));
  }
  std::string pairs = "steps: [[0, 1]";
  for (int i = 1; i < 20'000; ++i) pairs += ", [" + std::to_string(i) + ", 1]";
  CHECK(parse_document(pairs + "]", "s.yaml").find("steps")->members.size() == 20'000);
}

TEST_CASE("Deep nesting is refused, not followed until the stack ends") {
  CHECK_THROWS_WITH(parse_document(std::string(9'000, '['), "f"), Catch::StartsWith("f:1:") && Catch::Contains("more than 64 levels"));
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK_THROWS_WITH(parse_document(lines, "f"), Catch::Contains("more than 64 levels"));
}

TEST_CASE("An empty file, a key that is a list and text that is not UTF-8 are refused with their place") {
  CHECK_THROWS_WITH(parse_document("# nothing\n", "f"), "f:1:1: the file is empty; see scenarios/README.md for the keys it needs");
  CHECK_THROWS_WITH(parse_document("? [a]\n: 1\n", "f"), "f:1:3: a list stands where a key is needed; write key: value, with a space after the colon");
  CHECK_THROWS_WITH(parse_document("a: \xC3(\n", "f"), "f:1:4: not UTF-8 text (names and numbers cannot be read from it); save the file as UTF-8");
}

TEST_CASE("Damaged documents end in an InputError, never in a crash") {
  std::string const text = "a: &x {k: [1, 'b', \"c\"], d: |\n    e\n  }\nf: *x\n? g\n: - 1\n  - !!str 2\n%T x\n";
  for (std::size_t i = 0; i < text.size(); ++i)
    for (char const c : std::string("{}[]:,-?*&!|>'\"%@`# \n\t\\a")) {
      auto damaged = text;
      damaged[i] = c;
      for (auto const& candidate : {damaged, text.substr(0, i) + c}) {
        try {
          parse_document(candidate, "f");
        } catch (InputError const&) {
        }
      }
    }
  SUCCEED();
}

TEST_CASE("Edits by --set reach single values, list entries and missing maps, and take keys away") {
  auto root = parse_document("a: {b: [1, 2]}\nc: 3\n", "f");
  set_value(root, "a.b.1=x y");
  set_value(root, "new.deep.key={k: [1]}");
  set_value(root, "c=null");
  set_value(root, "sweep.a.b=[1, 2]");
  CHECK(to_flow(root) == "{a: {b: [1, x y]}, new: {deep: {key: {k: [1]}}}, sweep: {a.b: [1, 2]}}");
  CHECK(root.find("new")->find("deep")->find("key")->at.file == "--set new.deep.key={k: [1]}");
}

TEST_CASE("What is not strict YAML, and a bad --set, are refused with their place") {
  check_mistakes({
      {"a key twice",
       {{9, "seed: 1"}, {10, "seed: 2"}},
       {},
       "s.yaml:10:1: seed: this key is there twice, first on line 9 (only one of them could count); remove one"},
      {"a key twice deep inside",
       {{6, "  m: {draw: {all: {where: {}, weight: 1, weight: 2}}}"}},
       {},
       "s.yaml:6:42: mixes.m.draw.all.weight: this key is there twice, first on line 6 (only one of them could count); remove "
       "one"},
      {"--set without =", {}, {"seed"}, "--set seed: there is no = in it; write --set path.to.key=value"},
      {"--set without a value", {}, {"seed="}, "--set seed=: seed: there is no value; write --set path.to.key=value, or =null to take the key away"},
      {"--set of an unknown key", {}, {"mixes.m.job=3"}, "--set mixes.m.job=3: mixes.m.job: unknown key (it would have no effect); did you mean \"jobs\"?"},
      {"--set of a wrong value",
       {},
       {"mixes.m.jobs=many"},
       "--set mixes.m.jobs=many: mixes.m.jobs: \"many\" is not a number (1 to 1000000 is needed); write digits, '.' for "
       "decimals, and no unit"},
      {"--set beyond a list",
       {},
       {"policies.1=oracle"},
       "--set policies.1=oracle: policies.1: policies is a list of 1 and has no entry \"1\"; entries count from 0"},
      {"--set inside a value",
       {},
       {"policies.0.factor=2"},
       "--set policies.0.factor=2: policies.0.factor: policies.0 is \"proportional\", a single value without keys in it; set "
       "policies.0 as a whole"},
      {"--set with an empty step", {}, {"mixes..jobs=2"}, "--set mixes..jobs=2: mixes..jobs: an empty name in the path of the key; write path.to.key=value"},
      {"--set that is no YAML",
       {},
       {"policies=[a"},
       "--set policies=[a: policies: not valid YAML: end of sequence flow not found (nothing after it can be read); mend "
       "indentation, brackets or quotes here"},
      {"a broken bracket",
       {{7, "cuts: [0, 0.1"}},
       {},
       "s.yaml:8:9: not valid YAML: end of sequence flow not found (nothing after it can be read); mend indentation, brackets "
       "or quotes here"},
      {"a broken indentation",
       {{9, "pfi:"}, {10, "   source: measured"}, {11, "  grid: own"}},
       {},
       "s.yaml:11:3: not valid YAML: end of map not found (nothing after it can be read); mend indentation, brackets or "
       "quotes here"},
      {"a tag", {{9, "seed: !!int 3"}}, {}, "s.yaml:9:7: a YAML tag (tag:yaml.org,2002:int) has no meaning here; remove it"},
      {"a second document", {{9, "---"}, {10, "name: u"}}, {}, "s.yaml:10:1: a second YAML document begins (only one could be read); remove the line ---"},
  });
}
