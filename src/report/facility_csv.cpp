#include "report/labels.hpp"
#include "wattfill/facility/facility.hpp"
#include "wattfill/report/study_files.hpp"

namespace wattfill {

std::string facility_header(std::vector<std::string> const& sweep_columns) {
  std::string header = "mix,policy,cut" + more_cells(sweep_columns);
  for (auto const& component : component_table()) header += "," + std::string(component.name) + "_w";
  return header + ",it_w,meter_w,pue,meter_per_gpu_w\n";
}

std::string facility_rows(StudySpec const& study, std::span<MixAllocation const> allocations, std::vector<std::string> const& sweep_values) {
  Facility const facility(study.metering->facility);
  auto const gpus_per_node = facility.spec().gpus;
  std::string rows;
  for (auto const& allocation : allocations) {
    std::vector<NodeLoad> loads;
    double nodes = 0;
    for (auto const& cls : allocation.classes) {
      loads.push_back({cls.jobs * cls.cls.curve->gpus / gpus_per_node, gpus_per_node * cls.draw_w});
      nodes += loads.back().nodes;
    }
    auto const ledger = facility.ledger(loads);
    rows += csv_cell(allocation.mix) + "," + csv_cell(allocation.policy) + "," + cut_cell(allocation.target) + more_cells(sweep_values);
    for (double w : ledger.watts) rows += "," + number_text(w);
    for (double x : {ledger.it_w(), ledger.meter_w(), ledger.pue(), facility.marginal(nodes, ledger[Component::gpu])}) rows += "," + number_text(x);
    rows += "\n";
  }
  return rows;
}

}  // namespace wattfill
