#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace wattfill {

/// What is reported of one run of a timeline under one policy, in the order of the columns of replications.csv. NaN (an empty cell): there is no such number.
namespace metric {
enum Index : std::size_t {
  finished,           ///< jobs finished
  unfinished,         ///< jobs submitted and not finished at the end
  end_s,              ///< end of the run
  energy_j,           ///< energy of all GPUs: jobs, overhead and idle
  energy_jobs_j,      ///< while jobs work
  energy_overhead_j,  ///< while jobs write or load checkpoints or are paused
  energy_idle_j,      ///< of GPUs that no job has
  tokens,             ///< work done, in the libraries' unit of work (speed unit x s)
  tokens_per_j,       ///< tokens / energy_j
  slowdown_mean,      ///< of finished jobs with work: run time / work
  slowdown_worst,     ///< of those the largest
  wait_mean_s,        ///< start less submission, of started jobs
  wait_p50_s,
  wait_p95_s,
  wait_p99_s,
  lost_work_s,            ///< work done again after pauses and resizes
  deadline_misses,        ///< jobs not finished by their deadline, of those whose deadline has passed
  budget_misses,          ///< finished jobs that lost more speed than their flex budget allows
  over_limit_s,           ///< time with a draw above the limit (by more than 1e-9 of it)
  over_limit_j,           ///< energy above the limit
  over_1pct_s,            ///< time with a draw more than 1 % above the limit
  over_peak_w,            ///< the largest excess over the limit
  unused_j,               ///< energy below the limit while it binds, of what the jobs would have drawn
  time_to_limit_s,        ///< longest time from a fall of the limit until the draw was under it
  requested_j,            ///< reduction asked for: what the jobs would draw uncapped less the limit, where that is positive
  delivered_j,            ///< reduction at the same times: uncapped less the draw
  rebound_w,              ///< highest draw in the hour after the limit stopped to bind less the draw before it began to
  peak_w,                 ///< highest draw
  cost_usd,               ///< energy at the price of its time: of the meter where there is a facility
  co2_kg,                 ///< energy at the carbon intensity of its time, likewise
  events,                 ///< events of the run
  it_j,                   ///< energy of the IT load; this and what follows needs a facility
  meter_j,                ///< energy that the meter shows
  pue,                    ///< meter_j / it_j
  meter_saved_per_gpu_j,  ///< what the meter saved beside everyone uncapped / what the GPUs saved, in steady watts; empty where they saved nothing
  meter_per_gpu_w,        ///< mean over time of the slope of the meter against the GPUs' draw
  meter_peak_w,           ///< highest power that the meter shows
  meter_over_s,           ///< time that the meter shows more than its limit (by more than 1e-9 of it), while fans and cooling lag behind
  meter_over_j,           ///< energy that it shows above
  settled_required_wh,    ///< reduction that was owed under the contract; this and what follows needs one
  settled_delivered_wh,   ///< that its baseline proves, up to nothing or more than owed
  settled_shortfall_wh,   ///< what is short of the obligation
  settled_performance,    ///< delivered, at most the obligation, over the obligation
  settled_usd,            ///< payments less penalties
  baseline_rrmse,         ///< error of the baseline over placebo events, mean over events; empty without any
  count
};
}  // namespace metric

struct MetricInfo {
  std::string_view column;
  std::string_view meaning;
};
/// Column name and meaning of every metric, indexed by metric::Index.
std::array<MetricInfo, metric::count> const& metric_table();

using TimelineMetrics = std::array<double, metric::count>;

}  // namespace wattfill
