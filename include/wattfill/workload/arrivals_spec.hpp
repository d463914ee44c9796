#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "wattfill/workload/timeline_job_spec.hpp"

namespace wattfill {

/// How much work a drawn job has.
struct WorkSpec {
  double median_s = 3600, mean_s = 3600;             ///< lognormal, mean >= median > 0; equal: always that
  std::vector<std::pair<double, double>> quantiles;  ///< (share, s), ascending in both; not empty: linear between them instead, clamped outside
};

/// A group of arriving jobs.
struct ArrivalGroup {
  std::string name;
  std::vector<Curve const*> curves;             ///< each equally likely
  double weight = 1;                            ///< of arrivals; normalised
  std::vector<std::pair<double, double>> gpus;  ///< (GPUs, weight); empty: those of the curve
  WorkSpec work;
  JobTerms terms;
  double mean_loss = 1;        ///< flex budget, see TimelineJob
  double deadline_factor = 0;  ///< deadline = submission + factor x work; 0: none
};

/// A Poisson process of jobs.
struct ArrivalsSpec {
  double rate_per_h = 0;        ///< mean rate
  std::vector<double> by_hour;  ///< factor of the rate in each hour of the day, 24 of them; empty: always 1. The run begins at hour `first_hour`
  double first_hour = 0;
  double until_s = 0;  ///< jobs arrive in [0, until_s)
  std::vector<ArrivalGroup> groups;
  std::uint64_t replications = 1;
};

}  // namespace wattfill
