// Racks with limits of their own: who stands where, and what the limits of racks and of the whole leave to each job.
#include <string>

#include "sim/timeline_run.hpp"
#include "wattfill/policy/tree_oracle.hpp"

namespace wattfill {

double TimelineRun::next_rack_time() const {
  return rack_room_ && next_rack_limit_ < spec_.racks->limits.size() ? spec_.racks->limits[next_rack_limit_].time_s : never;
}

void TimelineRun::apply_rack_events(double t) {
  if (!rack_room_) return;
  auto const& limits = spec_.racks->limits;
  for (; next_rack_limit_ < limits.size() && limits[next_rack_limit_].time_s <= t; ++next_rack_limit_) {
    auto const& step = limits[next_rack_limit_];
    bool moved = false;
    for (std::size_t r = 0; r < rack_limits_w_.size(); ++r) {
      if ((step.rack != RackLimitStep::every && step.rack != r) || rack_limits_w_[r] == step.limit_w) continue;
      rack_limits_w_[r] = step.limit_w;
      moved = true;
    }
    if (moved) tell(t, EventKind::limit_rack, TimelineObserver::no_job, step.limit_w);
  }
}

bool TimelineRun::has_rack_for(std::uint32_t job) const { return !rack_room_ || !rack_room_->find(spec_.jobs[job].gpus, spec_.jobs[job].rack).empty(); }

void TimelineRun::allocate_in_racks(double t) {
  auto const loss = 1 + spec_.racks->loss;
  std::vector<PlacedJob> placed;
  std::vector<std::uint32_t> jobs;
  std::vector<double> other_w(rack_room_->racks());  // of GPUs that no rule divides watts among: idle ones, and jobs that write checkpoints
  for (std::size_t r = 0; r < other_w.size(); ++r) other_w[r] = rack_room_->free(r) * spec_.cluster.idle_w;
  auto left_w = aim_w_ - idle_w();
  for (auto const& [job, pieces] : rack_room_->seated()) {
    if (lives_[job].state == State::working) {
      placed.push_back({lives_[job].cls, pieces});
      jobs.push_back(job);
      continue;
    }
    auto const draw_w = bank_.draw(bank_.slot_of(job));
    for (auto const& piece : pieces) other_w[piece.node - 1] += piece.gpus * draw_w;
    left_w -= bank_.gpus_of(job) * draw_w;
  }
  if (!jobs.empty()) {
    std::vector<PowerNode> nodes(other_w.size() + 1);
    nodes[0].name = "all";
    nodes[0].limit_w = std::max(left_w, 0.0) * loss;  // what comes in for so many GPU watts
    for (std::size_t r = 0; r < other_w.size(); ++r)
      nodes[r + 1] = {"rack" + std::to_string(r), 0, std::max(rack_limits_w_[r] - other_w[r] * loss, 0.0), spec_.racks->loss, 0};
    PowerTree const tree(std::move(nodes));
    auto const best = path_->splits() ? best_in_tree(tree, demands_, placed) : std::nullopt;
    auto const draws = best ? best->draw_w : fill_tree(tree, path_->plan(), placed).draw_w;  // a fair fill also where floors alone break a limit
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      auto const draw = draws[i], speed = speed_at(classes_[placed[i].cls], draw);
      auto const slot = bank_.slot_of(jobs[i]);
      if (slot >= bank_.path_slots() && bank_.draw(slot) == draw && bank_.speed(slot) == speed) continue;
      auto const gpus = bank_.gpus_of(jobs[i]), work = bank_.leave(jobs[i], t);
      bank_.enter(jobs[i], bank_.fixed_slot(speed, draw, t), gpus, work, t);
    }
  }
}

}  // namespace wattfill
