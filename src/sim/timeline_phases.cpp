// Jobs whose work is a cycle of phases, each with a curve of its own.
#include <algorithm>

#include "sim/timeline_run.hpp"

namespace wattfill {

double TimelineRun::work_before(std::uint32_t job) const {
  auto const cycle = cycles_.find(job);
  if (cycle == cycles_.end()) return 0;
  auto const& phases = spec_.cycles[spec_.jobs[job].cycle - 1];
  double round = 0, before = 0;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    if (p < cycle->second.phase) before += phases[p].work_s;
    round += phases[p].work_s;
  }
  return static_cast<double>(cycle->second.rounds) * round + before;  // computed, not accumulated
}

double TimelineRun::phase_work(std::uint32_t job) const {
  auto const& what = spec_.jobs[job];
  auto const cycle = cycles_.find(job);
  if (cycle == cycles_.end()) return what.work_s;
  return std::clamp(what.work_s - work_before(job), 0.0, spec_.cycles[what.cycle - 1][cycle->second.phase].work_s);
}

double TimelineRun::left_of(std::uint32_t job, double t) const {
  auto const here = bank_.left_of(job, t);
  if (!cycles_.contains(job)) return here;
  auto const& what = spec_.jobs[job];
  auto const after = std::max(what.work_s - work_before(job) - phase_work(job), 0.0);
  return here + after * (what.gpus / bank_.gpus_of(job));
}

double TimelineRun::tokens_of(std::uint32_t job, double t) const {
  auto const& cycle = cycles_.at(job);
  if (lives_[job].state == State::finished) return cycle.tokens.value();
  auto const& curve = *classes_[lives_[job].cls].curve;
  auto const done = phase_work(job) * (spec_.jobs[job].gpus / curve.gpus) - bank_.left_of(job, t);
  return cycle.tokens.value() + done * curve.curve.max_speed();
}

bool TimelineRun::next_phase(std::uint32_t job, double t) {
  auto const found = cycles_.find(job);
  if (found == cycles_.end()) return false;
  auto& cycle = found->second;
  auto& life = lives_[job];
  auto const gpus = bank_.gpus_of(job), scale = spec_.jobs[job].gpus / gpus;
  cycle.tokens.add(phase_work(job) * scale * classes_[life.cls].curve->curve.max_speed());
  if (++cycle.phase == spec_.cycles[spec_.jobs[job].cycle - 1].size()) {
    cycle.phase = 0;
    ++cycle.rounds;
  }
  auto const work = phase_work(job);
  if (!(work > 0)) return false;
  held_gpus_[life.cls] -= gpus;
  life.cls = class_on(job, gpus) & 0xfffffffU;
  held_gpus_[life.cls] += gpus;
  if (!checkpoints_.empty()) checkpoints_[job].saved_left_s = checkpoints_[job].begun_left_s = work * scale;
  seat(job, work * scale, t);
  tell(t, EventKind::phase, job, static_cast<double>(cycle.phase));
  return true;
}

}  // namespace wattfill
