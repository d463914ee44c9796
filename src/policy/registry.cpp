#include <algorithm>
#include <array>

#include "policy/rules.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"

namespace wattfill {
namespace {

constexpr std::array<PolicyEntry, 12> entries{{
    {"equal-split", "one draw ceiling per GPU for all (one nvidia-smi -pl value for the cluster)", "", make_equal_split, Looks::at_watts},
    {"proportional", "the same fraction of uncapped draw for all (the paper's equal weight)", "", make_proportional, Looks::at_watts},
    {"class-weighted", "cut in proportion to P_max, times factor for the named classes", "factor, where", make_class_weighted, Looks::at_watts},
    {"telemetry", "cut in proportion to P_max x a raw telemetry feature (per: job: the feature alone)", "feature, per", make_telemetry, Looks::at_watts},
    {"pfi-paper", "cut in proportion to (P_max / T_max) x PFI: eq. 2 of arXiv:2609.11542 as printed", "pfi", make_pfi_paper, Looks::at_flexibility},
    {"pfi-aware", "cut in proportion to P_max^2 x PFI / V: eq. 2 made consistent in size and unit", "pfi", make_pfi_aware, Looks::at_flexibility},
    {"pfi-ranked", "classes in descending PFI go down to their floor, one after the other", "", make_pfi_ranked, Looks::at_flexibility},
    {"headroom-fair", "the same fraction of each job's headroom, uncapped draw to floor", "", make_headroom_fair, Looks::at_watts},
    {"quadratic", "marginal filling on the believed quadratic response (two numbers a job)", "", make_quadratic, Looks::at_flexibility},
    {"curve-aware", "marginal filling on the concave hull of the believed curve (the whole curve of a job)", "", make_curve_aware, Looks::at_flexibility},
    {"expression", "cut in proportion to your own formula", "curtail, pfi", make_expression, Looks::at_flexibility},
    {"oracle", "the optimum with the true curves: marginal filling on their concave hulls", "", make_oracle, Looks::at_truth},
}};

bool takes(PolicyEntry const& entry, std::string_view option) {
  std::string_view rest = entry.options;
  while (!rest.empty()) {
    auto const comma = rest.find(", ");
    if (rest.substr(0, comma) == option) return true;
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 2);
  }
  return false;
}

}  // namespace

std::span<PolicyEntry const> policy_registry() { return entries; }

Looks looks_of(PolicySpec const& spec) {
  if (spec.own) return Looks::at_flexibility;
  auto const entry = std::ranges::find(entries, spec.name, &PolicyEntry::name);
  return entry == entries.end() ? Looks::at_watts : entry->looks;
}

std::unique_ptr<Policy> make_policy(PolicySpec const& spec) {
  if (spec.own) return share_own(spec.own);
  auto const entry = std::ranges::find(entries, spec.name, &PolicyEntry::name);
  if (entry == entries.end()) throw InputError({{}, "policies", "there is no policy " + quotation(spec.name) + "; `wattfill policies` lists them"});
  auto const foreign = [&](std::string_view option, bool given) {
    if (given && !takes(*entry, option))
      throw InputError({{}, "policies." + spec.shown(), "policy " + spec.name + " takes no option " + quotation(option) + "; remove it"});
  };
  foreign("pfi", spec.pfi_off);
  foreign("factor", spec.factor != PolicySpec{}.factor);
  foreign("where", spec.where != CurveFilter{});
  foreign("feature", !spec.feature.empty());
  foreign("per", spec.per_job);
  foreign("curtail", !spec.curtail.empty());
  auto const needed = [&](std::string_view option, bool given) {
    if (!given && spec.name == (option == "feature" ? "telemetry" : "expression"))
      throw InputError({{}, "policies." + spec.shown(), "policy " + spec.name + " needs the option " + quotation(option)});
  };
  needed("feature", !spec.feature.empty());
  needed("curtail", !spec.curtail.empty());
  return entry->make(spec);
}

}  // namespace wattfill
