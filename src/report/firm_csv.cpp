#include "report/labels.hpp"
#include "report/text_table.hpp"
#include "wattfill/report/timeline_files.hpp"
#include "wattfill/study/quantile_ranks.hpp"

namespace wattfill {

std::string firm_header(std::vector<std::string> const& sweep_columns) {
  return "policy,measured,speed_loss,hour,duration_h,confidence" + more_cells(sweep_columns) +
         ",runs,promised_w,promised_w_low,promised_w_high,mean_given_w,mean_uncapped_w,promised_share,runs_needed\n";
}

std::string firm_rows(TimelineStudySpec const& study, std::vector<FirmPromise> const& promises, std::vector<std::string> const& sweep_values) {
  auto const places = firm_places(*study.firm);
  std::string rows;
  for (auto const& p : promises) {
    auto const promised = p.reduction_w.value_or(Estimate::none());
    rows += csv_cell(study.policies[p.policy].shown()) + "," + to_string(places[p.place]);
    for (double x : {p.speed_loss, p.hour, p.duration_h, p.confidence}) rows += "," + number_text(x);
    rows += more_cells(sweep_values) + "," + std::to_string(p.runs);
    for (double x : {promised.value, promised.low, promised.high, p.mean_w, p.mean_uncapped_w, promised.value / p.mean_uncapped_w})
      rows += "," + number_text(x);
    rows += "," + std::to_string(least_count(1 - p.confidence)) + "\n";
  }
  return rows;
}

std::string firm_table(TimelineStudySpec const& study, std::vector<FirmPromise> const& promises) {
  auto const places = firm_places(*study.firm);
  std::vector<std::vector<std::string>> rows{{"policy", "measured", "loss", "hour", "h", "confidence", "promised [kW]", "low", "high", "mean"}};
  for (auto const& p : promises) {
    rows.push_back({study.policies[p.policy].shown(), to_string(places[p.place]), number_text(p.speed_loss), number_text(p.hour), number_text(p.duration_h),
                    number_text(p.confidence)});
    if (!p.reduction_w) {
      rows.back().insert(rows.back().end(), {"needs " + std::to_string(least_count(1 - p.confidence)) + " runs", "", "", fixed(p.mean_w / 1e3, 1)});
      continue;
    }
    for (double x : {p.reduction_w->value, p.reduction_w->low, p.reduction_w->high, p.mean_w}) rows.back().push_back(fixed(x / 1e3, 1));
  }
  return aligned(rows) + "\n";
}

}  // namespace wattfill
