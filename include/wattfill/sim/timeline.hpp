#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "wattfill/facility/facility_spec.hpp"
#include "wattfill/sim/timeline_metrics.hpp"
#include "wattfill/sim/timeline_spec.hpp"

namespace wattfill {

/// What can happen at one instant, in the order in which it is applied: first what ends, then what the world does, then what begins.
enum class EventKind : std::uint8_t {
  finish,          ///< a job finishes
  saved,           ///< a checkpoint before a pause or resize is written
  restarted,       ///< a job works again after a pause or resize
  checkpoint_end,  ///< a checkpoint that a job writes on its own is written
  checkpoint,      ///< it begins to write one
  phase,           ///< a job's next phase begins; value: which, from 0
  cap_acts,        ///< a new cap has settled; value: the draw [W, one GPU]
  limit,           ///< value: the new limit of the GPUs' draw [W]
  limit_it,        ///< of the IT load
  limit_meter,     ///< of the meter
  limit_rack,      ///< of a rack, or of all of them
  outdoor,         ///< value: outdoor temperature [deg C]
  aim,             ///< value: the limit of the GPUs' draw that the fleet acts on, where it differs from the limit [W]
  price,           ///< value [USD/MWh]
  carbon,          ///< value [g/kWh]
  fail_safe,       ///< so many readings are missing that the budget is lowered; value: the correction [W]
  telemetry_back,  ///< the first reading after that
  cap,             ///< a cap is set; value [W, one GPU]
  pause,           ///< a job begins to pause
  resume,          ///< a paused job begins to restart
  resize,          ///< a job begins to change its GPUs; value: how many
  ignored,         ///< an action on a job that does not run, or GPUs that are not free
  submit,
  start,
};
std::string_view to_string(EventKind);

/// What a run tells while it goes on. Looking on changes nothing.
class TimelineObserver {
 public:
  static constexpr std::uint32_t no_job = static_cast<std::uint32_t>(-1);

  virtual ~TimelineObserver() = default;

  /// Power from this time on [W]. NaN: there is no facility; infinity: no limit.
  struct PowerRow {
    double time_s;
    double limit_w;  ///< of the GPUs' draw; where it is not limited: of the IT load or the meter, whichever is
    double gpu_w, it_w, meter_w;
    double meter_shown_w;  ///< what the meter shows at this time, while fans and cooling lag behind
    double limit_it_w, limit_meter_w;
  };
  /// Once per instant at most.
  virtual void power(PowerRow const& row) = 0;
  virtual void event(double time_s, EventKind kind, std::uint32_t job, double value) = 0;

  /// A job at the end of the run. NaN: it did not start or finish.
  struct JobRow {
    double start_s, finish_s, energy_j, left_s, gpus;
  };
  virtual void job(std::uint32_t job, JobRow const& row) = 0;

  /// Energy of every component between GPUs and meter over the run [J]; only where there is a facility.
  virtual void components(std::array<double, component_count> const&) {}

  /// What the meter showed, mean of every interval of `metering.reading_s` that has ended [W], from time 0 on; at the end of the run.
  virtual void meter(std::span<double const>) {}

  /// What the cluster could go down to from this time on [W], for each loss of the spec's probe: draw of all GPUs, and what the meter would show.
  struct ProbeRow {
    double time_s;
    double uncapped_gpu_w, uncapped_meter_w;
    std::span<double const> gpu_w, meter_w;
  };
  virtual void probe(ProbeRow const&) {}
};

/// The discrete-event simulator: jobs arrive, wait for GPUs, run and finish while the power limit moves (model: src/sim/README.md).
///
/// Between two events every draw and speed is constant. At an instant all progress is booked, every event of exactly that time is applied in the order (time,
/// kind, job), then watts are divided once. Finish times are computed, never stepped to, and no tolerance compares times. Termination: every turn of the loop
/// takes at least one event out of a finite supply, and a run in which nothing can move any more ends.
///
/// Immutable after construction and shared by all threads; a run is a pure function of (timeline, policy).
class Timeline {
 public:
  /// Throws InputError for a job that can never run, with its reason.
  explicit Timeline(TimelineSpec spec);
  ~Timeline();
  Timeline(Timeline&&) noexcept;

  /// Jobs in the order in which they are numbered: by submission, then by id. The order in which they were given does not matter.
  std::span<TimelineJob const> jobs() const;
  TimelineSpec const& spec() const;

  /// InputError where the policy cannot act under the limits that this timeline has; run() begins with it.
  void check_policy(TimelinePolicySpec const& policy) const;
  TimelineMetrics run(TimelinePolicySpec const& policy, TimelineObserver* observer = nullptr) const;

 private:
  friend class TimelineSession;
  struct Prepared;
  std::unique_ptr<Prepared const> prepared_;
};

}  // namespace wattfill
