#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattfill/contract/contract_spec.hpp"
#include "wattfill/scenario/spec.hpp"
#include "wattfill/sim/timeline_spec.hpp"

/// Plain mirror of a timeline scenario; its table of keys is src/scenario/timeline_table.cpp. What it means is worked out in timeline_builder.
namespace wattfill {

/// An entry of `phases:`
struct PhaseFields {
  Placed<std::string> curve;
  double work_s = 0;
};

/// An entry of `jobs.explicit:`
struct TimelineJobFields : TermsFields {
  Placed<std::string> id;
  std::optional<Placed<std::string>> curve;
  std::optional<Placed<std::vector<PhaseFields>>> phases;
  std::optional<double> gpus;
  double submit_s = 0;
  double work_s = 0;
  std::optional<double> deadline_s, estimate_s, mean_speed_loss, since_checkpoint_s;
  std::optional<std::uint64_t> rack;
  bool stateless = false;
  Place place;
};

/// `jobs.trace:`
struct TraceFields {
  Placed<std::string> file;
  std::vector<Named<std::string>> columns;         ///< ours -> the file's
  std::vector<Named<Placed<std::string>>> curves;  ///< what stands in the curve column -> LIBRARY/CURVE
  std::vector<Named<double>> work_s;               ///< what stands in the curve column -> work, instead of a work column
  Place place;
};

/// `work:` of a group
struct WorkFields {
  std::optional<double> median_s, mean_s;
  std::optional<Placed<std::vector<std::vector<double>>>> quantiles;
  Place place;
};

/// An entry of `jobs.arrivals.groups:`
struct ArrivalGroupFields : TermsFields {
  WhereFields where;
  double weight = 1;
  std::vector<Named<double>> gpus;
  WorkFields work;
  std::optional<double> mean_speed_loss, deadline_factor;
  Place place;
};

/// `jobs.arrivals:`
struct ArrivalsFields {
  std::string process = "poisson";
  double rate_per_h = 0;
  std::vector<double> by_hour;
  double first_hour = 0;
  double until_s = 0;
  std::vector<Named<ArrivalGroupFields>> groups;
  std::uint64_t replications = 1;
  Place place;
};

struct TimelineJobsFields {
  std::optional<std::vector<TimelineJobFields>> listed;
  std::optional<TraceFields> trace;
  std::optional<ArrivalsFields> arrivals;
  Place place;
};

/// A column of a CSV file against time.
struct SeriesFields {
  Placed<std::string> file;
  std::optional<std::string> column, time_column, utc_offset;
  std::optional<double> every_s;
  Place place;
};

/// `limit.random:`
struct LimitEventsFields {
  double base_w = 0, mean_gap_s = 0;
  Placed<std::vector<double>> cut{{0.25}, {}};
  double median_s = 0;
  std::optional<Placed<double>> mean_s;
  double until_s = 0;
};

struct LimitFields {
  LimitAt at = LimitAt::gpu;
  std::optional<Placed<std::vector<std::vector<double>>>> steps, ramps;
  std::optional<SeriesFields> series;
  double ramp_step_s = 10;
  std::optional<LimitEventsFields> random;
  double notice_s = 0, deadline_s = 0;
  Placed<double> lead_s{0, {}};
  Place place;
};

struct ClusterFields {
  std::optional<double> gpus;
  std::optional<double> idle_gpu_w;
  Place place;
};

/// An entry of `racks.limits:`
struct RackLimitFields {
  std::optional<Placed<std::uint64_t>> rack;
  Placed<std::vector<std::vector<double>>> steps;
};

/// `racks:`
struct RacksFields {
  double gpus = 32;
  double loss = 0;
  std::vector<RackLimitFields> limits;
  Place place;
};

struct QueueFields {
  QueueSpec::Order order = QueueSpec::Order::easy;
  bool by_priority = false;
  double aging_per_h = 0;
  bool hold = false;
  std::uint64_t depth = 1000;
};

struct CheckpointFields : CheckpointSpec {
  std::optional<double> paused_gpu_w;
  std::optional<Placed<double>> mtbf_s;
};

/// `contract:` of a timeline
struct TimelineContractFields {
  Placed<std::string> file;
  bool follow = false;
  double lead_s = 0;
  double reading_s = 300;
  Place place;
};

/// `capacity:` of a timeline
struct FirmFields {
  std::vector<double> speed_loss{0.05}, confidence{0.9, 0.95, 0.99}, duration_h{1, 3, 6}, hours{17};
  std::uint64_t day = 0;
  std::vector<BaselineRule> baselines;
  Place place;
};

/// `control.sensor:`
struct SensorFields {
  double period_s = 10, duty = 1, noise = 0, lost = 0;
  std::uint64_t lag = 0;
  Placed<std::vector<std::vector<double>>> outages;
};

/// `control.correction:`
struct CorrectionFields {
  double gain = 0.5;  ///< as a share of its bound
  double deadband = 0;
  std::optional<double> rate_w_per_s;
  std::uint64_t fail_safe_after = 3;
  double fail_safe_margin = 0.05;
};

/// `control:`
struct ControlFields {
  double settle_s = 0;
  Loop loop = Loop::exact;
  double rollout_s = 0, cap_step_w = 0, least_cap_w = 0;
  SensorFields sensor;
  CorrectionFields correction;
};

struct TimelineFields {
  std::uint64_t wattfill = 1;
  std::string name;
  std::string kind = "timeline";
  std::uint64_t seed = 0;
  std::vector<Placed<std::string>> curves;
  std::optional<Placed<std::string>> start;
  ClusterFields cluster;
  std::optional<RacksFields> racks;
  TimelineJobsFields jobs;
  std::optional<FacilityFields> facility;
  std::vector<LimitFields> limit;
  std::optional<TimelineContractFields> contract;
  std::optional<FirmFields> capacity;
  QueueFields queue;
  CheckpointFields checkpoint;
  ControlFields control;
  std::optional<Placed<std::uint64_t>> replications;
  std::optional<SeriesFields> price, carbon, outdoor;
  std::vector<PolicyFields> policies;
  Placed<std::string> reference{"proportional", {}};
  Placed<Objective> objective{Objective::gpu_speed, {}};
  PfiFields pfi;
  std::string until = "done";
  std::optional<double> duration_s, sample_s;
  std::vector<Named<std::vector<Node>>> sweep;
  std::optional<SamplesFields> samples;
  Place place;
};

Format<TimelineFields> const& timeline_format();

}  // namespace wattfill
