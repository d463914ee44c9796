#include "wattfill/report/quantiles_csv.hpp"

#include <algorithm>

#include "report/labels.hpp"

namespace wattfill {

std::string quantiles_header(std::vector<std::string> const& sweep_columns, bool metered) {
  std::string header = "mix,policy,cut" + more_cells(sweep_columns) + ",quantile,count";
  for (std::size_t s = 0; s < (metered ? score::metered_count : score::count); ++s) header += "," + std::string(score_table()[s].column);
  return header + ",relative_error\n";
}

std::string quantiles_rows(StudySpec const& study, Quantiles const& quantiles, std::span<double const> shares, std::vector<std::string> const& sweep_values,
                           bool metered) {
  auto const targets = targets_of(study);
  std::string rows;
  for (std::size_t m = 0; m < study.mixes.size(); ++m)
    for (std::size_t p = 0; p < study.policies.size(); ++p)
      for (std::size_t t = 0; t < targets.size(); ++t)
        for (double share : shares) {
          rows += csv_cell(study.mixes[m].name) + "," + csv_cell(study.policies[p].shown()) + "," + cut_cell(targets[t]) + more_cells(sweep_values) + "," +
                  number_text(share) + "," + std::to_string(quantiles.of(m, p, t, score::power_w).count());
          double error = 0;
          for (std::size_t s = 0; s < (metered ? score::metered_count : score::count); ++s) {
            rows += ",";
            if (s >= quantiles.scores()) continue;
            auto const& counts = quantiles.of(m, p, t, s);
            rows += number_text(counts.quantile(share));
            error = std::max(error, counts.relative_error());
          }
          rows += "," + number_text(error) + "\n";
        }
  return rows;
}

}  // namespace wattfill
