#include <algorithm>

#include "wattfill/scenario/snapshot_builder.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

/// The options that each rule has beside name and label, and which of them it cannot do without.
struct Options {
  std::string rule;
  std::vector<std::string> has, needs;
};

std::vector<Options> const& options() {
  static std::vector<Options> const table{{"class-weighted", {"factor", "where"}, {"where"}},
                                          {"telemetry", {"feature", "per"}, {"feature"}},
                                          {"pfi-paper", {"pfi"}, {}},
                                          {"pfi-aware", {"pfi"}, {}},
                                          {"expression", {"curtail", "pfi"}, {"curtail"}}};
  return table;
}

}  // namespace

PolicySpec build_policy(PolicyFields const& p, Reading& reading) {
  auto const row = std::ranges::find(options(), p.name, &Options::rule);
  auto const known = row == options().end() ? Options{} : *row;
  auto const check = [&](std::string const& option, bool given) {
    auto const at = Place{p.place.at, joined_key(p.place.key, option)};
    if (given && std::ranges::find(known.has, option) == known.has.end()) {
      if (p.name == "pfi-ranked" && option == "pfi")
        reading.refuse(at, "pfi-ranked has no pfi option (with all PFI equal there is no rank left); remove it, or use pfi-aware with pfi: 1");
      else
        reading.refuse(at, p.name + " has no option " + option + " (it would have no effect); remove it" +
                               (known.has.empty() ? "" : ", the options of " + p.name + " are: " + listed(known.has)));
    }
    if (!given && std::ranges::find(known.needs, option) != known.needs.end())
      reading.refuse(at, "this option is missing (" + p.name + " cannot do without it); add it");
  };
  check("factor", p.factor.has_value());
  check("where", p.where.has_value());
  check("feature", p.feature.has_value());
  check("per", p.per.has_value());
  check("curtail", p.curtail.has_value());
  check("pfi", p.pfi.has_value());
  if (p.pfi && *p.pfi != 1)
    reading.refuse({p.place.at, joined_key(p.place.key, "pfi")},
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
  return spec;
}

}  // namespace wattfill
