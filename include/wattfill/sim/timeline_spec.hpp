#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "wattfill/facility/facility_spec.hpp"
#include "wattfill/flexibility/belief.hpp"
#include "wattfill/policy/policy_spec.hpp"
#include "wattfill/sim/control_spec.hpp"
#include "wattfill/sim/limit_events_spec.hpp"
#include "wattfill/sim/objective.hpp"
#include "wattfill/workload/timeline_job_spec.hpp"

namespace wattfill {

/// A number that holds from `time_s` on: a price [USD/MWh], a carbon intensity [g/kWh]. Before the first it is 0.
struct SeriesStep {
  double time_s;
  double value;
};

/// What stands between the GPUs of a timeline and its meter: nodes hold GPUs of one job class each, or idle ones, under one plant for all of them.
struct TimelineMetering {
  FacilitySpec facility;
  std::vector<SeriesStep> outdoor_c;  ///< outdoor temperature [deg C], ascending in time; before the first that of `facility`
  double reading_s = 0;               ///< the meter is read in intervals of this length; 0: it is not
};

/// At which losses of what the running jobs are worth, and from when to when, observers are told how far the cluster could go down: to the place on the
/// policy's path where they are worth (1 - loss) of what they are at full speed. Of a split class the straight line between two knots counts.
struct ProbeSpec {
  std::vector<double> speed_losses;
  double from_s = 0, to_s = 0;
};

struct ClusterSpec {
  double gpus = std::numeric_limits<double>::infinity();  ///< GPUs there are
  double idle_w = 0;                                      ///< draw of a GPU that no job has [W]
};

/// A limit on what comes into one rack, or into every one, that holds from `time_s` on [W].
struct RackLimitStep {
  static constexpr std::uint32_t every = static_cast<std::uint32_t>(-1);
  double time_s;
  std::uint32_t rack;  ///< from 0 on; every: all of them
  double limit_w;
};

/// The racks that the GPUs of a timeline stand in, all alike. A job that fits a rack stands in the first one with room, a larger one over the first empty ones;
/// it stays there. Watts are divided by the rule's fill under all limits at once (policy/tree_fill), by `oracle` as best they can (policy/tree_oracle).
struct RackingSpec {
  double gpus = 32;                   ///< of a rack, > 0; there is a whole number of racks
  double loss = 0;                    ///< of its supplies and bars, as a share of what the GPUs draw, >= 0
  std::vector<RackLimitStep> limits;  ///< ascending in time; of equal times the later one holds; before the first there is no limit
};

/// In which order jobs start, and when.
struct QueueSpec {
  enum class Order { fcfs, easy } order = Order::easy;  ///< first come first served, or with EASY backfill (Lifka 1995; Mu'alem and Feitelson 2001)
  double aging_per_h = 0;                               ///< a job waits in the order of priority + aging_per_h x hours waited; 0: of priority, then of arrival
  bool by_priority = false;                             ///< false: of arrival alone
  bool hold = false;                                    ///< a job starts only while the limit has room for the floors of all running jobs and its own
  std::size_t depth = 1000;                             ///< jobs behind the head that backfill looks at
};

/// What checkpoints cost: of pauses and resizes, and on their own every now and then. Draws are of one GPU.
struct CheckpointSpec {
  double save_s = 0, save_w = 0;        ///< to write one before a pause or a resize
  double paused_w = 0;                  ///< draw while paused
  double restart_s = 0, restart_w = 0;  ///< to load it afterwards
  double period_s = 0;  ///< a job writes one on its own every so often, counted in time that it runs (not while it is paused, saved or loaded); 0: none
  double length_s = 0, draw_w = 0;  ///< which takes so long, with no progress, at this draw
  bool on_demand = true;            ///< false: nothing is written before a pause or a resize; work since the job's own last checkpoint is done again
  double lost_s = 0;                ///< work that is done again after each pause or resize, of that done in its phase
  double gb_per_gpu = 0;            ///< size of a checkpoint
  double storage_gb_per_s = 0;      ///< all that are written and read at once are slowed by one factor while they ask for more; 0: there is enough
  bool contends() const { return gb_per_gpu > 0 && storage_gb_per_s > 0; }
  bool periodic() const { return period_s > 0 && length_s > 0; }
};

/// Something that is done to a job at a time of its run, by a list.
struct ActionSpec {
  enum class Kind { cap, pause, resume, resize } kind;
  double time_s = 0;
  std::string job;
  double value = 0;  ///< cap [W, one GPU]; GPUs
};

/// A policy of a timeline study: one of the rules that divide watts, or something that acts on jobs.
struct TimelinePolicySpec {
  enum class Kind {
    rule,           ///< watts are divided by `rule`
    replay,         ///< jobs draw what `actions` say, whatever the limit
    deadline,       ///< `rule`, over floors that let every job keep its deadline and its flex budget
    least_laxity,   ///< jobs with a deadline or flex budget get all they want in the order of time left - work left, the others share the rest by `rule`
    pause_greedy,   ///< jobs run uncapped or are paused, least worth per watt first
    cap_and_pause,  ///< `rule`, and jobs of classes that lose more by their cap than by pausing a share of them are paused
  } kind = Kind::rule;
  PolicySpec rule;
  std::string label;
  std::vector<ActionSpec> actions;
  std::optional<Loop> loop;  ///< instead of the run's

  std::string const& shown() const { return label.empty() ? rule.shown() : label; }
};

/// One run of a timeline in domain terms, apart from its policy. The curves outlive it.
struct TimelineSpec {
  std::vector<TimelineJob> jobs;
  std::vector<std::vector<JobPhase>> cycles;  ///< of jobs with phases; a job's first has its `curve`
  ClusterSpec cluster;
  std::optional<RackingSpec> racks;  ///< needs `cluster.gpus`; for rules under an exact loop and limits of the GPUs' draw
  QueueSpec queue;
  CheckpointSpec checkpoint;
  ControlSpec control;
  std::vector<LimitStep> limit;                  ///< of the GPUs' draw, ascending in time; empty: none
  std::vector<LimitStep> aim;                    ///< what the fleet acts on instead of `limit`; empty: that
  std::vector<LimitStep> it_limit, meter_limit;  ///< of the IT load and of the meter, beside it; they need `metering`
  std::optional<TimelineMetering> metering;      ///< needs `cluster.gpus`
  std::optional<ProbeSpec> probe;                ///< needs `metering`
  std::vector<SeriesStep> price_usd_per_mwh, carbon_g_per_kwh;
  double duration_s = std::numeric_limits<double>::infinity();  ///< the run ends then; infinity: when nothing more can happen
  double sample_s = 0;                                          ///< observers are told the power every so often, too; 0: at changes alone
  Objective objective = Objective::gpu_speed;
  BeliefSpec belief;
  std::vector<Curve const*> believed;       ///< the curves that beliefs are fitted on, those of all jobs among them; empty: those of the jobs
  std::uint64_t seed = 0, replication = 0;  ///< address of what is drawn while it runs: errors of beliefs and sensors
};

}  // namespace wattfill
