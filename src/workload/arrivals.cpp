#include "wattfill/workload/arrivals.hpp"

#include <algorithm>
#include <cmath>

#include "wattfill/core/error.hpp"
#include "wattfill/core/fixed_math.hpp"
#include "wattfill/core/normal_random.hpp"
#include "wattfill/core/random.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

/// Uniform in [0, 1) with 53 random bits.
double uniform(CounterRandom& words) {
  auto const high = words() >> 5, low = words() >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

/// One of weighted entries.
template <class T, class WeightOf>
T const& pick(std::vector<T> const& entries, WeightOf weight_of, double u) {
  double total = 0;
  for (auto const& e : entries) total += weight_of(e);
  double reached = 0;
  for (auto const& e : entries)
    if ((reached += weight_of(e)) > u * total) return e;
  return *std::ranges::find_if(entries.rbegin(), entries.rend(), [&](T const& e) { return weight_of(e) > 0; });
}

double draw_work(WorkSpec const& spec, double u, NormalRandom& normal) {
  if (spec.quantiles.empty()) {
    if (!(spec.mean_s > spec.median_s)) return spec.median_s;
    return spec.median_s * fixed_exp(std::sqrt(2 * fixed_log(spec.mean_s / spec.median_s)) * normal());  // mean = median x exp(sigma^2 / 2)
  }
  auto const& q = spec.quantiles;
  auto const above = std::ranges::upper_bound(q, u, {}, &std::pair<double, double>::first);
  if (above == q.begin()) return q.front().second;
  if (above == q.end()) return q.back().second;
  auto const below = std::prev(above);
  return below->second + (u - below->first) / (above->first - below->first) * (above->second - below->second);
}

}  // namespace

std::vector<TimelineJob> draw_arrivals(ArrivalsSpec const& spec, std::uint64_t seed, std::uint64_t replication) {
  CounterRandom times({seed, "arrivals", replication, Stream::arrival_times});
  CounterRandom kinds({seed, "arrivals", replication, Stream::arrival_jobs});
  NormalRandom normal({seed, "arrivals", replication, Stream::arrival_work});
  auto const highest = spec.by_hour.empty() ? 1.0 : *std::ranges::max_element(spec.by_hour);
  std::vector<TimelineJob> jobs;
  if (!(spec.rate_per_h * highest > 0)) return jobs;
  auto const mean_gap_s = 3600 / (spec.rate_per_h * highest);
  // Of hours without arrivals every draw is thrown away: no count of jobs would ever end it. A day of one busy hour throws 23 of 24 away.
  constexpr double most_draws = 30.0 * most_arrivals;
  if (!(spec.until_s / mean_gap_s <= most_draws))
    throw InputError({{},
                      "jobs.arrivals",
                      "the highest rate would bring about " + number_text(std::round(spec.until_s / mean_gap_s)) +
                          " jobs in one replication (most of memory and hours of time); lower rate_per_h, by_hour or until_s"});
  for (double t = 0;;) {
    t -= mean_gap_s * fixed_log(1 - uniform(times));
    if (!(t < spec.until_s)) return jobs;
    auto const keep = uniform(times);
    if (!spec.by_hour.empty()) {
      auto const hour = static_cast<std::size_t>(std::fmod(t / 3600 + spec.first_hour, 24));
      if (!(keep * highest < spec.by_hour[hour])) continue;
    }
    if (jobs.size() == most_arrivals)
      throw InputError({{}, "jobs.arrivals", "more than " + std::to_string(most_arrivals) + " jobs arrive in one replication; lower rate_per_h or until_s"});
    double u[4];  // always as many, so that one job's kind moves no other's
    for (double& x : u) x = uniform(kinds);
    auto const& group = pick(
        spec.groups, [](ArrivalGroup const& g) { return g.weight; }, u[0]);
    TimelineJob job;
    job.id = group.name + "-" + std::to_string(jobs.size());
    job.curve = group.curves[std::min(static_cast<std::size_t>(u[1] * static_cast<double>(group.curves.size())), group.curves.size() - 1)];
    job.gpus = group.gpus.empty() ? job.curve->gpus
                                  : pick(
                                        group.gpus, [](auto const& g) { return g.second; }, u[2])
                                        .first;
    job.work_s = draw_work(group.work, u[3], normal);
    job.submit_s = t;
    job.terms = group.terms;
    job.mean_loss = group.mean_loss;
    if (group.deadline_factor > 0) job.deadline_s = t + group.deadline_factor * job.work_s;
    jobs.push_back(std::move(job));
  }
}

}  // namespace wattfill
