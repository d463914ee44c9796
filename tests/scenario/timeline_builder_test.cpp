#include "wattfill/scenario/timeline_builder.hpp"

#include <cmath>

#include "scenario/instant.hpp"
#include "scenario/mistakes.hpp"
#include "support/bits.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/study/timeline_study.hpp"

using namespace wattfill;
using wattfill::testing::contains;

namespace {

std::string timeline_with(std::map<std::size_t, std::string> const& changes) {
  std::vector<std::string> lines{"wattfill: 1",
                                 "name: t",
                                 "kind: timeline",
                                 "curves: [small]",
                                 "jobs:",
                                 "  explicit: [{id: a, curve: small/dense-b, gpus: 4, work_s: 100}]",
                                 "limit: {steps: [[0, 900]]}",
                                 "policies: [proportional]"};
  std::string text;
  for (auto const& [number, line] : changes) {
    if (lines.size() < number) lines.resize(number);
    lines[number - 1] = line;
  }
  for (auto const& line : lines) text += line + "\n";
  return text;
}

/// Loads a scenario beside other files, by name.
struct Loaded {
  TemporaryFolder folder;
  Scenario scenario;
  std::string refusal;

  Loaded(std::map<std::size_t, std::string> const& changes, std::map<std::string, std::string> const& files = {}) {
    for (auto const* ending : {".yaml", ".csv"}) {
      std::filesystem::create_directories(folder.path() / "curves");
      std::filesystem::copy_file(test_data() / (std::string("small") + ending), folder.path() / "curves" / (std::string("small") + ending));
    }
    for (auto const& [name, text] : files) folder.write(name, text);
    try {
      scenario = load_scenario(folder.write("s.yaml", timeline_with(changes)));
    } catch (InputError const& error) {
      refusal = folder.relative(error.what());
    }
  }
  TimelineStudySpec const& study() const { return scenario.points.front().timeline; }
};

}  // namespace

TEST_CASE("A list of no jobs is refused, and a trace without rows is noted") {
  CHECK(Loaded({{6, "  explicit: []"}}).refusal == "s.yaml:6:13: jobs.explicit: the list is empty (there would be nothing to do); give at least 1");
  Loaded const empty({{6, "  trace: jobs.csv"}}, {{"jobs.csv", "id,curve,submit_s,work_s\n"}});
  REQUIRE(empty.refusal.empty());
  CHECK(empty.study().run.jobs.empty());
  CHECK(empty.scenario.notes.back().ends_with("jobs.csv: there are no jobs in it"));
}

TEST_CASE("A timeline scenario is what it says, and its echo loads to the same") {
  Loaded const plain({});
  REQUIRE(plain.refusal.empty());
  CHECK(plain.scenario.kind == "timeline");
  CHECK(plain.study().run.jobs.size() == 1);
  CHECK(plain.study().run.jobs[0].gpus == 4);
  CHECK(plain.study().run.limit == std::vector<LimitStep>{{0, 900}});
  CHECK(std::isinf(plain.study().run.cluster.gpus));
  TemporaryFolder const folder;
  for (auto const* ending : {".yaml", ".csv"}) {
    std::filesystem::create_directories(folder.path() / "curves");
    std::filesystem::copy_file(test_data() / (std::string("small") + ending), folder.path() / "curves" / (std::string("small") + ending));
  }
  auto const again = load_scenario(folder.write("s.yaml", plain.scenario.resolved));
  CHECK(again.resolved == plain.scenario.resolved);
}

TEST_CASE("Ramps go in steps that are never above the line, and series follow their file") {
  Loaded const ramp({{7, "limit: {ramps: [[0, 900], [100, 900], [125, 400], [200, 500]], ramp_step_s: 10}"}});
  REQUIRE(ramp.refusal.empty());
  std::vector<LimitStep> const down{{0, 900}, {100, 700}, {110, 500}, {120, 400}};
  auto const& limit = ramp.study().run.limit;
  REQUIRE(limit.size() > 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(limit[i] == down[i]);
  CHECK(limit.back() == LimitStep{200, 500});
  for (auto const& step : limit)
    if (step.time_s >= 125) CHECK(step.limit_w <= 400 + (step.time_s - 125) / 75 * 100 + 1e-9);

  Loaded const series(
      {{7, "limit: {series: {file: l.csv, column: w, time_column: when, utc_offset: \"-07:00\"}}"}, {9, "start: \"2025-05-01T16:10:00-07:00\""}},
      {{"l.csv", "when,w\n2025-05-01 16:00,1000\n2025-05-01 16:10,900\n2025-05-01 17:10:30,800\n2025-05-02T00:10:40Z,700\n"}});
  REQUIRE(series.refusal == "");
  CHECK(series.study().run.limit == std::vector<LimitStep>{{0, 900}, {3630, 800}, {3640, 700}});
}

TEST_CASE("Times of the calendar are instants: offsets count, and summer time is no matter") {
  bool lacks = false;
  CHECK(spelled_instant("1970-01-01T00:00:00Z", {}, lacks) == 0.0);
  CHECK(*spelled_instant("2025-05-01 16:10:00-07:00", {}, lacks) == 1746141000.0);
  CHECK(*spelled_instant("2024-02-29T12:00:00.25+05:30", {}, lacks) == 1709188200.25);
  // The hour that the clocks in California show twice: an hour apart.
  CHECK(*spelled_instant("2025-11-02 01:30-08:00", {}, lacks) - *spelled_instant("2025-11-02 01:30-07:00", {}, lacks) == 3600);
  CHECK(*spelled_instant("2025-05-01 16:10", -25200.0, lacks) == 1746141000.0);
  CHECK_FALSE(spelled_instant("2025-05-01 16:10", {}, lacks));
  CHECK(lacks);
  for (auto const* wrong :
       {"2025-02-29 00:00Z", "2025-13-01 00:00Z", "2025-05-01", "2025-05-01 24:00Z", "16:10", "", "2025-05-01 16:10+7", "2025-05-01 16:10:00Zx"})
    CHECK_FALSE(spelled_instant(wrong, 0.0, lacks));
  CHECK(spelled_offset("+05:30") == 19800);
  CHECK_FALSE(spelled_offset("05:30"));
}

TEST_CASE("Traces are read by the names of their columns, in any order of columns and rows") {
  Loaded const trace({{6,
                       "  trace: {file: t.csv, columns: {id: name, submit_s: time, curve: application, gpus: num_replicas}, curves: {cifar10: small/dense-b}, "
                       "work_s: {cifar10: 50}}"}},
                     {{"t.csv", "batch_size,application,time,name,num_replicas\n128,cifar10,107,x,2\n64,cifar10,5,y,1\n"}});
  REQUIRE(trace.refusal == "");
  auto const timeline = timeline_of(trace.study(), 0);
  CHECK(timeline.jobs()[0].id == "y");
  CHECK(timeline.jobs()[1].submit_s == 107);
  CHECK(timeline.jobs()[1].gpus == 2);
  CHECK(timeline.jobs()[1].work_s == 50);
  REQUIRE(trace.scenario.notes.size() == 1);
  CHECK(trace.folder.relative(trace.scenario.notes[0]) == "t.csv: the column batch_size is not used");
  Loaded const empty({{6, "  trace: t.csv"}}, {{"t.csv", "id,curve,submit_s,work_s\n"}});
  CHECK(empty.refusal == "");
  CHECK(timeline_of(empty.study(), 0).jobs().empty());
}

TEST_CASE("Lists of actions are read with caps in the range of the curve") {
  Loaded const good({{8, "policies: [{name: replay, actions: a.csv}]"}}, {{"a.csv", "time_s,job,action,value\n30,a,resume,\n10,a,cap,300\n20,a,pause,\n"}});
  REQUIRE(good.refusal == "");
  CHECK(good.study().policies[0].shown() == "replay");
  CHECK(good.study().policies[0].actions.size() == 3);
  Loaded const bad({{8, "policies: [{name: replay, actions: a.csv}]"}},
                   {{"a.csv", "time_s,job,action,value\n10,a,cap,30\n20,b,pause,\n25,a,stop,\n30,a,resize,0\n"}});
  CHECK(bad.refusal ==
        "a.csv:2:10: value: a cap of 30 W is not among what the curve was measured at (300 to 700 W: nothing is known beyond); choose one in that range\n"
        "a.csv:3:4: job: there is no job \"b\"; did you mean \"a\"?\n"
        "a.csv:4:6: action: \"stop\" is not an action; there are: cap, pause, resume, resize\n"
        "a.csv:5:13: value: a job cannot have 0 GPUs; pause it instead");
}

TEST_CASE("Loops, terms of the limit, random events and phases are what they say") {
  Loaded const loop(
      {{9,
        "control: {loop: closed, rollout_s: 30, cap_step_w: 5, least_cap_w: 100, sensor: {lag: 2, duty: 0.25, outages: [[5, 9]]}, correction: {gain: 0.5}}"}});
  REQUIRE(loop.refusal == "");
  auto const& control = loop.study().run.control;
  CHECK(control.loop == Loop::closed);
  CHECK(control.correction.gain == 0.5 * delay_bound(2));
  CHECK(control.sensor.outages == std::vector<std::pair<double, double>>{{5, 9}});
  CHECK((control.rollout_s == 30 && control.cap_step_w == 5 && control.least_cap_w == 100));
  CHECK(loop.scenario.notes.empty());
  Loaded const wild({{9, "control: {correction: {gain: 1.1}}"}});
  CHECK(wild.scenario.notes ==
        std::vector<std::string>{"control.correction.gain: the loop is not stable with 1.1 of the bound (corrections swing ever wider until all jobs are at "
                                 "their floors or uncapped)"});
  Loaded const kinds({{8, "policies: [pause-greedy, {name: cap-and-pause, inner: oracle}, {name: least-laxity, loop: open, label: x}]"}});
  REQUIRE(kinds.refusal == "");
  using Kind = TimelinePolicySpec::Kind;
  CHECK(kinds.study().policies[0].kind == Kind::pause_greedy);
  CHECK(kinds.study().policies[1].rule.name == "oracle");
  CHECK(kinds.study().policies[2].loop == Loop::open);

  Loaded const terms({{7, "limit: {steps: [[0, 900], [100, 400]], notice_s: 60, lead_s: 30, deadline_s: 20}"}});
  REQUIRE(terms.refusal == "");
  auto const timeline = timeline_of(terms.study(), 0);
  CHECK(timeline.spec().limit == std::vector<LimitStep>{{0, 900}, {120, 400}});
  CHECK(timeline.spec().aim.back() == LimitStep{70, 400});
  Loaded const events({{7, "limit: {random: {base_w: 900, mean_gap_s: 100, median_s: 50, cut: [0.1, 0.2], until_s: 10000}}"}, {9, "replications: 4"}});
  REQUIRE(events.refusal == "");
  CHECK(events.study().replications() == 4);
  CHECK(timeline_of(events.study(), 0).spec().limit != timeline_of(events.study(), 1).spec().limit);
  CHECK(timeline_of(events.study(), 1).spec().limit.size() > 50);
  Loaded const phases({{6, "  explicit: [{id: a, work_s: 100, phases: [{curve: small/dense-b, work_s: 30}, {curve: small/dense-a, work_s: 20}]}]"}});
  REQUIRE(phases.refusal == "");
  CHECK(phases.study().run.cycles.at(0).size() == 2);
  CHECK(phases.study().run.believed.size() == 2);
}

TEST_CASE("Racks have limits that move, jobs their rack, and Young's interval follows from the time between failures") {
  Loaded const racked({{6, "  explicit: [{id: a, curve: small/dense-b, gpus: 4, work_s: 100, rack: 1}]"},
                       {9, "cluster: {gpus: 8}"},
                       {10, "racks: {gpus: 4, loss: 0.02, limits: [{rack: 1, steps: [[0, 900], [60, 700]]}, {steps: [[30, 1000]]}]}"},
                       {11, "checkpoint: {mtbf_s: 80000, length_s: 10, on_demand: false}"}});
  REQUIRE(racked.refusal.empty());
  auto const& run = racked.study().run;
  CHECK(run.jobs[0].rack == 2);
  REQUIRE(run.racks);
  CHECK((run.racks->gpus == 4 && run.racks->loss == 0.02));
  std::string steps;
  for (auto const& step : run.racks->limits)
    steps += number_text(step.time_s) + " " + (step.rack == RackLimitStep::every ? "*" : std::to_string(step.rack)) + " " + number_text(step.limit_w) + "; ";
  CHECK(steps == "0 1 900; 30 * 1000; 60 1 700; ");
  CHECK(run.checkpoint.period_s == std::sqrt(2 * 10 * 80000.0));
}

TEST_CASE("Mistakes of timeline scenarios are named with their place and a remedy") {
  struct Case {
    std::map<std::size_t, std::string> lines;
    std::map<std::string, std::string> files;
    std::string message;
  };
  std::vector<Case> const cases{
      {{{5, "job:"}},
       {},
       "s.yaml:5:1: job: unknown key (it would have no effect); did you mean \"jobs\"?\ns.yaml:1:1: jobs: this key is missing (the jobs); add it, for example "
       "jobs: {trace: jobs.csv}"},
      {{{9, "cluster: {gpus: 2}"}},
       {},
       "s.yaml:6:14: jobs.explicit.0: job a: it asks for 4 GPUs and the cluster has 2 (it could never start, and would block the queue for ever); give it "
       "fewer or the "
       "cluster more"},
      {{{7, "limit: {}"}}, {}, "s.yaml:7:8: limit: one of steps, ramps, series and random must say what the limit is, and one alone; add or remove"},
      {{{7, "limit: {steps: [[5, 900], [5, 800]]}"}},
       {},
       "s.yaml:7:16: limit.steps: the times do not ascend at entry 1 (which of them holds is not clear); sort them, each once"},
      {{{7, "limit: {series: l.csv}"}},
       {{"l.csv", "time_s,limit_w\n0,900\n60,800\n30,700\n"}},
       "l.csv:4:1: time_s: this time is not after that of the row above (which of them holds is not clear); sort the rows, each time once"},
      {{{7, "limit: {series: l.csv}"}},
       {{"l.csv", "time,limit_w\n2025-05-01 16:10,900\n"}},
       "l.csv:2:1: time: the time \"2025-05-01 16:10\" has no UTC offset (it could be any of 24 instants); write it like 2025-05-01T16:10:00-07:00, or give "
       "utc_offset"},
      {{{7, "limit: {series: l.csv}"}},
       {{"l.csv", "time,limit_w\n2025-05-01 16:10Z,900\n"}},
       "l.csv:2:1: time: this file has times of the calendar, and the scenario does not say what time 0 is; add start: \"2025-05-01 16:10Z\", say"},
      {{{8, "policies: [{name: oracle, inner: quadratic}]"}},
       {},
       "s.yaml:8:34: policies.0.inner: oracle has no option inner (only deadline, least-laxity and cap-and-pause have); remove it"},
      {{{8, "policies: [{name: replay}]"}},
       {},
       "s.yaml:8:12: policies.0.actions: this option is missing (replay does what a list says); add it, for example actions: actions.csv"},
      {{{8, "policies: [{name: deadline, inner: orakle}]"}}, {}, "s.yaml:8:36: policies.0.inner: there is no rule \"orakle\"; did you mean \"oracle\"?"},
      {{{8, "policies: [oracle, oracle]"}},
       {},
       "s.yaml:8:20: policies.1: two policies are called \"oracle\" in the results (their rows could not be told apart); give one another label"},
      {{{6, "  trace: t.csv"}},
       {{"t.csv", "id,curve,submit_s,work_s\nx,small/dense-b,-1,5\n"}},
       "t.csv:2:17: submit_s: the job is submitted before time 0 (the run begins there); move start, or leave it out"},
      {{{6, "  trace: {file: t.csv, columns: {gpu: n}}"}},
       {{"t.csv", "id\n"}},
       "s.yaml:6:34: jobs.trace.columns.gpu: there is no column of this name to be renamed; did you mean \"gpus\"?"},
      {{{6, "  arrivals: {rate_per_h: 1, until_s: 10, groups: {g: {where: {}, work: {median_s: 5, mean_s: 4}}}}"}},
       {},
       "s.yaml:6:72: jobs.arrivals.groups.g.work.mean_s: the mean is below the median (a lognormal has no such); raise it"},
      {{{6, "  arrivals: {rate_per_h: 1, until_s: 10, groups: {g: {where: {}, gpus: {four: 1}, work: {median_s: 5}}}}"}},
       {},
       "s.yaml:6:73: jobs.arrivals.groups.g.gpus.four: \"four\" is not a number of GPUs; write it like {1: 0.7, 8: 0.3}"},
      {{{6, "  {}"}}, {}, "s.yaml:1:1: jobs: there are no jobs; add explicit, trace or arrivals"},
      {{{9, "racks: {gpus: 4}"}},
       {},
       "s.yaml:1:1: cluster.gpus: this key is missing (there are racks, and how many of them depends on how many GPUs there are); add it"},
      {{{9, "cluster: {gpus: 8}"}, {10, "racks: {gpus: 3}"}},
       {},
       "racks.gpus: racks of 3 GPUs do not make up a cluster of 8 (their number must be whole, and at most 65535); change one of the two"},
      {{{9, "cluster: {gpus: 8}"}, {10, "racks: {gpus: 4, limits: [{steps: [[5, 900], [5, 800]]}]}"}},
       {},
       "s.yaml:10:35: racks.limits.0.steps: the time 5 s is not after the one before (which of them holds is not clear); sort the steps"},
      {{{9, "checkpoint: {mtbf_s: 86400}"}},
       {},
       "s.yaml:9:22: checkpoint.mtbf_s: how long a checkpoint takes is not said (sqrt(2 length_s mtbf_s) would be 0); add length_s"},
      {{{9, "checkpoint: {mtbf_s: 86400, length_s: 60, period_s: 3600}"}},
       {},
       "s.yaml:9:22: checkpoint.mtbf_s: mtbf_s and period_s both say how often checkpoints are written; remove one"},
      {{{9, "pfi: {source: noisy}"}},
       {},
       "s.yaml:9:6: pfi.rmse: this key is missing (source noisy adds an error of this size); add it, for example rmse: 0.241, the leave-one-out error of "
       "arXiv:2609.11542"},
      {{{8, "policies: [{name: deadline, inner: curve-aware}]"}, {9, "pfi: {source: class-median}"}},
       {},
       "s.yaml:8:12: policies.0.name: curve-aware needs a curve to believe in (pfi.source tells figures alone); use quadratic, knows: perfect, or pfi.source "
       "measured "
       "or noisy"},
      {{{9, "control: {sensor: {outages: [[20, 10]]}}"}},
       {},
       "s.yaml:9:29: control.sensor.outages: the outage from 20 to 10 s ends before it begins; swap the two"},
      {{{9, "control: {loop: closd}"}}, {}, "s.yaml:9:17: control.loop: \"closd\" is not known here; did you mean \"closed\"?"},
      {{{9, "control: {correction: {gain: 2.5}}"}},
       {},
       "s.yaml:9:30: control.correction.gain: 2.5 is out of range (above 0 up to 2 is possible); choose a value in the range"},
      {{{8, "policies: [{name: replay, actions: a.csv, loop: open}]"}},
       {{"a.csv", "time_s,job,action,value\n"}},
       "s.yaml:8:12: policies.0: replay has no options but actions and label (it divides no watts); remove the others"},
      {{{7, "limit: {steps: [[0, 900]], lead_s: 60}"}},
       {},
       "s.yaml:7:36: limit.lead_s: the fleet cannot act 60 s before a fall that it knows 0 s before; lower it, or raise notice_s"},
      {{{7, "limit: {steps: [[0, 900]], lead_s: -60, deadline_s: 30}"}},
       {},
       "s.yaml:7:36: limit.lead_s: the fleet would act 60 s after a fall, and must be under it 30 s after; raise it, or raise deadline_s"},
      {{{7, "limit: {steps: [[0, 900]], random: {base_w: 900, mean_gap_s: 10, median_s: 5, until_s: 100}}"}},
       {},
       "s.yaml:7:8: limit: one of steps, ramps, series and random must say what the limit is, and one alone; add or remove"},
      {{{7, "limit: {random: {base_w: 900, mean_gap_s: 10, median_s: 5, mean_s: 4, cut: [0.5, 0.1], until_s: 100}}"}},
       {},
       "s.yaml:7:68: limit.random.mean_s: the mean is below the median (a lognormal has no such); raise it\n"
       "s.yaml:7:76: limit.random.cut: the two ends are not in ascending order; swap them"},
      {{{6, "  explicit: [{id: a, work_s: 100}]"}},
       {},
       "s.yaml:6:14: jobs.explicit.0: curve or phases must say what the job draws, and one alone; add or remove"},
      {{{6, "  explicit: [{id: a, work_s: 100, phases: [{curve: small/dense-x, work_s: 5}]}]"}},
       {},
       "s.yaml:6:52: jobs.explicit.0.phases.0.curve: there is no curve \"dense-x\" in the library small; did you mean \"dense-a\"?"},
      {{{9, "checkpoint: {on_demand: false}"}},
       {},
       "s.yaml:1:1: checkpoint.on_demand: pauses lose the work since a job's last checkpoint, and it writes none; add period_s and length_s, or lost_s"},
      {{{6, "  arrivals: {rate_per_h: 1, until_s: 10, groups: {g: {where: {}, work: {median_s: 5}}}}"}, {9, "replications: 3"}},
       {},
       "s.yaml:9:15: replications: jobs arrive at random, and jobs.arrivals.replications says how often they are drawn; remove this key"},
      {{{7, "limit: {at: it, random: {base_w: 900, mean_gap_s: 10, median_s: 5, until_s: 100}}"}, {9, "facility: {node: h200}"}, {10, "cluster: {gpus: 8}"}},
       {},
       "s.yaml:7:8: limit.random: notice, deadlines and random events are of limits of the GPUs' draw alone; remove it, or set at: gpu"},
      {{{9, "start: \"2025-05-01 16:10\""}},
       {},
       "s.yaml:9:8: start: the time has no UTC offset (it could be any of 24 instants); write it like 2025-05-01T16:10:00-07:00"},
  };
  for (auto const& c : cases) {
    INFO(c.message);
    CHECK(Loaded(c.lines, c.files).refusal == c.message);
  }
}

TEST_CASE("A facility stands between GPUs and meter, limits are at several places, and idle and paused GPUs draw what an idle GPU does") {
  Loaded const loaded({{7, "limit: [{at: gpu, steps: [[0, 900]]}, {at: meter, steps: [[0, 3000], [60, 2500]]}]"},
                       {9, "cluster: {gpus: 16}"},
                       {10, "facility: {node: h200, off: [ups]}"},
                       {11, "outdoor: {file: weather.csv, every_s: 3600}"}},
                      {{"weather.csv", "outdoor_c\n12\n13.5\n"}});
  REQUIRE(loaded.refusal.empty());
  auto const& run = loaded.study().run;
  CHECK(run.limit == std::vector<LimitStep>{{0, 900}});
  CHECK(run.it_limit.empty());
  CHECK(run.meter_limit == std::vector<LimitStep>{{0, 3000}, {60, 2500}});
  REQUIRE(run.metering);
  CHECK(run.metering->facility.ups.linear == 0);
  CHECK(run.metering->facility.fixed_w == h200_node().fixed_w);
  REQUIRE(run.metering->outdoor_c.size() == 2);
  CHECK(run.metering->outdoor_c[1].time_s == 3600);
  CHECK(run.metering->outdoor_c[1].value == 13.5);
  CHECK(run.cluster.idle_w == h200_node().gpu_idle_w);
  CHECK(run.checkpoint.paused_w == h200_node().gpu_idle_w);
  CHECK(contains(loaded.scenario.resolved, "at: meter"));
  Loaded const own({{9, "cluster: {gpus: 16, idle_gpu_w: 40}"}, {10, "facility: {node: h200}"}, {11, "checkpoint: {paused_w: 30}"}});
  CHECK(own.study().run.cluster.idle_w == 40);
  CHECK(own.study().run.checkpoint.paused_w == 30);
}

TEST_CASE("Times of the weather may be those of the calendar, in any offset") {
  Loaded const loaded({{9, "cluster: {gpus: 16}"}, {10, "facility: {node: a100}"}, {11, "start: 2025-05-01T16:00:00-07:00"}, {12, "outdoor: weather.csv"}},
                      {{"weather.csv", "time,outdoor_c\n2025-05-01T23:00:00+00:00,20\n2025-05-01T17:00:00-07:00,19\n"}});
  REQUIRE(loaded.refusal.empty());
  auto const& outdoor = loaded.study().run.metering->outdoor_c;
  CHECK(outdoor[0].time_s == 0);
  CHECK(outdoor[1].time_s == 3600);
}

TEST_CASE("Mistakes about facility, weather and places of limits say where and what to do") {
  std::string const two = "limit: [{steps: [[0, 900]]}, {at: gpu, steps: [[0, 800]]}]";
  CHECK(Loaded({{7, two}}).refusal == "s.yaml:7:30: limit.1.at: there are two limits at this place (which of them holds is not clear); join them into one");
  CHECK(contains(Loaded({{7, "limit: {at: meter, steps: [[0, 900]]}"}}).refusal,
                 "limit.at: a limit there needs a facility (nothing says what stands between it and the GPUs); add facility: {node: h200}"));
  CHECK(contains(Loaded({{7, "limit: {at: roof, steps: [[0, 900]]}"}}).refusal, "limit.at: "));
  CHECK(contains(Loaded({{9, "facility: {node: h200}"}}).refusal,
                 "cluster.gpus: this key is missing (there is a facility, and its idle nodes draw, too: how many GPUs there are must be known); add it"));
  CHECK(contains(Loaded({{9, "outdoor: weather.csv"}}, {{"weather.csv", "time_s,outdoor_c\n0,1\n"}}).refusal,
                 "outdoor: the weather matters to a facility alone, and there is none; add facility: {node: h200}, or remove it"));
  std::map<std::size_t, std::string> const lines{
      {9, "cluster: {gpus: 16}"}, {10, "facility: {node: h200}"}, {11, "outdoor: {file: weather.csv, every_s: 3600}"}};
  CHECK(contains(Loaded(lines, {{"weather.csv", "outdoor_c\n12\n99\n"}}).refusal,
                 "outdoor.file: the temperature at 3600 s is 99 deg C (-90 to 70 is possible); correct the file"));
  CHECK(contains(Loaded(lines, {{"weather.csv", "celsius\n12\n"}}).refusal, "outdoor_c"));
  CHECK(contains(Loaded(lines, {{"weather.csv", "outdoor_c\n"}}).refusal, "has no rows"));
  auto both = lines;
  both[11] = "outdoor: {file: weather.csv, every_s: 3600, time_column: t}";
  CHECK(contains(Loaded(both, {{"weather.csv", "t,outdoor_c\n0,1\n"}}).refusal,
                 "outdoor.every_s: every_s says that there is no column of times, and time_column or utc_offset that there is one; remove one of them"));
}
