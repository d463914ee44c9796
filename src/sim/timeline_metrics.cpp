#include "wattfill/sim/timeline_metrics.hpp"

namespace wattfill {

std::array<MetricInfo, metric::count> const& metric_table() {
  static constexpr std::array<MetricInfo, metric::count> table{{
      {"finished", "jobs finished"},
      {"unfinished", "jobs submitted and not finished at the end"},
      {"end_s", "end of the run [s]"},
      {"energy_j", "energy of all GPUs: jobs, overhead and idle [J]"},
      {"energy_jobs_j", "energy while jobs work [J]"},
      {"energy_overhead_j", "energy while jobs write or load checkpoints or are paused [J]"},
      {"energy_idle_j", "energy of GPUs that no job has [J]"},
      {"tokens", "work done: speed x time in the libraries' unit; empty where units differ or are not stated"},
      {"tokens_per_j", "tokens / energy_j"},
      {"slowdown_mean", "mean over finished jobs of run time (start to finish) / work"},
      {"slowdown_worst", "the largest of those"},
      {"wait_mean_s", "mean over started jobs of start less submission [s]"},
      {"wait_p50_s", "wait that half of the started jobs do not exceed [s]"},
      {"wait_p95_s", "wait that 95 % of the started jobs do not exceed [s]"},
      {"wait_p99_s", "wait that 99 % of the started jobs do not exceed [s]"},
      {"lost_work_s", "work that was done again after pauses and resizes, of all jobs [s]"},
      {"deadline_misses", "jobs not finished by their deadline, of those whose deadline lies before the end"},
      {"budget_misses", "finished jobs that lost more speed than their flex budget allows (by more than 1e-9)"},
      {"over_limit_s", "time with a draw above the limit, by more than 1e-9 of it [s]"},
      {"over_limit_j", "energy above the limit in that time [J]"},
      {"over_1pct_s", "time with a draw more than 1 % above the limit [s]"},
      {"over_peak_w", "the largest draw above the limit [W]"},
      {"unused_j", "energy left below the limit while it binds (the running jobs would draw more than it uncapped) [J]"},
      {"time_to_limit_s", "longest time from a fall of the limit until the draw was under it [s]"},
      {"requested_j", "reduction asked for: what the running jobs would draw uncapped less the limit, while that is positive [J]"},
      {"delivered_j", "reduction in the same time: what the running jobs would draw uncapped less the draw [J]"},
      {"rebound_w", "highest draw in the hour after the limit stopped to bind less the draw just before it began to [W]; empty if it never did"},
      {"peak_w", "highest draw [W]"},
      {"cost_usd", "energy at the price of its time [USD], of the meter where there is a facility; empty without prices"},
      {"co2_kg", "energy at the carbon intensity of its time [kg], likewise; empty without intensities"},
      {"events", "events of the run: submissions, starts, finishes, changes of limit, actions and what follows from them"},
      {"it_j", "energy of the IT load [J]; this and what follows is empty without a facility"},
      {"meter_j", "energy that the meter shows [J]"},
      {"pue", "meter_j / it_j"},
      {"meter_saved_per_gpu_j", "what the meter saved beside everyone uncapped / what the GPUs saved, in steady watts; empty where they saved nothing"},
      {"meter_per_gpu_w", "mean over time of the slope of the steady meter against the GPUs' draw"},
      {"meter_peak_w", "highest power that the meter shows [W]"},
      {"meter_over_s",
       "time that the meter shows more than its limit, by more than 1e-9 of it, as fans and cooling lag behind [s]; empty without such a limit"},
      {"meter_over_j", "energy that it shows above the limit in that time [J]"},
      {"settled_required_wh", "reduction that was owed under the contract [Wh]; this and what follows is empty without one"},
      {"settled_delivered_wh", "reduction that its baseline proves [Wh]; negative where the load rose"},
      {"settled_shortfall_wh", "what is short of the obligation, interval by interval [Wh]"},
      {"settled_performance", "delivered, at most the obligation, over the obligation"},
      {"settled_usd", "payments less penalties [USD]"},
      {"baseline_rrmse", "relative root mean square error of the baseline over placebo events, mean over events; empty without any"},
  }};
  return table;
}

}  // namespace wattfill
