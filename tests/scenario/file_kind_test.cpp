#include "wattfill/scenario/file_kind.hpp"

#include "support/catch.hpp"
#include "wattfill/scenario/document.hpp"

using namespace wattfill;

TEST_CASE("A document's kind is what it says, or what a curve library looks like") {
  CHECK(kind_of(parse_document("kind: timeline\n", "f")) == "timeline");
  CHECK(kind_of(parse_document("gpu: {model: A}\nprovenance: measured\n", "f")) == "curves");
  CHECK(kind_of(parse_document("kind: [a]\n", "f")).empty());
  CHECK(kind_of(parse_document("[a, b]\n", "f")).empty());
}

TEST_CASE("Documents of other kinds are sent to their command; unknown ones pass") {
  auto const refused = [](std::string const& text) { refuse_other_kinds(parse_document(text, "f.yaml"), {"snapshot", "timeline"}); };
  CHECK_NOTHROW(refused("kind: snapshot\n"));
  CHECK_NOTHROW(refused("kind: snapshort\n"));
  CHECK_NOTHROW(refused("a: 1\n"));
  CHECK_THROWS_WITH(refused("a: 1\nkind: contract\n"), "f.yaml:2:7: kind: a contract is settled on what a meter saw; use: wattfill contract METER.csv f.yaml");
  CHECK_THROWS_WITH(refused("kind: baseline\n"), "f.yaml:1:7: kind: a baseline is compared with results; use: wattfill regress DIR --baseline f.yaml");
  CHECK_THROWS_WITH(refused("kind: predictor\n"), "f.yaml:1:7: kind: a predictor is used by a study; name it in a scenario: pfi: {source: predicted, model: f.yaml}");
  CHECK_THROWS_WITH(refused("gpu: {}\nprovenance: measured\n"), "f.yaml:1:1: a curve library is used by a study; name it in a scenario: curves: [f.yaml]");
}
