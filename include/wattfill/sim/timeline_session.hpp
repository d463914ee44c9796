#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "wattfill/sim/timeline.hpp"

namespace wattfill {

/// A run of a timeline in the hands of a controller from outside: it observes, acts and lets time go on, turn by turn. What it does are the actions of a
/// replayed list (caps, pauses, resumes, resizes), given while the run goes on; jobs that it leaves alone draw what they want, whatever the limit. The same
/// actions as a list give the same results to the bit.
///
/// The timeline and the observer outlive the session. One thread at a time.
class TimelineSession {
 public:
  enum class JobState : std::uint8_t { to_come, waiting, working, saving, paused, restarting, checkpointing, finished };

  /// What a controller can see of one job.
  struct JobSeen {
    JobState state;
    double gpus;      ///< that it has; those that it asks for until it starts
    double draw_w;    ///< one GPU [W]; 0 before it starts and after it ends
    double cap_w;     ///< that acts [W, one GPU]; infinity: none
    double speed;     ///< T/T_max
    double left_s;    ///< work left, in seconds at full speed
    double energy_j;  ///< so far, all its GPUs
  };
  /// NaN: there is no facility; infinity: no limit.
  struct Seen {
    double time_s;
    double limit_w, aim_w;                 ///< of the GPUs' draw: what is owed now, and what the fleet acts on where the limit is announced ahead
    double limit_it_w, limit_meter_w;      ///< of the IT load and of the meter
    double gpu_w, it_w, meter_w, shown_w;  ///< steady draws, and what the meter shows while fans and cooling lag behind
    double free_gpus;
    std::vector<JobSeen> jobs;  ///< in the order of Timeline::jobs()
  };

  /// Stands at time 0, whose events have happened. `resizes`: job numbers and GPUs that jobs may be resized to.
  explicit TimelineSession(Timeline const& timeline, std::span<std::pair<std::uint32_t, double> const> resizes = {}, TimelineObserver* observer = nullptr);
  ~TimelineSession();
  TimelineSession(TimelineSession&&) noexcept;

  double time_s() const;
  /// When something happens next if nobody acts [s], the end of the timeline too; infinity: nothing will.
  double next_event_s() const;
  /// The run is at the end of the timeline (`duration_s`); if it has none, every job has come and finished. Time then stands still.
  bool over() const;

  /// Everything up to and at `until_s` happens; the session then stands there, at the end of the timeline at the latest. InputError for a time that is past or
  /// not finite.
  void advance(double until_s);

  /// Acts now. `value`: of a cap [W, one GPU], above 0; of a resize its GPUs; else not read. What cannot be done at this moment (pausing a job that does not
  /// run) is an `ignored` event as in a list. InputError for a job there is not, a value that is not possible, or GPUs that were not announced.
  void act(ActionSpec::Kind kind, std::uint32_t job, double value = 0);

  Seen observe() const;

  /// Ends the run here and gives its results. Afterwards nothing else may be called.
  TimelineMetrics finish();

  struct State;

 private:
  std::unique_ptr<State> state_;
};
std::string_view to_string(TimelineSession::JobState);

}  // namespace wattfill
