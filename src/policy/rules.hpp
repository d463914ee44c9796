#pragma once
#include <memory>

#include "wattfill/policy/policy.hpp"

namespace wattfill {

// One maker per file of this folder; the registry lists them.
std::unique_ptr<Policy> make_equal_split(PolicySpec const&);
std::unique_ptr<Policy> make_proportional(PolicySpec const&);
std::unique_ptr<Policy> make_headroom_fair(PolicySpec const&);
std::unique_ptr<Policy> make_class_weighted(PolicySpec const&);
std::unique_ptr<Policy> make_telemetry(PolicySpec const&);
std::unique_ptr<Policy> make_pfi_paper(PolicySpec const&);
std::unique_ptr<Policy> make_pfi_aware(PolicySpec const&);
std::unique_ptr<Policy> make_pfi_ranked(PolicySpec const&);
std::unique_ptr<Policy> make_quadratic(PolicySpec const&);
std::unique_ptr<Policy> make_curve_aware(PolicySpec const&);
std::unique_ptr<Policy> make_expression(PolicySpec const&);
std::unique_ptr<Policy> make_oracle(PolicySpec const&);

/// A rule of the program's own, which many may hold.
std::unique_ptr<Policy> share_own(std::shared_ptr<Policy const> own);

}  // namespace wattfill
