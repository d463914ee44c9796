// The loop: book, apply all events of the instant, divide watts once.
#include "sim/timeline_run.hpp"

#include <algorithm>
#include <cmath>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TimelineRun::TimelineRun(TimelineSpec const& spec, ClassSet const& classes, TimelinePolicySpec const& policy, std::vector<NumberedAction> actions,
                         TimelineObserver* observer)
    : spec_(spec),
      set_(classes),
      classes_(classes.classes),
      policy_(policy),
      observer_(observer),
      bank_(classes.classes.size(), spec.jobs.size()),
      queue_(spec.queue),
      loop_(policy.kind == TimelinePolicySpec::Kind::replay ? Loop::exact : policy.loop.value_or(spec.control.loop)),
      actions_(std::move(actions)),
      free_gpus_(spec.cluster.gpus),
      held_gpus_(padded(classes.classes.size()), 0.0) {
  if (spec.metering) site_.emplace(*spec.metering, spec.cluster.gpus);
  if (spec.racks) {
    rack_room_.emplace(*spec.racks, spec.cluster.gpus);
    rack_limits_w_.assign(rack_room_->racks(), never);
  }
  for (auto const& cls : classes_) {
    uncapped_w_.push_back(cls.uncapped_w);
    floor_w_.push_back(cls.floor_w);
  }
  if (policy.kind != TimelinePolicySpec::Kind::replay && !classes_.empty()) {
    rule_ = make_policy(policy.rule);
    beliefs_.emplace(spec, classes_, policy.rule);
    make_path();
    if (loop_ == Loop::closed || loop_ == Loop::learning)
      control_.emplace(spec.control.sensor, spec.control.correction, spec.seed, spec.replication, spec.duration_s);
  }
  WATTFILL_ASSERT(classes_.size() < 1U << 28U);
  lives_.resize(spec.jobs.size());
  for (std::size_t j = 0; j < lives_.size(); ++j) {
    auto& life = lives_[j];
    life.start_s = life.finish_s = none;
    life.timer = 0;
    life.cls = classes.class_of[j] & 0xfffffffU;
    life.state = State::waiting;
  }
  if (spec.checkpoint.periodic()) checkpoints_.resize(spec.jobs.size());
  if (spec.checkpoint.contends()) storage_.emplace(spec.checkpoint.storage_gb_per_s);
  auto const pauses = policy.kind == TimelinePolicySpec::Kind::pause_greedy || policy.kind == TimelinePolicySpec::Kind::cap_and_pause;
  if (spec.queue.order == QueueSpec::Order::easy || pauses) place_in_running_.assign(spec.jobs.size(), 0);
}

bool TimelineRun::alive() const {
  // Something can still happen: to a job that is there, or because one comes.
  if (next_submit_ < spec_.jobs.size()) return true;
  if (finished_ == spec_.jobs.size()) return false;
  if (rolling_) return true;
  if (control_ && running_jobs_ > 0 && stalled_ < most_stalled) return true;  // a correction may move them again
  return bank_.next_finish() < never || next_limit_ < spec_.limit.size() || next_aim_ < spec_.aim.size() || next_site_time() < never ||
         next_rack_time() < never || next_action_ < actions_.size() || open_timers_ > 0;
}

double TimelineRun::next_time() const {
  double t = bank_.next_finish();
  if (!timers_.empty()) t = std::min(t, timers_.top().time_s);
  if (storage_) t = std::min(t, storage_->next());
  if (next_submit_ < spec_.jobs.size()) t = std::min(t, spec_.jobs[next_submit_].submit_s);
  if (next_limit_ < spec_.limit.size()) t = std::min(t, spec_.limit[next_limit_].time_s);
  if (next_aim_ < spec_.aim.size()) t = std::min(t, spec_.aim[next_aim_].time_s);
  if (next_action_ < actions_.size()) t = std::min(t, actions_[next_action_].time_s);
  if (next_price_ < spec_.price_usd_per_mwh.size()) t = std::min(t, spec_.price_usd_per_mwh[next_price_].time_s);
  if (next_carbon_ < spec_.carbon_g_per_kwh.size()) t = std::min(t, spec_.carbon_g_per_kwh[next_carbon_].time_s);
  t = std::min({t, next_site_time(), next_rack_time()});
  if (control_) t = std::min(t, control_->next());
  if (rolling_) t = std::min(t, next_tick_s());
  return std::max(t, 0.0);  // what was said for before the run begins with it
}

void TimelineRun::happen(double t) {
  WATTFILL_ASSERT(t >= now_);
  now_ = t;
  apply_events(t);
  if (control_) read_sensor(t);
  schedule(t);
  pause_and_resume(t);
  allocate(t);
}

void TimelineRun::turn(double t) {
  happen(t);
  measure(t);
}

TimelineMetrics TimelineRun::run() {
  turn(0);
  while (std::isfinite(spec_.duration_s) || alive()) {
    auto const t = next_time();
    if (t == never || t > spec_.duration_s) break;
    turn(t);
  }
  return report(std::isfinite(spec_.duration_s) ? spec_.duration_s : now_);
}

void TimelineRun::apply_events(double t) {
  if (bank_.next_finish() <= t)
    for (auto job = bank_.pop_finished(t); job != ClockBank::nowhere; job = bank_.pop_finished(t)) {
      if (bank_.soon() != ClockBank::nowhere) __builtin_prefetch(&lives_[bank_.soon()], 1);
      finish(job, t);
    }
  fire_timers(t);
  for (; next_limit_ < spec_.limit.size() && spec_.limit[next_limit_].time_s <= t; ++next_limit_) {
    if (spec_.limit[next_limit_].limit_w == limit_w_) continue;
    limit_w_ = spec_.limit[next_limit_].limit_w;
    tell(t, EventKind::limit, TimelineObserver::no_job, limit_w_);
    if (spec_.aim.empty()) aim_for(limit_w_);
  }
  for (; next_aim_ < spec_.aim.size() && spec_.aim[next_aim_].time_s <= t; ++next_aim_) {
    if (spec_.aim[next_aim_].limit_w == aim_w_) continue;
    aim_for(spec_.aim[next_aim_].limit_w);
    tell(t, EventKind::aim, TimelineObserver::no_job, aim_w_);
  }
  apply_site_events(t);
  apply_rack_events(t);
  for (; next_price_ < spec_.price_usd_per_mwh.size() && spec_.price_usd_per_mwh[next_price_].time_s <= t; ++next_price_)
    price_ = spec_.price_usd_per_mwh[next_price_].value;
  for (; next_carbon_ < spec_.carbon_g_per_kwh.size() && spec_.carbon_g_per_kwh[next_carbon_].time_s <= t; ++next_carbon_)
    carbon_ = spec_.carbon_g_per_kwh[next_carbon_].value;
  for (; next_action_ < actions_.size() && actions_[next_action_].time_s <= t; ++next_action_) act(actions_[next_action_], t);
  fire_timers(t);  // of actions that take no time
  for (; next_submit_ < spec_.jobs.size() && spec_.jobs[next_submit_].submit_s <= t; ++next_submit_) {
    auto const job = static_cast<std::uint32_t>(next_submit_);
    queue_.push(job, spec_.jobs[job]);
    needs_schedule_ = true;
    tell(t, EventKind::submit, job);
  }
}

void TimelineRun::aim_for(double watts) {
  aim_w_ = watts;
  needs_schedule_ = needs_schedule_ || spec_.queue.hold;
  needs_pauses_ = true;
}

void TimelineRun::finish(std::uint32_t job, double t) {
  if (next_phase(job, t)) return;
  auto& life = lives_[job];
  drop_transfer(job, t);
  life.finish_s = t;
  life.state = State::finished;
  ++life.timer;  // what was planned for it is void
  ++finished_;
  release(job, bank_.gpus_of(job));
  tell(t, EventKind::finish, job);
}

void TimelineRun::tell(double t, EventKind kind, std::uint32_t job, double value) {
  ++events_;
  if (observer_ != nullptr) observer_->event(t, kind, job, value);
}

void TimelineRun::measure(double t) {
  double uncapped = 0;
  for (std::size_t c = 0; c < classes_.size(); ++c) uncapped += held_gpus_[c] * uncapped_w_[c];
  auto const idle = idle_w();
  auto const power = power_w_ + idle;
  if (control_) control_->set(t, power, aim_w_, reach());
  uncapped += idle;
  TimelineObserver::PowerRow row{t, limit_w_, power, 0, 0, 0, limit_it_w_, limit_meter_w_};
  if (spec_.limit.empty()) row.limit_w = spec_.meter_limit.empty() ? limit_it_w_ : limit_meter_w_;
  Meter::Reading now{power, power, limit_w_, uncapped, power - limit_w_, limit_w_, idle, price_, carbon_};
  std::optional<Site::Reading> site;
  if (site_) {
    site = read_site();
    row.it_w = site->steady.it_w();
    row.meter_w = site->steady.meter_w();
    auto const at = [&](double power_w, double limit_w, double uncapped_w) {  // the outermost place that has a limit counts
      now.power_w = power_w;
      now.limit_w = limit_w;
      now.uncapped_w = uncapped_w;
      if (power_w - limit_w > now.over_w) {
        now.over_w = power_w - limit_w;
        now.over_limit_w = limit_w;
      }
    };
    if (!spec_.it_limit.empty()) at(row.it_w, limit_it_w_, uncapped_it_w_);
    if (!spec_.meter_limit.empty()) at(row.meter_w, limit_meter_w_, site->uncapped_meter_w);
  }
  auto const same = pending_ && pending_->limit_w == row.limit_w && pending_->gpu_w == row.gpu_w && pending_->it_w == row.it_w &&
                    pending_->meter_w == row.meter_w && pending_->limit_it_w == row.limit_it_w && pending_->limit_meter_w == row.limit_meter_w;
  auto const told = observer_ != nullptr && !(same && pending_->time_s < t);
  if (told && pending_ && pending_->time_s < t) flush_power(t);
  if (site_) {
    site_->set_price(t, price_, carbon_);
    site_->read(t, *site);
    row.meter_shown_w = site_->shown_w(t);
    probe(t, *site);
  }
  meter_.read(t, now);
  if (told) pending_ = row;
}

void TimelineRun::flush_power(double until) {
  if (!pending_) return;
  if (!site_) pending_->it_w = pending_->meter_w = pending_->meter_shown_w = none;
  observer_->power(*pending_);
  if (spec_.sample_s > 0) {
    auto const at = [&](std::uint64_t k) { return static_cast<double>(k) * spec_.sample_s; };
    samples_ = std::max(samples_, static_cast<std::uint64_t>(pending_->time_s / spec_.sample_s));  // near the first after it, and then exactly
    while (at(samples_) <= pending_->time_s) ++samples_;
    for (; at(samples_) < until; ++samples_) {
      if (++sampled_ > most_samples)
        throw InputError({{},
                          "sample_s",
                          "power.csv would have more than " + std::to_string(most_samples) + " sampled rows for one policy (up to " +
                              std::to_string(at(samples_)) + " s so far); raise sample_s, leave it out, or end the run earlier (duration_s)"});
      pending_->time_s = at(samples_);
      if (site_) pending_->meter_shown_w = site_->shown_w(pending_->time_s);
      observer_->power(*pending_);
    }
  }
  pending_.reset();
}

TimelineMetrics TimelineRun::report(double end) {
  if (observer_ != nullptr) flush_power(end);
  TimelineMetrics m{};
  bool const priced = !spec_.price_usd_per_mwh.empty(), has_carbon = !spec_.carbon_g_per_kwh.empty();
  meter_.report(end, priced, has_carbon, m);
  std::fill(m.begin() + metric::it_j, m.begin() + metric::baseline_rrmse + 1, none);
  if (site_) {
    auto const joules = site_->report(end, m);
    if (observer_ != nullptr) {
      observer_->components(joules);
      if (spec_.metering->reading_s > 0) observer_->meter(site_->readings());
    }
  }
  std::size_t begun = 0;
  ExactSum tokens, slowdowns, waited;
  double worst = none;
  std::size_t slowed = 0;
  bool units_agree = true;
  for (std::uint32_t j = 0; j < spec_.jobs.size(); ++j) {
    auto const& job = spec_.jobs[j];
    auto& life = lives_[j];
    auto const done = life.state == State::finished;
    auto const started = !std::isnan(life.start_s);
    auto const left = done ? 0.0 : bank_.seated(j) ? left_of(j, end) : job.work_s;
    auto const& curve = *classes_[life.cls].curve;
    units_agree = units_agree && !curve.speed_unit.empty() && curve.speed_unit == classes_.front().curve->speed_unit;
    if (started) {
      if (job.cycle > 0) tokens.add(tokens_of(j, end));
      if (job.cycle == 0) tokens.add(job.work_s * classes_[set_.class_of[j]].curve->curve.max_speed());
      if (job.cycle == 0 && !done) tokens.add(-left * curve.curve.max_speed());
      waited.add(life.start_s - job.submit_s);
      ++begun;
    }
    auto const run_s = life.finish_s - life.start_s;
    if (done && job.work_s > 0) {
      slowdowns.add(run_s / job.work_s);
      worst = slowed++ == 0 ? run_s / job.work_s : std::max(worst, run_s / job.work_s);
    }
    if (job.deadline_s <= end && !(life.finish_s <= job.deadline_s)) m[metric::deadline_misses] += 1;
    if (done && job.work_s < run_s * (1 - job.mean_loss) * (1 - 1e-9)) m[metric::budget_misses] += 1;
    if (job.submit_s <= end) m[done ? metric::finished : metric::unfinished] += 1;
    if (observer_ != nullptr)
      observer_->job(j, {life.start_s, life.finish_s, bank_.energy_of(j, end), left, bank_.gpus_of(j) > 0 ? bank_.gpus_of(j) : job.gpus});
    life.start_s -= job.submit_s;  // its wait from here on: nothing else is asked of it any more
  }
  std::ranges::partition(lives_, [](Life const& life) { return !std::isnan(life.start_s); });
  // Smallest wait that at least a share q of those who started do not exceed.
  auto const wait = [&](double q) {
    if (begun == 0) return none;
    auto const at = lives_.begin() + static_cast<std::ptrdiff_t>(std::max(std::ceil(q * static_cast<double>(begun)) - 1, 0.0));
    std::nth_element(lives_.begin(), at, lives_.begin() + static_cast<std::ptrdiff_t>(begun),
                     [](Life const& a, Life const& b) { return a.start_s < b.start_s; });
    return at->start_s;
  };
  auto const mean = [](ExactSum const& sum, std::size_t n) { return n > 0 ? sum.value() / static_cast<double>(n) : none; };
  m[metric::end_s] = end;
  m[metric::energy_jobs_j] = bank_.working_j(end);
  m[metric::energy_overhead_j] = bank_.overhead_j(end);
  m[metric::energy_j] = m[metric::energy_jobs_j] + m[metric::energy_overhead_j] + m[metric::energy_idle_j];
  m[metric::tokens] = units_agree ? tokens.value() : none;
  m[metric::tokens_per_j] = m[metric::energy_j] > 0 ? m[metric::tokens] / m[metric::energy_j] : none;
  m[metric::slowdown_mean] = mean(slowdowns, slowed);
  m[metric::slowdown_worst] = worst;
  m[metric::wait_mean_s] = mean(waited, begun);
  m[metric::wait_p50_s] = wait(0.5);
  m[metric::wait_p95_s] = wait(0.95);
  m[metric::wait_p99_s] = wait(0.99);
  m[metric::lost_work_s] = lost_work_.value();
  m[metric::events] = static_cast<double>(events_);
  return m;
}

}  // namespace wattfill
