// From what a policy decides to what is drawn: beliefs, caps, and the correction by what is measured.
#include <algorithm>
#include <cmath>

#include "sim/timeline_run.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {

void TimelineRun::make_path() {
  auto const demands = beliefs_->demands();
  for (std::size_t c = 0; c < demands.size(); ++c) floor_w_[c] = demands[c].floor_w;
  path_.emplace(*rule_, classes_, demands);
  if (rack_room_) demands_ = demands;
  if (site_ && (spec_.probe || !spec_.it_limit.empty() || !spec_.meter_limit.empty())) path_->meter(site_->facility());
  if (loop_ == Loop::exact || !(spec_.control.rollout_s > 0)) return;
  if (path_->splits())
    throw InputError(
        {{}, "loop", "caps cannot be rolled out under this rule (it treats jobs of one class differently); use loop: exact, or control.rollout_s: 0"});
  if (groups_.empty()) groups_.resize(classes_.size() * rollout_groups);
}

ControlLoop::Reach TimelineRun::reach() const {
  auto const fixed = idle_w() + bank_.fixed_draw_w() - aim_w_;
  ControlLoop::Reach reach{fixed, fixed};
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    reach.low += bank_.class_gpus()[c] * floor_w_[c];
    reach.high += bank_.class_gpus()[c] * uncapped_w_[c];
  }
  return reach;
}

void TimelineRun::read_sensor(double t) {
  while (control_->next() <= t) {
    bool const reads = control_->reads_next();
    auto const told = control_->act(t, aim_w_, reach());
    if (!reads) continue;
    stalled_ = running_jobs_ > 0 && !std::isfinite(bank_.next_finish()) ? stalled_ + 1 : 0;
    if (told == ControlLoop::Told::fail_safe) tell(t, EventKind::fail_safe, TimelineObserver::no_job, control_->correction_w());
    if (told == ControlLoop::Told::back) tell(t, EventKind::telemetry_back, TimelineObserver::no_job);
    if (loop_ != Loop::learning || told != ControlLoop::Told::reading) continue;
    bool news = false;
    for (std::size_t c = 0; c < classes_.size(); ++c)
      if (bank_.count(c) > 0) news = beliefs_->see(c, bank_.draw(c), bank_.speed(c)) || news;
    if (news) make_path();
  }
}

void TimelineRun::put_under_caps(std::size_t split_class, double t) {
  auto* const draws = bank_.wanted_draws();
  auto* const speeds = bank_.wanted_speeds();
  auto const& control = spec_.control;
  auto const put = [&](std::size_t slot, std::size_t c) {
    if (!(bank_.count(slot) > 0) || draws[slot] >= uncapped_w_[c]) return;
    auto cap = beliefs_->cap_for(c, draws[slot]);
    if (control.cap_step_w > 0) cap = std::floor(cap / control.cap_step_w) * control.cap_step_w;
    draws[slot] = draw_under_cap(*classes_[c].curve, std::max(cap, control.least_cap_w));
    speeds[slot] = speed_at(classes_[c], draws[slot]);
  };
  for (std::size_t c = 0; c < classes_.size(); ++c) put(c, c);
  if (path_->splits()) {
    put(bank_.middle(), split_class);
    put(bank_.upper(), split_class);
  }
  if (groups_.empty()) return;
  auto const reaches = rolling_ && next_tick_s() <= t;
  if (!rolling_) tick_ = static_cast<std::uint64_t>(t / (control.rollout_s / rollout_groups));
  rolling_ = false;
  for (std::size_t c = 0; c < classes_.size(); ++c) roll_out(c, reaches);
  if (reaches || rolling_)
    while (next_tick_s() <= t) ++tick_;
}

void TimelineRun::roll_out(std::size_t c, bool reaches_group) {
  auto const groups = std::span(groups_).subspan(c * rollout_groups, rollout_groups);
  if (!(bank_.count(c) > 0)) return void(std::ranges::fill(groups, Group{}));
  auto& draw = bank_.wanted_draws()[c];
  auto& speed = bank_.wanted_speeds()[c];
  Group const decided{draw, speed};
  if (groups.front().draw_w < 0) return void(std::ranges::fill(groups, decided));  // the first job comes with its cap
  if (reaches_group) groups[tick_ % rollout_groups] = decided;
  if (std::ranges::all_of(groups, [&](Group const& g) { return g == decided; })) return;
  rolling_ = true;
  draw = speed = 0;
  for (auto const& g : groups) {
    draw += g.draw_w / rollout_groups;
    speed += g.speed / rollout_groups;
  }
}

}  // namespace wattfill
