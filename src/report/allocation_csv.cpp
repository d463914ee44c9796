#include "report/labels.hpp"
#include "wattfill/report/study_files.hpp"

namespace wattfill {

std::string allocation_header(std::vector<std::string> const& sweep_columns) {
  return "mix,policy,cut" + more_cells(sweep_columns) + ",curve,job_priority,agreed_speed,jobs,gpus_per_job,draw_w,cap_w,speed_normalized\n";
}

std::string allocation_rows(std::span<MixAllocation const> allocations, std::vector<std::string> const& sweep_values) {
  std::string rows;
  for (auto const& allocation : allocations) {
    auto const head = csv_cell(allocation.mix) + "," + csv_cell(allocation.policy) + "," + cut_cell(allocation.target) + more_cells(sweep_values) + ",";
    for (auto const& a : allocation.classes) {
      rows += head + csv_cell(a.cls.curve->id());
      for (double x : {a.cls.terms.priority, a.cls.terms.min_speed, a.jobs, a.cls.curve->gpus, a.draw_w, a.cap_w, a.speed}) rows += "," + number_text(x);
      rows += "\n";
    }
  }
  return rows;
}

}  // namespace wattfill
