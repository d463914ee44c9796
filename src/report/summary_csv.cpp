#include <array>
#include <cmath>
#include <string_view>

#include "report/labels.hpp"
#include "wattfill/report/study_files.hpp"

namespace wattfill {
namespace {

/// Scores whose paired differences say something; the others are the same for all policies or only one policy's.
constexpr std::array compared{score::power_w,   score::speed,     score::speed_per_job, score::speed_normalized, score::speed_gpu, score::speed_p5,
                              score::speed_min, score::objective, score::share_worse,   score::share_below_min,  score::jain_index};

void add_number(std::string& row, double x) { row += "," + number_text(x); }
void add_estimate(std::string& row, Estimate const& e) {
  for (double x : {e.value, e.low, e.high}) add_number(row, x);
}
/// low and high around a mean.
void add_mean(std::string& row, Moments const& moments, std::size_t column) {
  auto const mean = moments.mean(column), half = moments.half_width(column);
  add_estimate(row, {mean, mean - half, mean + half});
}

/// How much of the spread of an estimate is the one of other curves: squared widths of 95 % ranges, that of other curves over the sum of both.
double outer_share(double outer_width, double inner_width) { return outer_width * outer_width / (outer_width * outer_width + inner_width * inner_width); }

}  // namespace

std::string summary_header(std::vector<std::string> const& sweep_columns, bool metered) {
  std::string header = "mix,policy,cut" + more_cells(sweep_columns) + ",count";
  auto const interval = [&](std::string const& name) { header += "," + name + "," + name + "_low," + name + "_high"; };
  for (std::size_t s = 0; s < score::count; ++s) interval(std::string(score_table()[s].column));
  for (std::string_view other : {"_vs_reference", "_vs_oracle"})
    for (auto s : compared) interval(std::string(score_table()[s].column) + std::string(other));
  interval("gap_closed");
  interval("gap_closed_outer");
  interval("objective_value_outer");
  interval("share_below_min_outer");
  interval("shortfall_w_outer");
  header += ",outer_draws,gap_closed_outer_share,objective_value_outer_share";
  for (std::size_t s = score::count; metered && s < score::metered_count; ++s) interval(std::string(score_table()[s].column));
  return header + "\n";
}

std::string summary_rows(StudySpec const& study, StudyResult const& result, std::vector<std::string> const& sweep_values, bool metered) {
  auto const targets = targets_of(study);
  std::string rows;
  for (auto const& mix : result.mixes) {
    for (std::size_t p = 0; p < result.policies; ++p) {
      for (std::size_t t = 0; t < result.targets; ++t) {
        rows += csv_cell(mix.name) + "," + csv_cell(study.policies[p].shown()) + "," + cut_cell(targets[t]) + more_cells(sweep_values) + "," +
                std::to_string(mix.scores.count());
        for (std::size_t s = 0; s < score::count; ++s) add_mean(rows, mix.scores, result.column(p, t, s));
        for (auto const* differences : {&mix.vs_reference, &mix.vs_oracle})
          for (auto s : compared) differences->count() > 0 ? add_mean(rows, *differences, result.column(p, t, s)) : add_estimate(rows, Estimate::none());
        for (auto const* estimates : {&mix.gap_closed, &mix.gap_closed_outer, &mix.objective_outer, &mix.below_min_outer, &mix.shortfall_outer})
          add_estimate(rows, estimates->empty() ? Estimate::none() : (*estimates)[p * result.targets + t]);
        rows += "," + (mix.outer_used > 0 ? std::to_string(mix.outer_used) : std::string());
        auto const width = [&](std::vector<Estimate> const& estimates) {
          auto const e = estimates.empty() ? Estimate::none() : estimates[p * result.targets + t];
          return e.high - e.low;
        };
        add_number(rows, outer_share(width(mix.gap_closed_outer), width(mix.gap_closed)));
        // of one mix, not of the mean of all: 2 x 1.96 standard deviations
        auto const one_mix = 2 * mix.scores.half_width(result.column(p, t, score::objective)) * std::sqrt(static_cast<double>(mix.scores.count()));
        add_number(rows, outer_share(width(mix.objective_outer), one_mix));
        for (std::size_t s = score::count; metered && s < score::metered_count; ++s)
          result.scores > s ? add_mean(rows, mix.scores, result.column(p, t, s)) : add_estimate(rows, Estimate::none());
        rows += "\n";
      }
    }
  }
  return rows;
}

}  // namespace wattfill
