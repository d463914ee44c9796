// Who draws what.
#include <algorithm>

#include "sim/snapshot_kernel.hpp"
#include "sim/timeline_run.hpp"

namespace wattfill {
namespace {

/// Two needed speeds that differ by less are the same: a job held to the speed it needs keeps needing it, but for rounding.
constexpr double same_speed = 1e-9;

}  // namespace

void TimelineRun::allocate(double t) {
  if (path_) {
    auto left = room();
    if (!due_jobs_.empty()) {
      hold_to_needed_speeds(t, left);
      left = room();
    }
    gpus_of_class_.assign(bank_.class_gpus(), bank_.class_gpus() + bank_.path_slots());
    auto const place = locate(gpus_of_class_.data(), left);
    auto* const draws = bank_.wanted_draws();
    auto* const speeds = bank_.wanted_speeds();
    path_->rates(place, draws, speeds);
    if (path_->splits()) {
      auto const c = place.moving;
      if (!(place.at.theta > 0)) {
        bank_.join(t);
      } else {
        auto const lower = draws[c], upper = path_->upper_draw(place);
        auto const parts = split_class(bank_.class_jobs(c), place.at.theta, lower, upper);
        bank_.split(c, parts.up, parts.part > 0, t);
        draws[bank_.middle()] = parts.part > 0 ? parts.middle_w : 0;
        speeds[bank_.middle()] = parts.part > 0 ? speed_at(classes_[c], parts.middle_w) : 0;
        draws[bank_.upper()] = upper;
        speeds[bank_.upper()] = path_->upper_speed(place);
      }
    }
  }
  power_w_ = bank_.turn(t);
}

double TimelineRun::needed_speed(std::uint32_t job, double t) const {
  auto const& what = spec_.jobs[job];
  auto due = what.deadline_s;
  if (what.mean_loss < 1) due = std::min(due, lives_[job].start_s + what.work_s / (1 - what.mean_loss));
  auto const left = bank_.left_of(job, t);
  auto const needed = due > t ? left / (due - t) : 1.0;
  return std::min(needed, 1.0);
}

void TimelineRun::hold_to_needed_speeds(double t, Room left) {
  // Nobody held at first: the level is then too high rather than too low, so that whoever falls short at it falls short at the true one.
  struct Due {
    std::uint32_t job, cls;
    double gpus, speed, draw_w;
    bool held;
  };
  std::vector<Due> due;
  LaneVector gpus(bank_.class_gpus(), bank_.class_gpus() + bank_.path_slots());
  LaneVector draws(bank_.path_slots()), speeds(bank_.path_slots());
  for (auto job : due_jobs_) {
    if (lives_[job].state != State::working) continue;
    auto const& cls = classes_[lives_[job].cls];
    auto const pinned = extras_[job].pinned;
    auto speed = needed_speed(job, t);
    if (pinned >= 0 && std::abs(speed - pinned) <= same_speed) speed = pinned;
    auto const draw = cls.curve->curve.draw_for(speed * cls.curve->curve.max_speed());
    due.push_back({job, lives_[job].cls, bank_.gpus_of(job), speed, draw, false});
    if (pinned >= 0) {
      gpus[lives_[job].cls] += bank_.gpus_of(job);
      take(left, -bank_.gpus_of(job), bank_.draw(bank_.slot_of(job)));
    }
  }
  for (bool more = true; more;) {
    more = false;
    path_->rates(locate(gpus.data(), left), draws.data(), speeds.data());
    for (auto& d : due) {
      if (d.held || !(d.speed > speeds[d.cls])) continue;
      d.held = more = true;
      gpus[d.cls] -= d.gpus;
      take(left, d.gpus, d.draw_w);
    }
  }
  for (auto const& d : due) {
    auto& pinned = extras_[d.job].pinned;
    auto const wanted = d.held ? d.speed : -1.0;
    if (wanted == pinned) continue;
    pinned = wanted;
    reseat(d.job, t);
  }
}

}  // namespace wattfill
