#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattfill/fill/fill_plan.hpp"
#include "wattfill/policy/demand.hpp"
#include "wattfill/policy/policy_spec.hpp"

namespace wattfill {

/// Divides watts among demand classes: a pure function, shared by all threads (arXiv:2609.11542 section 6 for the paper's own rules; model in src/README.md).
class Policy {
 public:
  virtual ~Policy() = default;
  Policy() = default;
  Policy(Policy const&) = delete;
  Policy& operator=(Policy const&) = delete;

  /// The path from everyone at the floor to everyone uncapped, as draws of one GPU of each demand; answers any budget for any number of jobs per demand.
  virtual FillPlan prepare(std::span<Demand const> demands) const = 0;

  /// The class between two knots is split: some jobs at one knot's draw, some at the other's, at most one between. True for the oracle and for curve-aware.
  virtual bool splits() const { return false; }
};

/// What a rule looks at: what it need not be asked for again when beliefs change.
enum class Looks { at_watts, at_flexibility, at_truth };

/// A rule that can be named in a scenario.
struct PolicyEntry {
  std::string_view name;
  std::string_view summary;  ///< one line for `wattfill policies`
  std::string_view options;  ///< the options it takes, comma-separated: factor, where, feature, per, curtail, pfi
  std::unique_ptr<Policy> (*make)(PolicySpec const&);
  Looks looks;
};

/// Every rule, in the order of the docs.
std::span<PolicyEntry const> policy_registry();

/// What the rule of this spec looks at; a name that is not known: at_watts. A rule of the program's own: at_flexibility.
Looks looks_of(PolicySpec const& spec);

/// The path of a rule of the program's own, as draws of one GPU [W] at its knots: rows[k x demands + d], linear between. The first row is every floor, the last
/// every uncapped draw, and no draw falls from row to row; what differs from that by up to 1e-9 of the uncapped draw is rounding and is put right. Throws
/// InputError that names row and curve.
FillPlan path_of_draws(std::span<Demand const> demands, std::span<double const> rows);

/// The same where the rule says the share of the cut that each job bears, one whole job each, >= 0: the rule of `expression`.
FillPlan path_of_shares(std::span<Demand const> demands, std::span<double const> shares);

/// Throws InputError for an unknown name, a missing or a foreign option, or a formula that does not parse.
std::unique_ptr<Policy> make_policy(PolicySpec const& spec);

}  // namespace wattfill
