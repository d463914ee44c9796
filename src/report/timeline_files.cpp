#include "wattfill/report/timeline_files.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "report/labels.hpp"
#include "report/text_table.hpp"

namespace wattfill {
namespace {

constexpr std::size_t flush_at = std::size_t{1} << 20;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

void add(std::string& row, double x) {
  row += ',';
  if (std::isfinite(x)) row += number_text(x);
}

}  // namespace

TimelineFiles::TimelineFiles(std::filesystem::path const& folder, std::vector<std::string> const& sweep_columns)
    : power_(folder / "power.csv"), jobs_(folder / "jobs.csv"), events_(folder / "events.csv"), folder_(folder) {
  auto const head = "policy,replication" + more_cells(sweep_columns);
  power_.write(head + ",time_s,limit_w,gpu_w,it_w,meter_w,meter_shown_w,limit_it_w,limit_meter_w\n");
  facility_header_ = head + ",component,energy_j,share,meaning\n";
  jobs_.write(head + ",job,submit_s,start_s,finish_s,energy_j,gpus,work_s,left_s,slowdown,deadline_s\n");
  events_.write(head + ",time_s,event,job,value\n");
}

void TimelineFiles::start(std::string const& policy, std::uint64_t replication, std::vector<std::string> const& sweep_values, Timeline const& timeline) {
  head_ = csv_cell(policy) + "," + std::to_string(replication) + more_cells(sweep_values);
  timeline_ = &timeline;
}

void TimelineFiles::write(OutputFile& file, std::string& text, bool all) {
  if (!all && text.size() < flush_at) return;
  file.write(text);
  text.clear();
}

void TimelineFiles::power(PowerRow const& row) {
  power_text_ += head_;
  for (double x : {row.time_s, row.limit_w, row.gpu_w, row.it_w, row.meter_w, row.meter_shown_w, row.limit_it_w, row.limit_meter_w}) add(power_text_, x);
  power_text_ += '\n';
  write(power_, power_text_, false);
}

void TimelineFiles::event(double time_s, EventKind kind, std::uint32_t job, double value) {
  events_text_ += head_;
  add(events_text_, time_s);
  events_text_ += "," + std::string(to_string(kind)) + "," + (job == no_job ? std::string() : csv_cell(timeline_->jobs()[job].id));
  auto const has_value = kind == EventKind::limit || kind == EventKind::limit_it || kind == EventKind::limit_meter || kind == EventKind::limit_rack ||
                         kind == EventKind::outdoor || kind == EventKind::aim || kind == EventKind::phase || kind == EventKind::fail_safe ||
                         kind == EventKind::cap || kind == EventKind::cap_acts || kind == EventKind::resize;
  add(events_text_, has_value ? value : none);
  events_text_ += '\n';
  write(events_, events_text_, false);
}

void TimelineFiles::job(std::uint32_t job, JobRow const& row) {
  auto const& what = timeline_->jobs()[job];
  jobs_text_ += head_ + "," + csv_cell(what.id);
  auto const slowdown = what.work_s > 0 ? (row.finish_s - row.start_s) / what.work_s : none;
  for (double x : {what.submit_s, row.start_s, row.finish_s, row.energy_j, row.gpus, what.work_s, row.left_s, slowdown, what.deadline_s}) add(jobs_text_, x);
  jobs_text_ += '\n';
  write(jobs_, jobs_text_, false);
}

void TimelineFiles::components(std::array<double, component_count> const& energy_j) {
  if (!facility_) facility_.emplace(folder_ / "facility.csv").write(facility_header_);
  double meter_j = 0;
  for (double joules : energy_j) meter_j += joules;
  std::string text;
  for (std::size_t c = 0; c < component_count; ++c) {
    text += head_ + "," + std::string(component_table()[c].name);
    add(text, energy_j[c]);
    add(text, meter_j > 0 ? energy_j[c] / meter_j : none);
    text += "," + csv_cell(std::string(component_table()[c].meaning)) + "\n";
  }
  facility_->write(text);
}

std::vector<std::string> TimelineFiles::commit() {
  write(power_, power_text_, true);
  write(jobs_, jobs_text_, true);
  write(events_, events_text_, true);
  power_.commit();
  jobs_.commit();
  events_.commit();
  std::vector<std::string> names{"power.csv", "jobs.csv", "events.csv"};
  if (facility_) {
    facility_->commit();
    names.emplace_back("facility.csv");
  }
  return names;
}

std::string timeline_header(std::vector<std::string> const& sweep_columns) {
  auto header = "policy,replication" + more_cells(sweep_columns);
  for (auto const& info : metric_table()) header += "," + std::string(info.column);
  return header + "\n";
}

std::string timeline_rows(TimelineStudySpec const& study, std::uint64_t replication, std::span<double const> metrics,
                          std::vector<std::string> const& sweep_values) {
  std::string rows;
  for (std::size_t p = 0; p < study.policies.size(); ++p) {
    rows += csv_cell(study.policies[p].shown()) + "," + std::to_string(replication) + more_cells(sweep_values);
    for (std::size_t m = 0; m < metric::count; ++m) add(rows, metrics[p * metric::count + m]);
    rows += '\n';
  }
  return rows;
}

std::string timeline_summary_header(std::vector<std::string> const& sweep_columns) {
  auto header = "policy" + more_cells(sweep_columns) + ",count";
  for (std::string const other : {"", "_vs_reference"})
    for (auto const& info : metric_table()) {
      auto const name = std::string(info.column) + other;
      header += "," + name + "," + name + "_low," + name + "_high";
    }
  return header + "\n";
}

std::string timeline_summary_rows(TimelineStudySpec const& study, TimelineStudyResult const& result, std::vector<std::string> const& sweep_values) {
  std::string rows;
  for (std::size_t p = 0; p < result.policies; ++p) {
    rows += csv_cell(study.policies[p].shown()) + more_cells(sweep_values) + "," + std::to_string(result.metrics.count());
    for (auto const* moments : {&result.metrics, &result.vs_reference})
      for (std::size_t m = 0; m < metric::count; ++m) {
        auto const there = moments->count() > 0;
        auto const mean = there ? moments->mean(result.column(p, m)) : none, half = there ? moments->half_width(result.column(p, m)) : none;
        for (double x : {mean, mean - half, mean + half}) add(rows, x);
      }
    rows += '\n';
  }
  return rows;
}

std::string timeline_table(TimelineStudySpec const& study, TimelineStudyResult const& result) {
  struct Shown {
    metric::Index index;
    char const* head;
    double scale;
    int digits;
  };
  static constexpr std::array shown{Shown{metric::finished, "finished", 1, 0},           Shown{metric::unfinished, "unfinished", 1, 0},
                                    Shown{metric::end_s, "end [h]", 1.0 / 3600, 2},      Shown{metric::energy_j, "energy [kWh]", 1 / 3.6e6, 1},
                                    Shown{metric::slowdown_mean, "slowdown", 1, 4},      Shown{metric::slowdown_worst, "worst", 1, 3},
                                    Shown{metric::wait_mean_s, "wait [s]", 1, 0},        Shown{metric::wait_p95_s, "p95", 1, 0},
                                    Shown{metric::deadline_misses, "late", 1, 1},        Shown{metric::budget_misses, "over budget", 1, 1},
                                    Shown{metric::over_limit_s, "over limit [s]", 1, 0}, Shown{metric::over_limit_j, "[kJ]", 1e-3, 0}};
  std::vector<std::vector<std::string>> rows{{"policy"}};
  for (auto const& s : shown) rows.front().emplace_back(s.head);
  for (std::size_t p = 0; p < result.policies; ++p) {
    auto& row = rows.emplace_back(std::vector<std::string>{study.policies[p].shown()});
    for (auto const& s : shown) row.push_back(fixed(s.scale * result.metrics.mean(result.column(p, s.index)), s.digits));
  }
  auto const n = result.metrics.count();
  return std::to_string(n) + (n == 1 ? " replication" : " replications") + "\n" + aligned(rows) + "\n";
}

}  // namespace wattfill
