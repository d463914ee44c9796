#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/clock_bank.hpp"
#include "sim/control_loop.hpp"
#include "sim/job_queue.hpp"
#include "sim/meter.hpp"
#include "sim/rack_room.hpp"
#include "sim/site.hpp"
#include "sim/storage_clock.hpp"
#include "sim/timeline_beliefs.hpp"
#include "sim/timeline_path.hpp"
#include "wattfill/sim/timeline_session.hpp"

namespace wattfill {

/// The classes of a run's jobs, in canonical order (curve, GPUs, terms).
struct ClassSet {
  std::deque<Curve> scaled;  // curves on other numbers of GPUs than measured
  std::vector<TimelineClass> classes;
  std::vector<std::uint32_t> class_of;                                             // [job], as submitted, in its first phase
  std::map<std::tuple<std::uint32_t, std::size_t, double>, std::uint32_t> others;  // (job, phase, GPUs): its class then

  /// `resizes`: what jobs may be changed to.
  ClassSet(TimelineSpec const& spec, std::span<std::pair<std::uint32_t, double> const> resizes);
};

/// What all runs of a timeline share.
struct Timeline::Prepared {
  TimelineSpec spec;  // jobs sorted
  ClassSet classes;
};

/// A policy's actions with the numbers of their jobs, in order of time, then of the list. Throws InputError for jobs there are not.
struct NumberedAction {
  ActionSpec::Kind kind;
  double time_s;
  std::uint32_t job;
  double value;
};
std::vector<NumberedAction> numbered(std::span<ActionSpec const> actions, std::span<TimelineJob const> jobs);

/// One run of a timeline under one policy.
class TimelineRun {
 public:
  TimelineRun(TimelineSpec const& spec, ClassSet const& classes, TimelinePolicySpec const& policy, std::vector<NumberedAction> actions,
              TimelineObserver* observer);
  TimelineMetrics run();

 private:
  friend struct TimelineSession::State;
  enum class State : std::uint8_t { waiting, working, saving, paused, restarting, checkpointing, finished };
  struct Life {
    double start_s, finish_s;
    std::uint32_t timer;     // number of the timer that may move it on; others are void
    std::uint32_t cls : 28;  // of its phase
    State state : 4;
  };
  struct Timer {
    double time_s;
    EventKind kind;
    std::uint32_t job;
    std::uint32_t number;
    double value;
    bool operator>(Timer const& o) const { return std::tie(time_s, kind, job, number) > std::tie(o.time_s, o.kind, o.job, o.number); }
  };
  /// What is only known of jobs that a list acts on, or that are held to a speed.
  struct Extra {
    double cap_w = std::numeric_limits<double>::infinity();
    std::optional<double> wanted_gpus;  // of a resize under way
    bool resume_wanted = false, pause_wanted = false;
    double pinned = -1;  // speed that the job is held to; below 0: none
  };
  /// When a job writes checkpoints on its own: the k-th begins at base + k periods. The base moves by the time that the job does not run.
  struct CheckpointClock {
    double base_s = 0, stopped_s = 0;
    std::uint32_t next = 1;
    bool begun = false;                         // the one before the next has a dip
    double begun_left_s = 0, saved_left_s = 0;  // work left in the phase where the one under way began, and the last whole one
  };

  // timeline_run.cpp
  double next_time() const;
  void turn(double t);
  void happen(double t);
  void apply_events(double t);
  void aim_for(double watts);
  void finish(std::uint32_t job, double t);
  void tell(double t, EventKind kind, std::uint32_t job, double value = 0);
  void measure(double t);
  void flush_power(double until);
  bool alive() const;
  TimelineMetrics report(double end);
  // timeline_schedule.cpp
  void schedule(double t);
  bool has_power_for(std::uint32_t job) const;
  void start(std::uint32_t job, double t);
  void occupy(std::uint32_t job, double gpus);
  void release(std::uint32_t job, double gpus);
  // timeline_allocate.cpp
  void allocate(double t);
  /// What is left for the classes of the path [W]: of the GPUs' draw and of the IT load; infinity: no limit.
  struct Room {
    double gpu_w, it_w;
  };
  void hold_to_needed_speeds(double t, Room left);
  // timeline_site.cpp
  double next_site_time() const;
  void apply_site_events(double t);
  Room room() const;
  void take(Room& room, double gpus, double draw_w) const;
  TimelinePath::Place locate(double* gpus, Room const& room);
  bool it_room_for(std::uint32_t job) const;
  Site::Reading read_site();
  // timeline_racks.cpp
  double next_rack_time() const;
  void apply_rack_events(double t);
  bool has_rack_for(std::uint32_t job) const;
  void allocate_in_racks(double t);
  // timeline_probe.cpp
  void probe(double t, Site::Reading const& now);
  void serve_by_laxity(double t, double budget_w);
  void pin(std::uint32_t job, double speed, double t);
  double due_s(std::uint32_t job) const;
  double needed_speed(std::uint32_t job, double t) const;
  // timeline_loop.cpp
  void make_path();
  void read_sensor(double t);
  void put_under_caps(std::size_t split_class, double t);
  void roll_out(std::size_t cls, bool reaches_group);
  double next_tick_s() const { return static_cast<double>(tick_) * (spec_.control.rollout_s / rollout_groups); }
  ControlLoop::Reach reach() const;
  double idle_w() const { return spec_.cluster.idle_w > 0 ? free_gpus_ * spec_.cluster.idle_w : 0.0; }
  // timeline_pause.cpp
  void pause_and_resume(double t);
  bool may_pause(std::uint32_t job) const;
  bool is_paused(std::uint32_t job) const;
  double paused_share(std::size_t cls, double draw_w, double t) const;
  std::vector<std::uint32_t> to_pause_greedily() const;
  std::vector<std::uint32_t> to_pause_beside_caps(double t);
  double event_left_s(double t) const;
  // timeline_control.cpp
  void seat(std::uint32_t job, double left_s, double t);
  void reseat(std::uint32_t job, double t);
  void set_timer(double time, EventKind kind, std::uint32_t job, double value = 0);
  void fire_timers(double t);
  void fire(Timer const& timer);
  void act(NumberedAction const& action, double t);
  void begin_save(std::uint32_t job, double t);
  void begin_restart(std::uint32_t job, double t);
  void back_to_work(std::uint32_t job, double t);
  void run_on(std::uint32_t job, double t);
  void stop_running(std::uint32_t job, double t);
  std::uint32_t class_on(std::uint32_t job, double gpus) const;
  void set_transfer(double t, double length_s, EventKind kind, std::uint32_t job);
  void drop_transfer(std::uint32_t job, double t);
  double with_lost_work(std::uint32_t job, double left_s);
  // timeline_phases.cpp
  bool next_phase(std::uint32_t job, double t);
  double work_before(std::uint32_t job) const;
  double phase_work(std::uint32_t job) const;
  double left_of(std::uint32_t job, double t) const;
  double tokens_of(std::uint32_t job, double t) const;

  TimelineSpec const& spec_;
  ClassSet const& set_;
  std::span<TimelineClass const> classes_;
  TimelinePolicySpec const& policy_;
  TimelineObserver* observer_;

  ClockBank bank_;
  JobQueue queue_;
  Meter meter_;
  Loop loop_;
  std::unique_ptr<Policy const> rule_;
  std::optional<TimelineBeliefs> beliefs_;
  std::optional<TimelinePath> path_;
  std::optional<RackRoom> rack_room_;
  std::vector<Demand> demands_;  // only where there are racks
  std::vector<double> rack_limits_w_;
  std::size_t next_rack_limit_ = 0;
  std::optional<Site> site_;
  bool room_known_ = false, probing_ = false;
  std::size_t next_it_limit_ = 0, next_meter_limit_ = 0, next_outdoor_ = 0;
  double limit_it_w_ = std::numeric_limits<double>::infinity(), limit_meter_w_ = limit_it_w_, it_room_w_ = limit_it_w_, uncapped_it_w_ = 0;
  std::vector<Site::Load> loads_;
  std::vector<double> probed_;
  LaneVector gpus_of_class_, jobs_of_class_;
  std::optional<ControlLoop> control_;
  /// Caps reach one group of the fleet after the other; a class has a part in each. [class][group]; below 0: nobody is there.
  static constexpr std::size_t rollout_groups = 10;
  struct Group {
    double draw_w = -1, speed = 0;
    bool operator==(Group const&) const = default;
  };
  std::vector<Group> groups_;  // empty: caps act everywhere at once
  std::uint64_t tick_ = 0;     // the group tick_ mod rollout_groups is reached next
  bool rolling_ = false;       // some caps are not those decided last
  std::uint32_t stalled_ = 0;  // readings in a row at which no job got on
  std::vector<Life, LargePages<Life>> lives_;
  std::map<std::uint32_t, Extra> extras_;
  std::vector<CheckpointClock> checkpoints_;  // empty: none
  std::optional<StorageClock> storage_;       // checkpoints contend
  std::map<std::uint32_t, Timer> transfers_;  // of them
  /// Where a job with phases stands.
  struct Cycle {
    std::size_t phase = 0;
    std::uint64_t rounds = 0;
    ExactSum tokens;  // of whole phases
  };
  std::map<std::uint32_t, Cycle> cycles_;
  ExactSum lost_work_;
  std::vector<NumberedAction> actions_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::size_t next_submit_ = 0, next_limit_ = 0, next_aim_ = 0, next_action_ = 0, next_price_ = 0, next_carbon_ = 0;
  std::size_t open_timers_ = 0;  // those that are not a job's own checkpoints
  std::uint32_t timer_number_ = 0;
  double limit_w_ = std::numeric_limits<double>::infinity(), aim_w_ = limit_w_, price_ = 0, carbon_ = 0;
  double free_gpus_;
  double now_ = 0;
  bool needs_schedule_ = false, needs_pauses_ = false;
  std::vector<double> held_gpus_, uncapped_w_, floor_w_;  // by class: GPUs of its jobs in any state; one GPU [W]
  std::vector<std::uint32_t> running_;                    // EASY and policies that pause: jobs that hold GPUs
  std::vector<std::uint32_t> place_in_running_;
  std::vector<std::uint32_t> due_jobs_;  // deadline policy: running jobs that must finish by a time
  std::size_t running_jobs_ = 0;
  double power_w_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t finished_ = 0;
  std::optional<TimelineObserver::PowerRow> pending_;
  static constexpr std::uint32_t most_stalled = 1000;
  static constexpr std::uint64_t most_samples = 2'000'000;
  std::uint64_t samples_ = 0, sampled_ = 0;
};

}  // namespace wattfill
