#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "wattfill/curve/curve_filter.hpp"

namespace wattfill {

class Policy;

/// What a policy is told of the jobs' flexibility, beside the study's beliefs as they are.
enum class Knowledge {
  believed,    ///< what the study says one believes
  perfect,     ///< the measured truth
  shrunk,      ///< beliefs shrunk to the mean by how much one trusts them
  safe,        ///< agreed speeds are broken with a stated probability at most: a higher floor where one may be wrong
  shrunk_safe  ///< both
};

inline constexpr std::size_t knowledge_kinds = 5;

/// One entry of a study's `policies`: which rule, under which name in the results, with which options. Options that the rule does not know are refused when
/// the policy is made.
struct PolicySpec {
  std::string name;      ///< name in the registry: equal-split, proportional, ...
  std::string label;     ///< name in the results; empty: `name`
  bool pfi_off = false;  ///< `pfi: 1`: every job's PFI counts as 1 (the ablation)
  double factor = 2;     ///< class-weighted: the named classes' share of the cut, > 0
  CurveFilter where;     ///< class-weighted: the named classes
  std::string feature;   ///< telemetry: name of the raw feature
  bool per_job = false;  ///< telemetry, `per: job`: proportional to the feature alone instead of P_max x feature
  std::string curtail;   ///< expression: the formula of a job's share of the cut
  Knowledge knows = Knowledge::believed;
  /// A rule of the program that uses the library, which no registry knows; it then takes no option, and `name` is free. It is told what the study believes.
  std::shared_ptr<Policy const> own = {};

  std::string const& shown() const { return label.empty() ? name : label; }
  bool operator==(PolicySpec const&) const = default;
};

}  // namespace wattfill
