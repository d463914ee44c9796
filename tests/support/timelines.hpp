#pragma once
#include <array>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "support/curves.hpp"
#include "support/policies.hpp"
#include "wattfill/sim/timeline.hpp"

namespace wattfill::testing {

/// Everything that a run tells.
struct Recorder final : TimelineObserver {
  struct Power {
    double time_s, limit_w, power_w;
    bool operator==(Power const&) const = default;
  };
  struct Event {
    double time_s;
    EventKind kind;
    std::uint32_t job;
    double value;
    bool operator==(Event const&) const = default;
  };
  std::vector<Power> powers;
  std::vector<PowerRow> rows;
  std::array<double, component_count> joules{};
  std::vector<Event> events;
  std::vector<JobRow> jobs;

  void power(PowerRow const& row) override {
    powers.push_back({row.time_s, row.limit_w, row.gpu_w});
    rows.push_back(row);
  }
  void event(double time_s, EventKind kind, std::uint32_t job, double value) override { events.push_back({time_s, kind, job, value}); }
  void job(std::uint32_t, JobRow const& row) override { jobs.push_back(row); }
  void components(std::array<double, component_count> const& energy_j) override { joules = energy_j; }

  /// Integral of the power rows up to `end` [J].
  double energy(double end) const {
    double sum = 0;
    for (std::size_t i = 0; i < powers.size(); ++i) sum += powers[i].power_w * ((i + 1 < powers.size() ? powers[i + 1].time_s : end) - powers[i].time_s);
    return sum;
  }
  std::size_t count(EventKind kind) const {
    std::size_t n = 0;
    for (auto const& e : events) n += e.kind == kind;
    return n;
  }
};

inline TimelinePolicySpec rule(std::string name) {
  TimelinePolicySpec spec;
  spec.rule = policy(std::move(name));
  return spec;
}

inline TimelineJob job(std::string id, Curve const& curve, double work_s, double submit_s = 0, double gpus = 0) {
  TimelineJob j;
  j.id = std::move(id);
  j.curve = &curve;
  j.gpus = gpus > 0 ? gpus : curve.gpus;
  j.work_s = work_s;
  j.submit_s = submit_s;
  return j;
}

struct Run {
  TimelineMetrics metrics;
  Recorder seen;
  double at(metric::Index m) const { return metrics[m]; }
};
inline Run run(TimelineSpec spec, TimelinePolicySpec const& policy) {
  Timeline const timeline(std::move(spec));
  Run r;
  r.metrics = timeline.run(policy, &r.seen);
  return r;
}

/// Speed (draw / 400)^0.5 measured at the given draws and at 400 W.
inline Curve root_curve(std::vector<double> draws, double gpus = 1, std::string name = "root") {
  draws.push_back(400);
  std::vector<std::pair<double, double>> points;
  for (double w : draws) points.emplace_back(w, 10 * std::sqrt(w / 400));
  return make_curve(std::move(name), points, gpus);
}

}  // namespace wattfill::testing
