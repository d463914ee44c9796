#include "wattfill/scenario/timeline_builder.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "scenario/instant.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/scenario/text_file.hpp"
#include "wattfill/sim/limit_events.hpp"
#include "wattfill/sim/timeline.hpp"

namespace wattfill {
namespace {

constexpr double tier_speeds[] = {1.0, 0.9, 0.75, 0.5};

JobTerms terms_of(TermsFields const& terms, Reading& reading) {
  if (terms.min_speed && terms.flex_tier)
    reading.refuse(terms.flex_tier->place, "min_speed and flex_tier are both given (each says the agreed minimum speed); remove one");
  return {terms.priority, terms.flex_tier ? tier_speeds[terms.flex_tier->value] : terms.min_speed ? terms.min_speed->value : 0};
}

TimelineJob listed_job(TimelineJobFields const& fields, Pool const& pool, std::vector<std::vector<JobPhase>>& cycles, Reading& reading) {
  TimelineJob job;
  job.id = fields.id.value;
  if (fields.curve.has_value() == fields.phases.has_value())
    reading.refuse(fields.place, "curve or phases must say what the job draws, and one alone; add or remove");
  if (fields.curve) job.curve = listed_curve(*fields.curve, pool, reading);
  if (fields.phases && !fields.curve) {
    auto& cycle = cycles.emplace_back();
    for (auto const& phase : fields.phases->value) cycle.push_back({listed_curve(phase.curve, pool, reading), phase.work_s});
    job.curve = cycle.front().curve;
    job.cycle = static_cast<std::uint32_t>(cycles.size());
  }
  job.gpus = fields.gpus.value_or(job.curve != nullptr ? job.curve->gpus : 1);
  job.work_s = fields.work_s;
  job.submit_s = fields.submit_s;
  job.terms = terms_of(fields, reading);
  if (fields.deadline_s) job.deadline_s = *fields.deadline_s;
  if (fields.mean_speed_loss) job.mean_loss = *fields.mean_speed_loss;
  if (fields.estimate_s) job.estimate_s = *fields.estimate_s;
  job.stateless = fields.stateless;
  if (fields.rack) job.rack = static_cast<std::uint16_t>(*fields.rack + 1);
  if (fields.since_checkpoint_s) job.since_checkpoint_s = *fields.since_checkpoint_s;
  return job;
}

WorkSpec build_work(WorkFields const& fields, Reading& reading) {
  WorkSpec work;
  if (fields.median_s.has_value() == fields.quantiles.has_value()) {
    reading.refuse(fields.place, "median_s or quantiles must say how much work a job has, and one alone; add or remove");
    return work;
  }
  if (fields.quantiles) {
    for (auto const& q : fields.quantiles->value) {
      if (!(q[0] <= 1) || (!work.quantiles.empty() && !(q[0] > work.quantiles.back().first && q[1] >= work.quantiles.back().second)))
        reading.refuse(fields.quantiles->place, "shares must ascend within 0 to 1, and seconds must not fall; sort them");
      work.quantiles.emplace_back(q[0], q[1]);
    }
    return work;
  }
  work.median_s = *fields.median_s;
  work.mean_s = fields.mean_s.value_or(work.median_s);
  if (work.mean_s < work.median_s)
    reading.refuse({fields.place.at, joined_key(fields.place.key, "mean_s")}, "the mean is below the median (a lognormal has no such); raise it");
  return work;
}

ArrivalsSpec build_arrivals(ArrivalsFields const& fields, Pool const& pool, Reading& reading) {
  ArrivalsSpec spec;
  spec.rate_per_h = fields.rate_per_h;
  spec.by_hour = fields.by_hour;
  spec.first_hour = fields.first_hour;
  spec.until_s = fields.until_s;
  spec.replications = fields.replications;
  double weights = 0;
  for (auto const& [name, group, place] : fields.groups) {
    ArrivalGroup g;
    g.name = name;
    g.curves = matching(group.where, pool, reading);
    g.weight = group.weight;
    weights += group.weight;
    double gpu_weights = 0;
    for (auto const& entry : group.gpus) {
      double count = 0;
      auto const [end, error] = std::from_chars(entry.name.data(), entry.name.data() + entry.name.size(), count);
      if (error != std::errc() || end != entry.name.data() + entry.name.size() || !(count > 0 && count <= 1e9))
        reading.refuse(entry.place, quotation(entry.name) + " is not a number of GPUs; write it like {1: 0.7, 8: 0.3}");
      g.gpus.emplace_back(count, entry.value);
      gpu_weights += entry.value;
    }
    if (!g.gpus.empty() && !(gpu_weights > 0)) reading.refuse(place, "all weights of gpus are zero (nothing could be drawn); give one a positive weight");
    g.work = build_work(group.work, reading);
    g.terms = terms_of(group, reading);
    g.mean_loss = group.mean_speed_loss.value_or(1);
    g.deadline_factor = group.deadline_factor.value_or(0);
    spec.groups.push_back(std::move(g));
  }
  if (!(weights > 0))
    reading.refuse({fields.place.at, joined_key(fields.place.key, "groups")}, "no group has a positive weight (nothing could be drawn); give one");
  return spec;
}

bool has_inner(std::string const& name) { return name == "deadline" || name == "least-laxity" || name == "cap-and-pause"; }

TimelinePolicySpec build_timeline_policy(PolicyFields const& fields, std::vector<TimelineJob> const& jobs, StartTime start, InputFiles& files,
                                         Reading& reading) {
  TimelinePolicySpec spec;
  auto const at = [&](std::string const& key) { return Place{fields.place.at, joined_key(fields.place.key, key)}; };
  if (fields.actions && fields.name != "replay") reading.refuse(fields.actions->place, fields.name + " has no option actions (only replay has); remove it");
  if (fields.inner && !has_inner(fields.name))
    reading.refuse(fields.inner->place, fields.name + " has no option inner (only deadline, least-laxity and cap-and-pause have); remove it");
  spec.loop = fields.loop;
  auto rule = fields;
  rule.actions.reset();
  rule.inner.reset();
  if (fields.name == "replay") {
    spec.kind = TimelinePolicySpec::Kind::replay;
    spec.label = fields.label.value_or("replay");
    if (fields.factor || fields.where || fields.feature || fields.per || fields.curtail || fields.pfi || fields.knows || fields.loop)
      reading.refuse(fields.place, "replay has no options but actions and label (it divides no watts); remove the others");
    if (fields.actions)
      spec.actions = read_actions(*fields.actions, jobs, start, files, reading);
    else
      reading.refuse(at("actions"), "this option is missing (replay does what a list says); add it, for example actions: actions.csv");
    return spec;
  }
  if (fields.name == "pause-greedy") {
    spec.kind = TimelinePolicySpec::Kind::pause_greedy;
    spec.label = fields.label.value_or("pause-greedy");
    rule.name = "proportional";  // divides nothing: nobody is capped
  }
  if (has_inner(fields.name)) {
    using Kind = TimelinePolicySpec::Kind;
    spec.kind = fields.name == "deadline" ? Kind::deadline : fields.name == "least-laxity" ? Kind::least_laxity : Kind::cap_and_pause;
    spec.label = fields.label.value_or(fields.name);
    rule.name = fields.inner ? fields.inner->value : "proportional";
    auto const rules = known_policies();
    if (std::ranges::find(rules, rule.name) == rules.end()) {
      reading.refuse(fields.inner->place, "there is no rule " + quotation(rule.name) + suggestion(rule.name, rules));
      return spec;
    }
  }
  spec.rule = build_policy(rule, reading);
  return spec;
}

RackingSpec build_racks(RacksFields const& fields, Reading& reading) {
  RackingSpec racks{fields.gpus, fields.loss, {}};
  for (auto const& limit : fields.limits)
    for (auto const& step : limit.steps.value) {
      if (&step != limit.steps.value.data() && !(step[0] > (&step)[-1][0]))
        reading.refuse(limit.steps.place,
                       "the time " + number_text(step[0]) + " s is not after the one before (which of them holds is not clear); sort the steps");
      racks.limits.push_back({step[0], limit.rack ? static_cast<std::uint32_t>(limit.rack->value) : RackLimitStep::every, step[1]});
    }
  std::ranges::stable_sort(racks.limits, {}, &RackLimitStep::time_s);
  return racks;
}

/// Young's interval: of the time lost to checkpoints, length / period, and to failures, period / (2 mtbf), the sum is least where both are equal (J. W. Young,
/// A first order approximation to the optimum checkpoint interval, CACM 17, 1974).
void set_young_interval(CheckpointFields const& fields, CheckpointSpec& spec, Reading& reading) {
  if (!fields.mtbf_s) return;
  if (fields.period_s > 0) reading.refuse(fields.mtbf_s->place, "mtbf_s and period_s both say how often checkpoints are written; remove one");
  if (!(fields.length_s > 0))
    reading.refuse(fields.mtbf_s->place, "how long a checkpoint takes is not said (sqrt(2 length_s mtbf_s) would be 0); add length_s");
  spec.period_s = std::sqrt(2 * fields.length_s * fields.mtbf_s->value);
}

ControlSpec build_control(ControlFields const& fields, InputFiles& files, Reading& reading) {
  ControlSpec control;
  control.settle_s = fields.settle_s;
  control.loop = fields.loop;
  control.rollout_s = fields.rollout_s;
  control.cap_step_w = fields.cap_step_w;
  control.least_cap_w = fields.least_cap_w;
  auto const& s = fields.sensor;
  control.sensor = {s.period_s, static_cast<std::uint32_t>(s.lag), s.duty, s.noise, s.lost, {}};
  for (auto const& outage : s.outages.value) {
    if (!(outage[1] > outage[0]))
      reading.refuse(s.outages.place, "the outage from " + number_text(outage[0]) + " to " + number_text(outage[1]) + " s ends before it begins; swap the two");
    control.sensor.outages.emplace_back(outage[0], outage[1]);
  }
  auto const& c = fields.correction;
  control.correction.gain = c.gain * delay_bound(control.sensor.lag);
  if (c.gain >= 1)
    files.notes.push_back("control.correction.gain: the loop is not stable with " + number_text(c.gain) +
                          " of the bound (corrections swing ever wider until all jobs are at their floors or uncapped)");
  control.correction.deadband = c.deadband;
  if (c.rate_w_per_s) control.correction.rate_w_per_s = *c.rate_w_per_s;
  control.correction.fail_safe_after = static_cast<std::uint32_t>(c.fail_safe_after);
  control.correction.fail_safe_margin = c.fail_safe_margin;
  return control;
}

/// Random events and what is agreed of falls.
void build_events(LimitFields const& fields, TimelineStudySpec& study, Reading& reading) {
  study.terms = {fields.notice_s, fields.deadline_s, fields.lead_s.value};
  if (fields.lead_s.value > fields.notice_s)
    reading.refuse(fields.lead_s.place, "the fleet cannot act " + number_text(fields.lead_s.value) + " s before a fall that it knows " +
                                            number_text(fields.notice_s) + " s before; lower it, or raise notice_s");
  if (-fields.lead_s.value > fields.deadline_s)
    reading.refuse(fields.lead_s.place, "the fleet would act " + number_text(-fields.lead_s.value) + " s after a fall, and must be under it " +
                                            number_text(fields.deadline_s) + " s after; raise it, or raise deadline_s");
  if (!fields.random) return;
  auto const& r = *fields.random;
  if (r.mean_s && r.mean_s->value < r.median_s) reading.refuse(r.mean_s->place, "the mean is below the median (a lognormal has no such); raise it");
  if (r.cut.value.front() > r.cut.value.back()) reading.refuse(r.cut.place, "the two ends are not in ascending order; swap them");
  study.events = {r.base_w, r.mean_gap_s, r.cut.value.front(), r.cut.value.back(), r.median_s, r.mean_s ? r.mean_s->value : r.median_s, r.until_s};
}

/// The rules that divide watts in these policies.
std::vector<PolicyFields> rules_of(std::vector<PolicyFields> policies) {
  std::erase_if(policies, [](PolicyFields const& p) { return p.name == "replay"; });
  for (auto& policy : policies)
    if (has_inner(policy.name)) policy.name = policy.inner ? policy.inner->value : "proportional";
  return policies;
}

/// The run of the first replication, without jobs that arrive at random.
TimelineSpec timeline_without_arrivals(TimelineStudySpec const& study) {
  auto run = study.run;
  auto const announced = study.events ? draw_limit(*study.events, study.seed, 0) : run.limit;
  run.limit = owed_limit(announced, study.terms);
  run.aim = aimed_limit(announced, study.terms);
  return run;
}

/// Limits at their places, and the weather.
void build_limits(TimelineFields const& fields, StartTime start, InputFiles& files, TimelineStudySpec& study, Reading& reading) {
  auto& run = study.run;
  for (auto const& limit : fields.limit) {
    auto const at = [&](std::string const& key) { return Place{limit.place.at, joined_key(limit.place.key, key)}; };
    auto& steps = limit.at == LimitAt::gpu ? run.limit : limit.at == LimitAt::it ? run.it_limit : run.meter_limit;
    if (!steps.empty()) reading.refuse(at("at"), "there are two limits at this place (which of them holds is not clear); join them into one");
    if (limit.at != LimitAt::gpu && !fields.facility)
      reading.refuse(at("at"), "a limit there needs a facility (nothing says what stands between it and the GPUs); add facility: {node: h200}");
    steps = build_limit(limit, start, files, reading);
    if (limit.at == LimitAt::gpu) {
      build_events(limit, study, reading);
      continue;
    }
    for (auto const& [key, given] : {std::pair("random", limit.random.has_value()), std::pair("notice_s", limit.notice_s != 0),
                                     std::pair("deadline_s", limit.deadline_s != 0), std::pair("lead_s", limit.lead_s.value != 0)})
      if (given) reading.refuse(at(key), "notice, deadlines and random events are of limits of the GPUs' draw alone; remove it, or set at: gpu");
  }
  if (fields.facility && !fields.cluster.gpus)
    reading.refuse({fields.place.at, "cluster.gpus"},
                   "this key is missing (there is a facility, and its idle nodes draw, too: how many GPUs there are must be known); add it");
  if (!fields.outdoor) return;
  if (!run.metering) {
    reading.refuse(fields.outdoor->place, "the weather matters to a facility alone, and there is none; add facility: {node: h200}, or remove it");
    return;
  }
  run.metering->outdoor_c = read_series(*fields.outdoor, "outdoor_c", start, files, reading);
  for (auto const& step : run.metering->outdoor_c)
    if (!(step.value >= -90 && step.value <= 70)) {
      reading.refuse(fields.outdoor->file.place, "the temperature at " + number_text(step.time_s) + " s is " + number_text(step.value) +
                                                     " deg C (-90 to 70 is possible); correct the file");
      return;
    }
}

/// Builds the run once, so that jobs that can never run are refused before anything is run.
void check_run(TimelineStudySpec const& study, std::map<std::string, Place> const& places, Reading& reading) {
  try {
    Timeline const checked(timeline_without_arrivals(study));
  } catch (InputError const& error) {
    for (auto problem : error.problems()) {
      auto const id = problem.key.substr(std::min(problem.key.size(), std::string("jobs.").size()));
      if (auto const place = places.find(id); place != places.end()) {
        problem.at = place->second.at;
        problem.key = place->second.key;
        problem.what = "job " + id + ": " + problem.what;
      }
      reading.problems.push_back(std::move(problem));
    }
  }
}

}  // namespace

TimelineStudySpec build_timeline(TimelineFields const& fields, LibraryShelf& shelf, InputFiles& files, Reading& reading) {
  TimelineStudySpec study;
  study.seed = fields.seed;
  Pool pool;
  for (auto const& name : fields.curves) pool.libraries.push_back(shelf.take(name, reading));
  StartTime start;
  if (fields.start) {
    bool lacks_offset = false;
    start = spelled_instant(fields.start->value, std::nullopt, lacks_offset);
    if (!start)
      reading.refuse(fields.start->place, lacks_offset ? "the time has no UTC offset (it could be any of 24 instants); write it like 2025-05-01T16:10:00-07:00"
                                                       : quotation(fields.start->value) + " is not a time; write it like 2025-05-01T16:10:00-07:00");
  }
  if (!reading.problems.empty()) return study;  // without libraries every name would be wrong

  auto& run = study.run;
  std::map<std::string, Place> places;
  auto const& jobs = fields.jobs;
  if (!jobs.listed && !jobs.trace && !jobs.arrivals) reading.refuse({fields.place.at, "jobs"}, "there are no jobs; add explicit, trace or arrivals");
  if (jobs.listed)
    for (auto const& job : *jobs.listed) {
      run.jobs.push_back(listed_job(job, pool, run.cycles, reading));
      if (!places.emplace(job.id.value, job.place).second)
        reading.refuse(job.id.place, "two jobs are called " + quotation(job.id.value) + " (their rows could not be told apart); give one another id");
    }
  if (jobs.trace) {
    for (auto& job : read_trace(*jobs.trace, pool, start, files, reading)) {
      if (!places.emplace(job.id, jobs.trace->file.place).second)
        reading.refuse(jobs.trace->file.place, "two jobs are called " + quotation(job.id) + " (their rows could not be told apart); give one another id");
      run.jobs.push_back(std::move(job));
    }
  }
  if (fields.replications && jobs.arrivals)
    reading.refuse(fields.replications->place, "jobs arrive at random, and jobs.arrivals.replications says how often they are drawn; remove this key");
  if (fields.replications) study.repeats = fields.replications->value;
  if (fields.racks) {
    if (!fields.cluster.gpus)
      reading.refuse({fields.place.at, "cluster.gpus"},
                     "this key is missing (there are racks, and how many of them depends on how many GPUs there are); add it");
    run.racks = build_racks(*fields.racks, reading);
  }
  if (jobs.arrivals) study.arrivals = build_arrivals(*jobs.arrivals, pool, reading);
  if (fields.cluster.gpus) run.cluster.gpus = *fields.cluster.gpus;
  if (fields.facility) run.metering = {facility_of(*fields.facility), {}};
  auto const idle_w = run.metering ? run.metering->facility.gpu_idle_w : 0;
  run.cluster.idle_w = fields.cluster.idle_gpu_w.value_or(idle_w);
  run.queue = {fields.queue.order, fields.queue.aging_per_h, fields.queue.by_priority, fields.queue.hold, static_cast<std::size_t>(fields.queue.depth)};
  run.checkpoint = fields.checkpoint;
  set_young_interval(fields.checkpoint, run.checkpoint, reading);
  run.checkpoint.paused_w = fields.checkpoint.paused_gpu_w.value_or(idle_w);
  run.control = build_control(fields.control, files, reading);
  auto const& c = fields.checkpoint;
  if (!c.on_demand && !(run.checkpoint.period_s > 0 && c.length_s > 0) && !(c.lost_s > 0))
    reading.refuse({fields.place.at, "checkpoint.on_demand"},
                   "pauses lose the work since a job's last checkpoint, and it writes none; add period_s and length_s, or lost_s");
  build_limits(fields, start, files, study, reading);
  if (fields.price) run.price_usd_per_mwh = read_series(*fields.price, "usd_per_mwh", start, files, reading);
  if (fields.carbon) run.carbon_g_per_kwh = read_series(*fields.carbon, "g_per_kwh", start, files, reading);
  if (fields.duration_s) run.duration_s = *fields.duration_s;
  build_contract(fields, start, files, study, reading);
  run.sample_s = fields.sample_s.value_or(0);
  run.objective = fields.objective.value;
  if (!reading.problems.empty()) return study;

  std::vector<std::string> labels;
  for (auto const& policy : fields.policies) {
    study.policies.push_back(build_timeline_policy(policy, run.jobs, start, files, reading));
    auto const& label = study.policies.back().shown();
    if (std::ranges::find(labels, label) != labels.end())
      reading.refuse(policy.place,
                     "two policies are called " + quotation(label) + " in the results (their rows could not be told apart); give one another label");
    labels.push_back(label);
    if (policy.where) matching(*policy.where, pool, reading);
  }
  study.reference = fields.reference.value;
  auto names = labels;
  for (auto const& rule : known_policies()) names.push_back(rule);
  if (std::ranges::find(names, study.reference) == names.end())
    reading.refuse(fields.reference.place, quotation(study.reference) + " is neither a policy of this study nor a rule (differences to it would stay empty)" +
                                               suggestion(study.reference, labels, "the policies here are"));
  std::set<Curve const*> seen;
  std::vector<Curve const*> curves;
  auto const use = [&](Curve const* curve) {
    if (seen.insert(curve).second) curves.push_back(curve);
  };
  for (auto const& job : run.jobs) use(job.curve);
  for (auto const& cycle : run.cycles)
    for (auto const& phase : cycle) use(phase.curve);
  if (study.arrivals)
    for (auto const& group : study.arrivals->groups) std::ranges::for_each(group.curves, use);
  check_objective(fields.objective, fields.policies, curves, reading);
  run.belief = build_belief(fields.pfi, rules_of(fields.policies), curves, shelf, reading);
  run.believed = curves;
  for (auto const& policy : fields.policies)
    if (policy.feature) check_feature(*policy.feature, curves, reading);
  if (reading.problems.empty()) check_run(study, places, reading);
  return study;
}

}  // namespace wattfill
