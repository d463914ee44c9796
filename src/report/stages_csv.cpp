#include "report/labels.hpp"
#include "wattfill/report/study_files.hpp"

namespace wattfill {

std::string stages_header(std::vector<std::string> const& sweep_columns) {
  return "mix,policy,cut" + more_cells(sweep_columns) + ",curve,jobs,draw_w,stage,stage_w\n";
}

std::string stages_rows(std::span<MixAllocation const> allocations, std::vector<std::string> const& sweep_values,
                        std::function<std::vector<double> const*(Allocation const&)> const& stages_of) {
  std::string rows;
  for (auto const& allocation : allocations)
    for (auto const& a : allocation.classes) {
      auto const* const stage_w = stages_of(a);
      if (stage_w == nullptr) continue;
      auto const head = csv_cell(allocation.mix) + "," + csv_cell(allocation.policy) + "," + cut_cell(allocation.target) + more_cells(sweep_values) + "," +
                        csv_cell(a.cls.curve->id()) + "," + number_text(a.jobs) + "," + number_text(a.draw_w) + ",";
      for (std::size_t stage = 0; stage < stage_w->size(); ++stage) rows += head + std::to_string(stage) + "," + number_text((*stage_w)[stage]) + "\n";
    }
  return rows;
}

}  // namespace wattfill
