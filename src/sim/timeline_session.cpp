#include "wattfill/sim/timeline_session.hpp"

#include <array>
#include <cmath>
#include <string>

#include "sim/timeline_run.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

TimelinePolicySpec outside() {
  TimelinePolicySpec policy;
  policy.kind = TimelinePolicySpec::Kind::replay;
  return policy;
}

std::string text(double x) { return std::isnan(x) ? "nan" : number_text(x); }

}  // namespace

/// The run that a session turns. Classes and policy stay where they are: the run refers to them.
struct TimelineSession::State {
  TimelineSpec const& spec;
  ClassSet const classes;
  TimelinePolicySpec const policy = outside();
  TimelineRun run;
  bool measured = false;  // what holds from this instant on is measured when time goes on: a controller acts in no time
  bool ended = false;

  State(TimelineSpec const& of, std::span<std::pair<std::uint32_t, double> const> resizes, TimelineObserver* observer)
      : spec(of), classes(of, resizes), run(of, classes, policy, {}, observer) {
    run.happen(0);
  }

  void leave_instant() {
    if (!measured) run.measure(run.now_);
    measured = true;
  }
  void happen(double t) {
    if (t > run.now_) leave_instant();
    run.happen(t);
    measured = false;
  }

  void check_open() const {
    if (ended) throw InputError("the run has been finished (its results are complete); open another session");
  }
  double now() const { return run.now_; }
  double next_event() const { return over() ? never : std::min(run.next_time(), spec.duration_s); }
  bool all_done() const { return run.next_submit_ == spec.jobs.size() && run.finished_ == spec.jobs.size(); }
  bool over() const { return spec.duration_s == never ? all_done() : run.now_ >= spec.duration_s; }

  void advance(double until) {
    check_open();
    if (!(until >= run.now_) || until == never)
      throw InputError("the run cannot advance to " + text(until) + " s (it stands at " + text(run.now_) + " s); give a later time that is finite");
    if (over()) return;
    until = std::min(until, spec.duration_s);
    for (auto t = run.next_time(); t <= until; t = run.next_time()) {
      happen(t);
      if (spec.duration_s == never && all_done()) return;  // as a run by itself would end
    }
    if (until > run.now_) leave_instant();
    run.now_ = until;
  }

  void act(ActionSpec::Kind kind, std::uint32_t job, double value) {
    using Kind = ActionSpec::Kind;
    check_open();
    if (job >= spec.jobs.size())
      throw InputError("there is no job " + std::to_string(job) + "; this timeline has " + std::to_string(spec.jobs.size()) + ", counted from 0");
    auto const& id = spec.jobs[job].id;
    if (kind == Kind::cap && !(value > 0)) throw InputError("a cap of " + text(value) + " W for job " + id + " is not possible; give one above 0");
    if (kind == Kind::resize && value != spec.jobs[job].gpus && !classes.others.contains({job, 0, value}))
      throw InputError("job " + id + " cannot be resized to " + text(value) +
                       " GPUs, which were not announced when the session was opened; announce them there");
    run.actions_.push_back({kind, run.now_, job, value});
    happen(run.now_);
  }

  TimelineMetrics finish() {
    check_open();
    leave_instant();
    ended = true;
    return run.report(run.now_);
  }

  Seen observe() {
    check_open();
    auto const t = run.now_;
    Seen seen{t,         run.limit_w_,   run.aim_w_, run.limit_it_w_, run.limit_meter_w_, run.power_w_ + run.idle_w(), no_number, no_number,
              no_number, run.free_gpus_, {}};
    if (run.site_) {
      auto const site = run.read_site();
      seen.it_w = site.steady.it_w();
      seen.meter_w = site.steady.meter_w();
      seen.shown_w = run.site_->shown_w(t);
    }
    seen.jobs.reserve(spec.jobs.size());
    for (std::uint32_t j = 0; j < spec.jobs.size(); ++j) seen.jobs.push_back(observe(j, t));
    return seen;
  }

  JobSeen observe(std::uint32_t j, double t) const {
    auto const state = run.lives_[j].state;
    auto const coming = state == TimelineRun::State::waiting && j >= run.next_submit_;
    JobSeen job{coming ? JobState::to_come : static_cast<JobState>(static_cast<int>(state) + 1), spec.jobs[j].gpus, 0, never, 0, spec.jobs[j].work_s, 0};
    if (auto const extra = run.extras_.find(j); extra != run.extras_.end()) job.cap_w = extra->second.cap_w;
    if (state == TimelineRun::State::finished) {
      job.left_s = 0;
      job.energy_j = run.bank_.energy_of(j, t);
    } else if (run.bank_.seated(j)) {
      auto const slot = run.bank_.slot_of(j);
      job.gpus = run.bank_.gpus_of(j);
      job.draw_w = run.bank_.draw(slot);
      job.speed = run.bank_.speed(slot);
      job.left_s = run.left_of(j, t);
      job.energy_j = run.bank_.energy_of(j, t);
    }
    return job;
  }
};

TimelineSession::TimelineSession(Timeline const& timeline, std::span<std::pair<std::uint32_t, double> const> resizes, TimelineObserver* observer) {
  auto const& spec = timeline.prepared_->spec;
  if (spec.racks) throw InputError("this timeline has racks, which a controller of single jobs does not know; take them away");
  for (auto const& [job, gpus] : resizes) {
    if (job >= spec.jobs.size())
      throw InputError("there is no job " + std::to_string(job) + " to resize; this timeline has " + std::to_string(spec.jobs.size()) + ", counted from 0");
    if (!(gpus > 0) || gpus == never) throw InputError("job " + spec.jobs[job].id + " cannot be resized to " + text(gpus) + " GPUs; give a number above 0");
  }
  state_ = std::make_unique<State>(spec, resizes, observer);
}
TimelineSession::~TimelineSession() = default;
TimelineSession::TimelineSession(TimelineSession&&) noexcept = default;

double TimelineSession::time_s() const { return state_->now(); }
double TimelineSession::next_event_s() const { return state_->next_event(); }
bool TimelineSession::over() const { return state_->over(); }
void TimelineSession::advance(double until_s) { state_->advance(until_s); }
void TimelineSession::act(ActionSpec::Kind kind, std::uint32_t job, double value) { state_->act(kind, job, value); }
TimelineSession::Seen TimelineSession::observe() const { return state_->observe(); }
TimelineMetrics TimelineSession::finish() { return state_->finish(); }

std::string_view to_string(TimelineSession::JobState state) {
  static constexpr std::array<std::string_view, 8> names{"to_come", "waiting", "working", "saving", "paused", "restarting", "checkpointing", "finished"};
  return names[static_cast<std::size_t>(state)];
}

}  // namespace wattfill
