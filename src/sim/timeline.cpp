#include "wattfill/sim/timeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "sim/timeline_run.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/core/text.hpp"

namespace wattfill {
namespace {

constexpr double most_phases = 1e6, most_racks = 65535;

double floor_of(Curve const& curve, JobTerms const& terms) {
  auto const& c = curve.curve;
  return c.unresponsive() ? c.max_draw() : std::max(c.min_draw(), c.draw_for(terms.min_speed * c.max_speed()));
}

[[noreturn]] void refuse(TimelineJob const& job, std::string const& what) { throw InputError({{}, "jobs." + job.id, what}); }

void check_racks(TimelineSpec const& spec) {
  if (!spec.racks) return;
  auto const& racks = *spec.racks;
  auto const count = spec.cluster.gpus / racks.gpus;
  if (!(count <= most_racks && count == std::floor(count)))
    throw InputError({{},
                      "racks.gpus",
                      "racks of " + number_text(racks.gpus) + " GPUs do not make up a cluster of " + number_text(spec.cluster.gpus) +
                          " (their number must be whole, and at most " + number_text(most_racks) + "); change one of the two"});
  if (!spec.it_limit.empty() || !spec.meter_limit.empty())
    throw InputError({{},
                      "racks",
                      "racks know limits of the GPUs' draw alone (where the IT load or the meter is limited, who stands in which rack is not looked at); limit "
                      "the GPUs (at: gpu), or remove racks"});
  for (auto const& step : racks.limits)
    if (step.rack != RackLimitStep::every && !(step.rack < count))
      throw InputError({{},
                        "racks.limits",
                        "there is no rack " + std::to_string(step.rack) + " (there are " + number_text(count) + ", numbered from 0 on); name one of them"});
}

void check(TimelineSpec const& spec) {
  if (spec.cluster.idle_w > 0 && !std::isfinite(spec.cluster.gpus))
    throw InputError({{}, "cluster.idle_w", "idle GPUs draw power, but it is not said how many GPUs there are; add cluster.gpus"});
  if (spec.metering && !std::isfinite(spec.cluster.gpus))
    throw InputError({{}, "cluster.gpus", "there is a facility, but it is not said how many GPUs stand in it (its idle nodes draw, too); add cluster.gpus"});
  if (!spec.metering && !(spec.it_limit.empty() && spec.meter_limit.empty()))
    throw InputError({{}, "limit.at", "a limit there needs a facility (nothing says what stands between it and the GPUs); add facility: {node: h200}"});
  check_racks(spec);
  auto highest = spec.limit.empty() || spec.limit.front().time_s > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  for (auto const& step : spec.limit) highest = std::max(highest, step.limit_w);
  for (std::size_t j = 0; j < spec.jobs.size(); ++j) {
    auto const& job = spec.jobs[j];
    if (j > 0 && spec.jobs[j - 1].submit_s == job.submit_s && spec.jobs[j - 1].id == job.id)
      refuse(job, "two jobs have this id (their rows could not be told apart); give one another");
    if (!(job.gpus > 0 && std::isfinite(job.gpus))) refuse(job, "it asks for " + number_text(job.gpus) + " GPUs; ask for more than 0");
    if (!(job.work_s >= 0 && std::isfinite(job.work_s))) refuse(job, "its work is " + number_text(job.work_s) + " s; it must be 0 or more, and finite");
    if (!(job.submit_s >= 0 && std::isfinite(job.submit_s))) refuse(job, "it is submitted at " + number_text(job.submit_s) + " s; the run begins at 0");
    if (job.cycle > 0) {
      double cycle_s = 0;
      auto const& phases = spec.cycles[job.cycle - 1];
      for (auto const& phase : phases) {
        if (!(phase.work_s > 0 && std::isfinite(phase.work_s)))
          refuse(job, "a phase has " + number_text(phase.work_s) + " s of work; it must be more than 0, and finite");
        cycle_s += phase.work_s;
      }
      if (job.work_s / cycle_s * static_cast<double>(phases.size()) > most_phases)
        refuse(job, "it goes through more than a million phases; make them longer, or give it less work");
    }
    if (job.gpus > spec.cluster.gpus)
      refuse(job, "it asks for " + number_text(job.gpus) + " GPUs and the cluster has " + number_text(spec.cluster.gpus) +
                      " (it could never start, and would block the queue for ever); give it fewer or the cluster more");
    if (spec.racks && job.rack > 0 && !(job.gpus <= spec.racks->gpus))
      refuse(job, "it asks for " + number_text(job.gpus) + " GPUs in one rack, which has " + number_text(spec.racks->gpus) +
                      " (it could never start, and would block the queue for ever); give it fewer, or no rack");
    if (job.rack > 0 && !(spec.racks && job.rack * spec.racks->gpus <= spec.cluster.gpus))
      refuse(job, "there is no rack " + std::to_string(job.rack - 1) +
                      (spec.racks ? " (they are numbered from 0 on); name one of them"
                                  : " (there are no racks at all); add racks: {gpus: 32}, say, or take its rack away"));
    auto const floor = job.gpus * floor_of(*job.curve, job.terms);
    if (spec.queue.hold && floor > highest)
      refuse(job, "its floor is " + number_text(floor) + " W and the limit never allows more than " + number_text(highest) +
                      " W (held back, it could never start, and would block the queue for ever); admit jobs at once, or raise the limit");
  }
}

}  // namespace

ClassSet::ClassSet(TimelineSpec const& spec, std::span<std::pair<std::uint32_t, double> const> resizes) {
  auto const& jobs = spec.jobs;
  struct Key {
    Curve const* curve;
    double gpus;
    JobTerms terms;
    bool operator<(Key const& o) const {
      if (curve != o.curve) {
        auto const mine = std::tie(curve->library, curve->name), others = std::tie(o.curve->library, o.curve->name);
        return mine != others ? mine < others : curve < o.curve;
      }
      return std::tie(gpus, terms) < std::tie(o.gpus, o.terms);
    }
  };
  std::map<Key, std::uint32_t> number;
  auto const key = [&](std::uint32_t job, std::size_t phase, double gpus) {
    return Key{jobs[job].cycle > 0 ? spec.cycles[jobs[job].cycle - 1][phase].curve : jobs[job].curve, gpus, jobs[job].terms};
  };
  auto const phases = [&](std::uint32_t job) { return jobs[job].cycle > 0 ? spec.cycles[jobs[job].cycle - 1].size() : 1; };
  auto const for_each = [&](auto act) {
    for (std::uint32_t j = 0; j < jobs.size(); ++j)
      for (std::size_t p = 0; p < phases(j); ++p) act(j, p, jobs[j].gpus);
    for (auto const& [j, gpus] : resizes)
      for (std::size_t p = 0; p < phases(j); ++p) act(j, p, gpus);
  };
  for_each([&](std::uint32_t j, std::size_t p, double gpus) { number[key(j, p, gpus)]; });
  for (auto& [k, n] : number) {
    n = static_cast<std::uint32_t>(classes.size());
    auto const* curve = k.curve;
    if (curve->gpus != k.gpus) {
      std::vector<CurvePoint> points(curve->curve.points().begin(), curve->curve.points().end());
      for (auto& p : points) p.speed *= k.gpus / curve->gpus;
      auto copy = *curve;
      copy.curve = PowerSpeedCurve(std::move(points));
      copy.gpus = k.gpus;
      scaled.push_back(std::move(copy));
      curve = &scaled.back();
    }
    classes.push_back({curve, k.terms, floor_of(*curve, k.terms), curve->curve.max_draw(), k.curve});
  }
  for (std::uint32_t j = 0; j < jobs.size(); ++j) class_of.push_back(number.at(key(j, 0, jobs[j].gpus)));
  for_each([&](std::uint32_t j, std::size_t p, double gpus) {
    if (p > 0 || gpus != jobs[j].gpus) others[{j, p, gpus}] = number.at(key(j, p, gpus));
  });
}

std::vector<NumberedAction> numbered(std::span<ActionSpec const> actions, std::span<TimelineJob const> jobs) {
  if (actions.empty()) return {};
  std::map<std::string_view, std::uint32_t> number;
  for (std::uint32_t j = 0; j < jobs.size(); ++j) number[jobs[j].id] = j;
  std::vector<NumberedAction> all;
  for (auto const& action : actions) {
    auto const job = number.find(action.job);
    if (job == number.end()) throw InputError({{}, "actions", "there is no job " + quotation(action.job) + "; actions name jobs by their id"});
    all.push_back({action.kind, action.time_s, job->second, action.value});
  }
  std::ranges::stable_sort(all, {}, &NumberedAction::time_s);
  return all;
}

Timeline::Timeline(TimelineSpec spec) {
  std::ranges::sort(spec.jobs, [](TimelineJob const& l, TimelineJob const& r) { return std::tie(l.submit_s, l.id) < std::tie(r.submit_s, r.id); });
  check(spec);
  ClassSet classes(spec, {});
  prepared_ = std::make_unique<Prepared const>(std::move(spec), std::move(classes));
}
Timeline::~Timeline() = default;
Timeline::Timeline(Timeline&&) noexcept = default;

std::span<TimelineJob const> Timeline::jobs() const { return prepared_->spec.jobs; }
TimelineSpec const& Timeline::spec() const { return prepared_->spec; }

void Timeline::check_policy(TimelinePolicySpec const& policy) const {
  auto const& spec = prepared_->spec;
  using Kind = TimelinePolicySpec::Kind;
  auto const gpus_alone = policy.kind == Kind::least_laxity || policy.kind == Kind::pause_greedy || policy.kind == Kind::cap_and_pause ||
                          (policy.kind != Kind::replay && policy.loop.value_or(spec.control.loop) != Loop::exact);
  if (gpus_alone && (!spec.it_limit.empty() || !spec.meter_limit.empty()))
    throw InputError(
        {{},
         "",
         "it looks at the limit of the GPUs' draw alone, as every policy that pauses, least-laxity and every loop but exact does; limit the GPUs (at: gpu)"});
  if (spec.racks && policy.kind != Kind::rule)
    throw InputError({{}, "", "it does not know of racks, as no policy does that acts on single jobs; take a rule, or remove racks"});
  if (spec.racks && policy.loop.value_or(spec.control.loop) != Loop::exact)
    throw InputError({{}, "", "its loop does not know of racks, as none but exact does; write loop: exact, or remove racks"});
}

TimelineMetrics Timeline::run(TimelinePolicySpec const& policy, TimelineObserver* observer) const {
  check_policy(policy);
  auto const& spec = prepared_->spec;
  auto actions = numbered(policy.actions, spec.jobs);
  std::vector<std::pair<std::uint32_t, double>> resizes;
  for (auto const& action : actions)
    if (action.kind == ActionSpec::Kind::resize) resizes.emplace_back(action.job, action.value);
  if (resizes.empty()) return TimelineRun(spec, prepared_->classes, policy, std::move(actions), observer).run();
  ClassSet const classes(spec, resizes);
  return TimelineRun(spec, classes, policy, std::move(actions), observer).run();
}

std::string_view to_string(EventKind kind) {
  static constexpr std::array<std::string_view, 24> names{
      "finish", "saved", "restarted", "checkpoint_end", "checkpoint",     "phase", "cap_acts", "limit",  "limit_it", "limit_meter", "limit_rack", "outdoor",
      "aim",    "price", "carbon",    "fail_safe",      "telemetry_back", "cap",   "pause",    "resume", "resize",   "ignored",     "submit",     "start"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace wattfill
