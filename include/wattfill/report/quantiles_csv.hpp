#pragma once
#include <span>
#include <string>
#include <vector>

#include "wattfill/study/quantiles.hpp"

namespace wattfill {

/// quantiles.csv: a row per mix, policy, target, sweep point and quantile, with that quantile over replications of every score. `relative_error`: the largest
/// of the row's, 0 where all are exact.
std::string quantiles_header(std::vector<std::string> const& sweep_columns, bool metered);
std::string quantiles_rows(StudySpec const& study, Quantiles const& quantiles, std::span<double const> shares, std::vector<std::string> const& sweep_values,
                           bool metered);

}  // namespace wattfill
