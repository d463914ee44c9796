// The way from the GPUs to the meter while a timeline runs: limits there, the weather, what is read.
#include <algorithm>

#include "sim/timeline_run.hpp"

namespace wattfill {
double TimelineRun::next_site_time() const {
  double t = never;
  if (next_it_limit_ < spec_.it_limit.size()) t = std::min(t, spec_.it_limit[next_it_limit_].time_s);
  if (next_meter_limit_ < spec_.meter_limit.size()) t = std::min(t, spec_.meter_limit[next_meter_limit_].time_s);
  if (site_ && next_outdoor_ < spec_.metering->outdoor_c.size()) t = std::min(t, spec_.metering->outdoor_c[next_outdoor_].time_s);
  if (site_ && spec_.probe && !probing_) t = std::min(t, spec_.probe->from_s);
  return t;
}

void TimelineRun::apply_site_events(double t) {
  if (!site_) return;
  probing_ = spec_.probe && t >= spec_.probe->from_s;
  auto moved = !room_known_;
  auto const limits = [&](std::vector<LimitStep> const& steps, std::size_t& next, double& limit_w, EventKind kind) {
    for (; next < steps.size() && steps[next].time_s <= t; ++next) {
      if (steps[next].limit_w == limit_w) continue;
      limit_w = steps[next].limit_w;
      moved = true;
      tell(t, kind, TimelineObserver::no_job, limit_w);
    }
  };
  limits(spec_.it_limit, next_it_limit_, limit_it_w_, EventKind::limit_it);
  limits(spec_.meter_limit, next_meter_limit_, limit_meter_w_, EventKind::limit_meter);
  auto const& outdoor = spec_.metering->outdoor_c;
  for (; next_outdoor_ < outdoor.size() && outdoor[next_outdoor_].time_s <= t; ++next_outdoor_) {
    site_->set_outdoor(outdoor[next_outdoor_].value);
    moved = true;
    tell(t, EventKind::outdoor, TimelineObserver::no_job, outdoor[next_outdoor_].value);
  }
  if (!moved) return;
  it_room_w_ = site_->it_room_w(limit_it_w_, limit_meter_w_);
  room_known_ = true;
  needs_schedule_ = needs_schedule_ || spec_.queue.hold;
}

TimelineRun::Room TimelineRun::room() const {
  if (policy_.kind == TimelinePolicySpec::Kind::pause_greedy) return {never, never};  // nobody is capped
  auto const target = aim_w_ + (control_ ? control_->correction_w() : 0.0);
  Room left{target - idle_w() - bank_.fixed_draw_w(), never};
  if (it_room_w_ == never) return left;
  left.it_w = it_room_w_ - site_->it_w(free_gpus_, spec_.cluster.idle_w);
  for (auto s = bank_.path_slots() + 2; s < bank_.slots(); ++s) left.it_w -= site_->it_w(bank_.gpus(s), bank_.draw(s));
  return left;
}

void TimelineRun::take(Room& room, double gpus, double draw_w) const {
  room.gpu_w -= gpus * draw_w;
  if (room.it_w < never) room.it_w -= gpus < 0 ? -site_->it_w(-gpus, draw_w) : site_->it_w(gpus, draw_w);
}

TimelinePath::Place TimelineRun::locate(double* gpus, Room const& room) {
  if (room.it_w == never) return path_->locate(gpus, room.gpu_w);
  jobs_of_class_.assign(bank_.path_slots(), 0.0);  // a class that is split counts its jobs
  for (std::size_t c = 0; c < classes_.size(); ++c) jobs_of_class_[c] = gpus[c] / classes_[c].curve->gpus;
  return path_->locate(jobs_of_class_.data(), gpus, room.gpu_w, room.it_w, site_->facility());
}

bool TimelineRun::it_room_for(std::uint32_t job) const {
  if (it_room_w_ == never) return true;
  auto const gpus = spec_.jobs[job].gpus;
  auto floors = site_->it_w(free_gpus_ - gpus, spec_.cluster.idle_w) + site_->it_w(gpus, floor_w_[lives_[job].cls]);
  for (std::size_t c = 0; c < classes_.size(); ++c) floors += site_->it_w(held_gpus_[c], floor_w_[c]);
  return floors <= it_room_w_;
}

Site::Reading TimelineRun::read_site() {
  Site::Load const idle{free_gpus_, spec_.cluster.idle_w};
  loads_.assign(1, idle);
  Site::Reading now{};
  now.uncapped_gpu_w = idle.gpus * idle.draw_w;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    loads_.push_back({held_gpus_[c], uncapped_w_[c]});
    now.uncapped_gpu_w += held_gpus_[c] * uncapped_w_[c];
  }
  auto const uncapped = site_->steady(loads_);
  now.uncapped_meter_w = uncapped.meter_w();
  uncapped_it_w_ = uncapped.it_w();
  loads_.assign(1, idle);
  for (std::size_t s = 0; s < bank_.slots(); ++s)
    if (bank_.count(s) > 0) loads_.push_back({bank_.gpus(s), bank_.draw(s)});
  now.steady = site_->steady(loads_);
  now.marginal = site_->marginal(loads_);
  now.limit_w = limit_meter_w_;
  return now;
}

}  // namespace wattfill
