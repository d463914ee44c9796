#include <algorithm>

#include "wattfill/policy/policy.hpp"
#include "wattfill/scenario/snapshot_builder.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

/// Which option a rule cannot do without.
bool needs(std::string const& rule, std::string const& option) {
  return (rule == "class-weighted" && option == "where") || (rule == "telemetry" && option == "feature") || (rule == "expression" && option == "curtail");
}

std::vector<std::string> options_of(std::string const& rule) {
  std::vector<std::string> options;
  for (auto const& entry : policy_registry()) {
    if (entry.name != rule) continue;
    for (auto rest = entry.options; !rest.empty();) {
      auto const comma = std::min(rest.find(", "), rest.size());
      options.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 2, rest.size()));
    }
  }
  return options;
}

}  // namespace

PolicySpec build_policy(PolicyFields const& p, Reading& reading) {
  auto const before = reading.problems.size();
  auto const has = options_of(p.name);
  auto const check = [&](std::string const& option, bool given) {
    auto const at = Place{p.place.at, joined_key(p.place.key, option)};
    if (given && std::ranges::find(has, option) == has.end()) {
      if (p.name == "pfi-ranked" && option == "pfi")
        reading.refuse(at, "pfi-ranked has no pfi option (with all PFI equal there is no rank left); remove it, or use pfi-aware with pfi: 1");
      else
        reading.refuse(at, p.name + " has no option " + option + " (it would have no effect); remove it" +
                               (has.empty() ? "" : ", the options of " + p.name + " are: " + listed(has)));
    }
    if (!given && needs(p.name, option)) reading.refuse(at, "this option is missing (" + p.name + " cannot do without it); add it");
  };
  check("factor", p.factor.has_value());
  check("where", p.where.has_value());
  check("feature", p.feature.has_value());
  check("per", p.per.has_value());
  check("curtail", p.curtail.has_value());
  check("pfi", p.pfi.has_value());
  if (p.pfi && *p.pfi != 1)
    reading.refuse(
        {p.place.at, joined_key(p.place.key, "pfi")},
        number_text(*p.pfi) + " is not possible (a common factor of all PFI cancels, so only 1 has a meaning: PFI switched off); write 1 or remove it");

  PolicySpec spec;
  spec.name = p.name;
  spec.label = p.label.value_or("");
  spec.pfi_off = p.pfi.has_value();
  spec.factor = p.factor.value_or(2);
  if (p.where) spec.where = filter_of(*p.where);
  if (p.feature) spec.feature = p.feature->value;
  spec.per_job = p.per == TelemetryPer::job;
  spec.curtail = p.curtail.value_or("");
  spec.knows = p.knows.value_or(Knowledge::believed);
  if (reading.problems.size() != before) return spec;
  try {
    make_policy(spec);
  } catch (InputError const& error) {  // a formula that does not parse
    auto const& problem = error.problems().front();
    reading.refuse({p.place.at, joined_key(p.place.key, p.curtail ? "curtail" : "name")}, problem.what);
  }
  return spec;
}

std::vector<std::string> known_policies() {
  std::vector<std::string> names;
  for (auto const& entry : policy_registry()) names.emplace_back(entry.name);
  return names;
}

}  // namespace wattfill
