// Policies that pause jobs: who is to be paused, decided when the limit that is aimed for changes, and when jobs start and finish.
#include <algorithm>
#include <cmath>

#include "sim/timeline_run.hpp"

namespace wattfill {

bool TimelineRun::may_pause(std::uint32_t job) const { return spec_.jobs[job].terms.min_speed == 0 && spec_.jobs[job].mean_loss > 0; }

bool TimelineRun::is_paused(std::uint32_t job) const {
  auto const extra = extras_.find(job);
  return extra != extras_.end() && extra->second.pause_wanted && !extra->second.resume_wanted;
}

void TimelineRun::pause_and_resume(double t) {
  using Kind = TimelinePolicySpec::Kind;
  if (!needs_pauses_ || (policy_.kind != Kind::pause_greedy && policy_.kind != Kind::cap_and_pause)) return;
  needs_pauses_ = false;
  auto wanted = policy_.kind == Kind::pause_greedy ? to_pause_greedily() : to_pause_beside_caps(t);
  std::ranges::sort(wanted);
  auto jobs = running_;
  std::ranges::sort(jobs);
  for (auto job : jobs) {
    auto const pause = std::ranges::binary_search(wanted, job);
    if (pause != is_paused(job)) act({pause ? ActionSpec::Kind::pause : ActionSpec::Kind::resume, t, job, 0}, t);
  }
  fire_timers(t);  // of those that take no time
}

std::vector<std::uint32_t> TimelineRun::to_pause_greedily() const {
  struct Candidate {
    bool runs;
    double worth_per_w, freed_w;
    std::uint32_t job;
    bool operator<(Candidate const& o) const { return std::tie(runs, worth_per_w, o.job) < std::tie(o.runs, o.worth_per_w, job); }
  };
  std::vector<Candidate> candidates;
  double total = idle_w();
  for (auto job : running_) {
    auto const& cls = classes_[lives_[job].cls];
    auto const gpus = bank_.gpus_of(job), freed = gpus * (cls.uncapped_w - spec_.checkpoint.paused_w);
    total += gpus * cls.uncapped_w;
    if (may_pause(job) && freed > 0) candidates.push_back({!is_paused(job), job_value({cls.curve, cls.terms}, spec_.objective) / freed, freed, job});
  }
  std::ranges::sort(candidates, std::less<>());
  std::size_t paused = 0;
  for (; paused < candidates.size() && total > aim_w_; ++paused) total -= candidates[paused].freed_w;
  std::vector<std::uint32_t> jobs;
  while (paused-- > 0) {  // the last ones may have been more than was needed
    auto const& candidate = candidates[paused];
    if (total + candidate.freed_w <= aim_w_)
      total += candidate.freed_w;
    else
      jobs.push_back(candidate.job);
  }
  return jobs;
}

double TimelineRun::event_left_s(double t) const {
  auto const& steps = spec_.aim.empty() ? spec_.limit : spec_.aim;
  auto const ends = std::ranges::find_if(steps.begin() + static_cast<std::ptrdiff_t>(spec_.aim.empty() ? next_limit_ : next_aim_), steps.end(),
                                         [&](LimitStep const& step) { return step.limit_w > aim_w_; });
  return ends == steps.end() ? std::numeric_limits<double>::infinity() : ends->time_s - t;
}

double TimelineRun::paused_share(std::size_t c, double draw_w, double t) const {
  auto const most = uncapped_w_[c], held = spec_.checkpoint.paused_w;
  if (!(draw_w < most && held < draw_w)) return 0;
  auto const share = (most - draw_w) / (most - held);  // paused, the others uncapped: the same watts
  auto const overhead = spec_.checkpoint.save_s + spec_.checkpoint.restart_s;
  return beliefs_->loss_at(c, draw_w) > share * (1 + overhead / event_left_s(t)) ? share : 0;
}

std::vector<std::uint32_t> TimelineRun::to_pause_beside_caps(double t) {
  auto const stride = bank_.path_slots();
  LaneVector gpus(held_gpus_.begin(), held_gpus_.end()), draws(stride), speeds(stride);
  path_->rates(path_->locate(gpus.data(), aim_w_ - idle_w()), draws.data(), speeds.data());
  std::vector<std::vector<std::uint32_t>> by_class(classes_.size());
  for (auto job : running_)
    if (may_pause(job)) by_class[lives_[job].cls].push_back(job);
  std::vector<std::uint32_t> jobs;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    auto& members = by_class[c];
    if (members.empty()) continue;
    auto const all = held_gpus_[c] / classes_[c].curve->gpus;  // those too that may not be paused
    auto const count = std::min(static_cast<std::size_t>(std::floor(paused_share(c, draws[c], t) * all + 0.5)), members.size());
    std::ranges::sort(members, [&](auto l, auto r) { return std::pair(is_paused(r), r) < std::pair(is_paused(l), l); });  // paused ones, then the latest
    jobs.insert(jobs.end(), members.begin(), members.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return jobs;
}

}  // namespace wattfill
