// Who starts when.
#include <algorithm>

#include "sim/timeline_run.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {

void TimelineRun::schedule(double t) {
  if (!needs_schedule_) return;
  needs_schedule_ = false;
  while (!queue_.empty()) {
    auto const head = queue_.head();
    auto const needed = spec_.jobs[head].gpus;
    if (needed <= free_gpus_ && has_power_for(head) && has_rack_for(head)) {
      queue_.pop_head();
      start(head, t);
      continue;
    }
    if (spec_.queue.order != QueueSpec::Order::easy || needed <= free_gpus_ || queue_.size() == 1 || !(free_gpus_ > 0)) return;
    std::vector<JobQueue::Running> running;
    running.reserve(running_.size());
    for (auto job : running_) {
      auto const& what = spec_.jobs[job];
      auto const left = left_of(job, t) + (what.estimate_s < 0 ? 0 : what.estimate_s - what.work_s);
      running.push_back({t + std::max(left, 0.0), bank_.gpus_of(job)});
    }
    auto const reserved = JobQueue::reserve(running, free_gpus_, needed);
    queue_.backfill(t, free_gpus_, reserved, spec_.jobs, [&](std::uint32_t job) {
      if (!has_power_for(job) || !has_rack_for(job)) return false;
      start(job, t);
      return true;
    });
    return;
  }
}

bool TimelineRun::has_power_for(std::uint32_t job) const {
  if (!spec_.queue.hold) return true;
  double floors = 0;
  for (std::size_t c = 0; c < classes_.size(); ++c) floors += held_gpus_[c] * floor_w_[c];
  auto const gpus = spec_.jobs[job].gpus;
  auto const idle = spec_.cluster.idle_w > 0 ? (free_gpus_ - gpus) * spec_.cluster.idle_w : 0.0;
  return floors + gpus * floor_w_[lives_[job].cls] + idle <= aim_w_ && it_room_for(job);
}

void TimelineRun::start(std::uint32_t job, double t) {
  auto& life = lives_[job];
  life.start_s = t;
  tell(t, EventKind::start, job);
  if (spec_.jobs[job].work_s == 0) {  // nothing to do: it is done at once
    life.finish_s = t;
    life.state = State::finished;
    ++finished_;
    return tell(t, EventKind::finish, job);
  }
  occupy(job, spec_.jobs[job].gpus);
  if (rack_room_) rack_room_->seat(job, rack_room_->find(spec_.jobs[job].gpus, spec_.jobs[job].rack));
  ++running_jobs_;
  needs_pauses_ = true;
  if (!place_in_running_.empty()) {
    place_in_running_[job] = static_cast<std::uint32_t>(running_.size());
    running_.push_back(job);
  }
  if ((policy_.kind == TimelinePolicySpec::Kind::deadline || policy_.kind == TimelinePolicySpec::Kind::least_laxity) &&
      (spec_.jobs[job].deadline_s < std::numeric_limits<double>::infinity() || spec_.jobs[job].mean_loss < 1))
    due_jobs_.push_back(job);
  life.state = State::working;
  if (spec_.jobs[job].cycle > 0) cycles_[job];
  seat(job, phase_work(job), t);
  if (checkpoints_.empty() || spec_.jobs[job].stateless) return;
  auto const since = spec_.jobs[job].since_checkpoint_s;
  checkpoints_[job] = {t - std::max(since, 0.0), t, 1, since >= 0, phase_work(job), phase_work(job)};
  run_on(job, t);
}

void TimelineRun::occupy(std::uint32_t job, double gpus) {
  held_gpus_[lives_[job].cls] += gpus;
  free_gpus_ -= gpus;
}

void TimelineRun::release(std::uint32_t job, double gpus) {
  held_gpus_[lives_[job].cls] -= gpus;
  free_gpus_ += gpus;
  needs_schedule_ = true;
  if (lives_[job].state != State::finished) return;
  --running_jobs_;
  needs_pauses_ = true;
  if (rack_room_) rack_room_->leave(job);
  if (!place_in_running_.empty()) {
    auto const place = place_in_running_[job];
    running_[place] = running_.back();
    place_in_running_[running_[place]] = place;
    running_.pop_back();
  }
  if (auto const due = std::ranges::find(due_jobs_, job); due != due_jobs_.end()) due_jobs_.erase(due);
}

}  // namespace wattfill
