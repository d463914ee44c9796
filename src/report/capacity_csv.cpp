#include "report/labels.hpp"
#include "wattfill/report/study_files.hpp"
#include "wattfill/study/quantile_ranks.hpp"

namespace wattfill {

std::string capacity_header(std::vector<std::string> const& sweep_columns) {
  return "mix,policy,speed_loss,confidence" + more_cells(sweep_columns) +
         ",mixes,promised_w,promised_w_low,promised_w_high,mean_uncapped_w,promised_share,share_censored,mixes_needed\n";
}

std::string capacity_rows(StudySpec const& study, std::vector<Promise> const& promises, std::vector<std::string> const& sweep_values) {
  std::string rows;
  for (auto const& p : promises) {
    auto const promised = p.reduction_w.value_or(Estimate::none());
    rows += csv_cell(study.mixes[p.mix].name) + "," + csv_cell(study.policies[p.policy].shown()) + "," + number_text(p.speed_loss) + "," +
            number_text(p.confidence) + more_cells(sweep_values) + "," + std::to_string(p.mixes);
    for (double x : {promised.value, promised.low, promised.high, p.mean_uncapped_w, promised.value / p.mean_uncapped_w, p.censored})
      rows += "," + number_text(x);
    rows += "," + std::to_string(least_count(1 - p.confidence)) + "\n";
  }
  return rows;
}

}  // namespace wattfill
