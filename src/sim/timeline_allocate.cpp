// Who draws what.
#include <algorithm>
#include <cmath>

#include "sim/snapshot_kernel.hpp"
#include "sim/timeline_run.hpp"

namespace wattfill {
namespace {

/// Two needed speeds that differ by less are the same: a job held to the speed it needs keeps needing it, but for rounding.
constexpr double same_speed = 1e-9;

}  // namespace

void TimelineRun::allocate(double t) {
  if (path_ && rack_room_) {
    allocate_in_racks(t);
  } else if (path_) {
    auto left = room();
    if (!due_jobs_.empty()) {
      policy_.kind == TimelinePolicySpec::Kind::deadline ? hold_to_needed_speeds(t, left) : serve_by_laxity(t, left.gpu_w);
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
    if (loop_ != Loop::exact) put_under_caps(place.moving, t);
  }
  power_w_ = bank_.turn(t);
}

double TimelineRun::due_s(std::uint32_t job) const {
  auto const& what = spec_.jobs[job];
  return what.mean_loss < 1 ? std::min(what.deadline_s, lives_[job].start_s + what.work_s / (1 - what.mean_loss)) : what.deadline_s;
}

double TimelineRun::needed_speed(std::uint32_t job, double t) const {
  auto const due = due_s(job);
  auto const left = left_of(job, t);
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
  for (auto const& d : due) pin(d.job, d.held ? d.speed : -1.0, t);
}

void TimelineRun::pin(std::uint32_t job, double speed, double t) {
  auto& pinned = extras_[job].pinned;
  if (pinned == speed) return;
  pinned = speed;
  reseat(job, t);
}

void TimelineRun::serve_by_laxity(double t, double budget_w) {
  struct Due {
    double laxity_s;
    std::uint32_t job;
    auto operator<=>(Due const&) const = default;
  };
  std::vector<Due> due;
  for (std::size_t c = 0; c < classes_.size(); ++c) budget_w -= bank_.class_gpus()[c] * floor_w_[c];  // what nobody can go below
  for (auto job : due_jobs_) {
    if (lives_[job].state != State::working) continue;
    due.push_back({due_s(job) - t - left_of(job, t), job});
    auto const pinned = extras_[job].pinned >= 0;
    if (pinned) budget_w += bank_.gpus_of(job) * (bank_.draw(bank_.slot_of(job)) - floor_w_[lives_[job].cls]);
  }
  std::ranges::sort(due);
  for (auto const& d : due) {
    auto const c = lives_[d.job].cls;
    auto const gpus = bank_.gpus_of(d.job), more = std::clamp(budget_w, 0.0, gpus * (uncapped_w_[c] - floor_w_[c]));
    budget_w -= more;
    pin(d.job, speed_at(classes_[c], floor_w_[c] + more / gpus), t);
  }
}

}  // namespace wattfill
