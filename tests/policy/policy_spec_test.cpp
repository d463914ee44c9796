#include "wattfill/policy/policy_spec.hpp"

#include <set>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/policies.hpp"

using namespace wattfill;
using namespace wattfill::testing;

TEST_CASE("a policy is shown under its label, else under its name") {
  CHECK(policy("oracle").shown() == "oracle");
  CHECK(labelled(policy("oracle"), "best").shown() == "best");
}

TEST_CASE("the registry holds the twelve rules, once each, and every one can be made and says what it does") {
  std::set<std::string> names;
  for (auto const& entry : policy_registry()) {
    CHECK(names.insert(std::string(entry.name)).second);
    CHECK_FALSE(entry.summary.empty());
  }
  CHECK(names == std::set<std::string>{"equal-split", "proportional", "class-weighted", "telemetry", "pfi-paper", "pfi-aware", "pfi-ranked", "headroom-fair",
                                       "quadratic", "curve-aware", "expression", "oracle"});
  for (auto const& spec : every_policy()) CHECK(make_policy(spec)->splits() == (spec.name == "oracle" || spec.name == "curve-aware"));
}

TEST_CASE("an unknown rule is refused with the way to list them") {
  auto const text = refusal([] { make_policy(policy("magic")); });
  CHECK(contains(text, "\"magic\""));
  CHECK(contains(text, "wattfill policies"));
}

TEST_CASE("an option that a rule does not have is refused, for every rule and option") {
  struct Option {
    std::string name;
    void (*give)(PolicySpec&);
    std::set<std::string> takers;
  };
  Option const options[] = {
      {"pfi", [](PolicySpec& s) { s.pfi_off = true; }, {"pfi-paper", "pfi-aware", "expression"}},
      {"factor", [](PolicySpec& s) { s.factor = 3; }, {"class-weighted"}},
      {"where", [](PolicySpec& s) { s.where.model = "m"; }, {"class-weighted"}},
      {"feature", [](PolicySpec& s) { s.feature = "dram"; }, {"telemetry"}},
      {"per", [](PolicySpec& s) { s.per_job = true; }, {"telemetry"}},
      {"curtail", [](PolicySpec& s) { s.curtail = "p_max"; }, {"expression"}},
  };
  for (auto const& option : options)
    for (auto spec : every_policy()) {
      CAPTURE(option.name, spec.name);
      option.give(spec);
      auto const text = refusal([&] { make_policy(spec); });
      if (option.takers.count(spec.name) > 0) {
        CHECK(text.empty());
      } else {
        CHECK(contains(text, spec.name));
        CHECK(contains(text, "\"" + option.name + "\""));
      }
    }
}

TEST_CASE("a rule without the option it needs is refused") {
  CHECK(contains(refusal([] { make_policy(policy("telemetry")); }), "needs the option \"feature\""));
  CHECK(contains(refusal([] { make_policy(policy("expression")); }), "needs the option \"curtail\""));
}
