// What is done to single jobs: caps of a list, pauses, resizes, their own checkpoints.
#include <algorithm>

#include "sim/timeline_run.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {

std::uint32_t TimelineRun::class_on(std::uint32_t job, double gpus) const {
  auto const cycle = cycles_.find(job);
  auto const phase = cycle == cycles_.end() ? 0 : cycle->second.phase;
  return phase == 0 && gpus == spec_.jobs[job].gpus ? set_.class_of[job] : set_.others.at({job, phase, gpus});
}

void TimelineRun::seat(std::uint32_t job, double left_s, double t) {
  auto const& life = lives_[job];
  auto const& cls = classes_[life.cls];
  auto const& c = spec_.checkpoint;
  auto const enter = [&](double speed, double draw_w) { bank_.enter(job, bank_.fixed_slot(speed, draw_w, t), cls.curve->gpus, left_s, t); };
  switch (life.state) {
    case State::saving: return enter(0, c.save_w);
    case State::paused: return enter(0, c.paused_w);
    case State::restarting: return enter(0, c.restart_w);
    case State::checkpointing: return enter(0, c.draw_w);
    case State::working: break;
    case State::waiting:
    case State::finished: WATTFILL_ASSERT(false);
  }
  auto const extra = extras_.find(job);
  if (policy_.kind == TimelinePolicySpec::Kind::replay) {
    auto const draw = extra == extras_.end() ? cls.uncapped_w : draw_under_cap(*cls.curve, extra->second.cap_w);
    enter(speed_at(cls, draw), draw);
  } else if (extra != extras_.end() && extra->second.pinned >= 0) {
    auto const draw = cls.curve->curve.draw_for(extra->second.pinned * cls.curve->curve.max_speed());
    enter(speed_at(cls, draw), draw);
  } else {
    bank_.enter(job, life.cls, cls.curve->gpus, left_s, t);
  }
}

void TimelineRun::reseat(std::uint32_t job, double t) { seat(job, bank_.leave(job, t), t); }

void TimelineRun::set_timer(double time, EventKind kind, std::uint32_t job, double value) {
  auto const moves_on = kind != EventKind::cap_acts;
  if (moves_on) {
    lives_[job].timer = ++timer_number_;
    drop_transfer(job, now_);
  }
  if (kind != EventKind::checkpoint) ++open_timers_;  // a job's own checkpoints come again and again: they keep no run alive
  timers_.push({time, kind, job, moves_on ? lives_[job].timer : ++timer_number_, value});
}

void TimelineRun::set_transfer(double t, double length_s, EventKind kind, std::uint32_t job) {
  if (!storage_ || !(length_s > 0)) return set_timer(t + length_s, kind, job);
  drop_transfer(job, t);
  lives_[job].timer = ++timer_number_;
  ++open_timers_;
  storage_->add(job, length_s, spec_.checkpoint.gb_per_gpu * bank_.gpus_of(job) / length_s, t);
  transfers_[job] = {t, kind, job, timer_number_, 0};
}

void TimelineRun::drop_transfer(std::uint32_t job, double t) {
  if (transfers_.erase(job) == 0) return;
  --open_timers_;
  storage_->remove(job, t);
}

double TimelineRun::with_lost_work(std::uint32_t job, double left_s) {
  auto const& c = spec_.checkpoint;
  if (spec_.jobs[job].stateless) return left_s;
  auto left = c.on_demand || checkpoints_.empty() ? left_s : std::max(left_s, checkpoints_[job].saved_left_s);
  auto const all = phase_work(job) * (spec_.jobs[job].gpus / bank_.gpus_of(job));
  if (lives_[job].state == State::working || lives_[job].state == State::checkpointing) left = std::max(left, std::min(left + c.lost_s, all));
  lost_work_.add(left - left_s);
  return left;
}

void TimelineRun::run_on(std::uint32_t job, double t) {
  if (checkpoints_.empty() || spec_.jobs[job].stateless) return;
  auto const& c = spec_.checkpoint;
  auto& clock = checkpoints_[job];
  clock.base_s += t - clock.stopped_s;
  auto const ends = clock.base_s + (clock.next - 1) * c.period_s + c.length_s;
  if (clock.begun && ends > t) {  // still writing
    lives_[job].state = State::checkpointing;
    reseat(job, t);
    return set_transfer(t, ends - t, EventKind::checkpoint_end, job);
  }
  auto const begins = clock.base_s + clock.next * c.period_s;
  if (begins > t) set_timer(begins, EventKind::checkpoint, job);  // else the period is lost in the digits of t
}

void TimelineRun::stop_running(std::uint32_t job, double t) {
  if (!checkpoints_.empty()) checkpoints_[job].stopped_s = t;
}

void TimelineRun::fire_timers(double t) {
  while (!timers_.empty() && timers_.top().time_s <= t) {
    auto const timer = timers_.top();
    timers_.pop();
    fire(timer);
  }
  while (storage_ && storage_->next() <= t) {
    auto timer = transfers_.at(storage_->first());
    timer.time_s = t;
    transfers_.erase(timer.job);
    storage_->remove(timer.job, t);
    fire(timer);
  }
}

void TimelineRun::fire(Timer const& timer) {
  if (timer.kind != EventKind::checkpoint) --open_timers_;
  auto const job = timer.job;
  auto const t = timer.time_s;
  auto& life = lives_[job];
  if (life.state == State::finished) return;
  if (timer.kind == EventKind::cap_acts) {
    extras_[job].cap_w = timer.value;
    tell(t, timer.kind, job, draw_under_cap(*classes_[life.cls].curve, timer.value));
    if (life.state == State::working) reseat(job, t);
    return;
  }
  if (timer.number != life.timer) return;  // something else was decided meanwhile
  tell(t, timer.kind, job);
  if (timer.kind == EventKind::checkpoint || timer.kind == EventKind::checkpoint_end) {
    auto& clock = checkpoints_[job];
    clock.stopped_s = t;
    if (timer.kind == EventKind::checkpoint) {
      ++clock.next;
      clock.begun = true;
      clock.begun_left_s = bank_.left_of(job, t);
    } else {
      clock.base_s += std::max(0.0, t - (clock.base_s + (clock.next - 1) * spec_.checkpoint.period_s + spec_.checkpoint.length_s));  // it waited for storage
      clock.begun = false;
      clock.saved_left_s = clock.begun_left_s;
      life.state = State::working;
      reseat(job, t);
    }
    return run_on(job, t);
  }
  if (timer.kind != EventKind::saved) return back_to_work(job, t);
  auto& extra = extras_[job];
  if (extra.pause_wanted && !extra.resume_wanted) {
    life.state = State::paused;
    return reseat(job, t);
  }
  begin_restart(job, t);
}

void TimelineRun::act(NumberedAction const& action, double t) {
  using Kind = ActionSpec::Kind;
  auto const job = action.job;
  auto& life = lives_[job];
  auto const runs = life.state != State::finished && life.state != State::waiting;
  if (action.kind == Kind::cap && life.state != State::finished) {  // a cap may be set before the job starts
    tell(t, EventKind::cap, job, action.value);
    if (spec_.control.settle_s > 0) return set_timer(t + spec_.control.settle_s, EventKind::cap_acts, job, action.value);
    extras_[job].cap_w = action.value;
    if (life.state == State::working) reseat(job, t);
    return;
  }
  if (!runs) return tell(t, EventKind::ignored, job, action.value);
  auto& extra = extras_[job];
  switch (action.kind) {
    case Kind::cap: return;
    case Kind::pause:
      if (extra.pause_wanted && !extra.resume_wanted) return tell(t, EventKind::ignored, job);
      tell(t, EventKind::pause, job);
      extra.pause_wanted = true;
      extra.resume_wanted = false;
      if (life.state != State::saving) begin_save(job, t);
      return;
    case Kind::resume:
      if (!extra.pause_wanted || extra.resume_wanted) return tell(t, EventKind::ignored, job);
      tell(t, EventKind::resume, job);
      extra.resume_wanted = true;
      if (life.state == State::paused) begin_restart(job, t);
      return;
    case Kind::resize:
      tell(t, EventKind::resize, job, action.value);
      extra.wanted_gpus = action.value;
      if (life.state == State::working || life.state == State::checkpointing || life.state == State::restarting) begin_save(job, t);
      return;  // while it saves or is paused, the restart brings the new number
  }
}

void TimelineRun::begin_save(std::uint32_t job, double t) {
  if (lives_[job].state != State::restarting) stop_running(job, t);
  auto const left = with_lost_work(job, bank_.leave(job, t));
  lives_[job].state = State::saving;
  seat(job, left, t);
  set_transfer(t, spec_.jobs[job].stateless || !spec_.checkpoint.on_demand ? 0 : spec_.checkpoint.save_s, EventKind::saved, job);
}

void TimelineRun::begin_restart(std::uint32_t job, double t) {
  auto& life = lives_[job];
  auto& extra = extras_[job];
  auto left = bank_.leave(job, t);
  if (extra.wanted_gpus) {
    auto const before = classes_[life.cls].curve->gpus, after = *extra.wanted_gpus;
    extra.wanted_gpus.reset();
    if (after - before > free_gpus_) {
      tell(t, EventKind::ignored, job, after);
    } else if (after != before) {
      release(job, before);
      life.cls = class_on(job, after) & 0xfffffffU;
      occupy(job, after);
      left *= before / after;  // seconds at full speed on the new number
      if (!checkpoints_.empty()) {
        checkpoints_[job].saved_left_s *= before / after;
        checkpoints_[job].begun_left_s *= before / after;
      }
    }
  }
  extra.pause_wanted = extra.resume_wanted = false;
  life.state = State::restarting;
  seat(job, left, t);
  set_transfer(t, spec_.jobs[job].stateless ? 0 : spec_.checkpoint.restart_s, EventKind::restarted, job);
}

void TimelineRun::back_to_work(std::uint32_t job, double t) {
  lives_[job].state = State::working;
  reseat(job, t);
  run_on(job, t);
}

}  // namespace wattfill
