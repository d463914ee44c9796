// The keys of a timeline scenario: a new key is a member of its struct in timeline_spec.hpp and one line here.
#include "wattfill/scenario/timeline_spec.hpp"

#include "scenario/shared_tables.hpp"

namespace wattfill {
namespace {

Range const seconds = between(0, 1e12);

Format<TimelineJobFields> listed_job() {
  using J = TimelineJobFields;
  auto const phase = table<PhaseFields>(
      "Phase", "a stretch of a job's work",
      {field("curve", &PhaseFields::curve, placed(text()), "LIBRARY/CURVE", "emerald-a100/infer_llama_8b").required(),
       field("work_s", &PhaseFields::work_s, number(Range{0, 1e12, true}, "s"), "work of this stretch, at this curve's full speed", "600").required()});
  return table<J>(
      "Timeline job", "one job; work is counted in seconds at full speed on the GPUs asked for",
      with_terms<J>(
          {field("id", &J::id, placed(text()), "its name, unique", "dolly").required(),
           field("curve", &J::curve, placed(text()), "LIBRARY/CURVE of the job", "emerald-a100/ft_llama_8b_dolly").otherwise("those of its phases"),
           field("phases", &J::phases, placed(list_of(phase, 1, 100)),
                 "instead of curve: stretches of its work with curves of their own, which come again and again",
                 "[{curve: emerald-a100/ft_llama_8b_p3, work_s: 1800}, {curve: emerald-a100/infer_llama_8b, work_s: 600}]"),
           field("gpus", &J::gpus, number(Range{0, 1e9, true}), "GPUs; draw and speed per GPU are those of the measured job", "32")
               .otherwise("those of the curve"),
           field("submit_s", &J::submit_s, number(seconds, "s"), "when it is submitted", "600"),
           field("work_s", &J::work_s, number(seconds, "s"), "work", "36000").required(),
           field("deadline_s", &J::deadline_s, number(seconds, "s"), "time by which it should be finished", "90000"),
           field("mean_speed_loss", &J::mean_speed_loss, number(Range{0, 1, false}),
                 "flex budget: agreed mean loss of speed over its run (Phoenix tiers: 0, 0.1, 0.25, 0.5); the deadline policy keeps it", "0.1"),
           field("rack", &J::rack, integer(0, 65534), "the rack that it must run in, from 0 on; needs racks", "3").otherwise("the first with room"),
           field("stateless", &J::stateless, truth(), "nothing to save or load (serving): pauses and resizes take no time, and it writes no checkpoints",
                 "true"),
           field("since_checkpoint_s", &J::since_checkpoint_s, number(seconds, "s"),
                 "when it starts, its last own checkpoint began so long ago (of its running time)", "1115")
               .otherwise("it counts from its start"),
           field("estimate_s", &J::estimate_s, number(seconds, "s"), "run time at full speed that the scheduler is told", "40000").otherwise("work_s")}));
}

Format<TraceFields> trace() {
  using T = TraceFields;
  auto const full = table<T>("Trace",
                             "jobs of a CSV file, columns by name: curve, work_s and submit_s (or submit: a time with its UTC offset, see start); and, where "
                             "there are such columns, id, "
                             "gpus, deadline_s, estimate_s, mean_speed_loss, priority, min_speed, flex_tier",
                             {field("file", &T::file, placed(text()), "the file, relative to this one", "jobs.csv").required(),
                              field("columns", &T::columns, map_of(text()), "from our names of columns to the file's",
                                    "{id: name, submit_s: time, curve: application, gpus: num_replicas}"),
                              field("curves", &T::curves, map_of(placed(text()), true), "from what stands in the curve column to LIBRARY/CURVE",
                                    "{cifar10: emerald-a100/ft_llama_8b_dolly}"),
                              field("work_s", &T::work_s, map_of(number(seconds, "s"), true),
                                    "from what stands in the curve column to work, instead of a column of work", "{cifar10: 1800}")});
  return with_short_form<T, Placed<std::string>>(
      placed(text()), full,
      [](Placed<std::string> const& file, Place const& place, T& into) {
        into.file = file;
        into.place = place;
      },
      [](T const& t) { return t.columns.empty() && t.curves.empty() && t.work_s.empty() ? std::optional(t.file) : std::nullopt; });
}

Format<ArrivalsFields> arrivals() {
  using A = ArrivalsFields;
  using G = ArrivalGroupFields;
  using W = WorkFields;
  auto const work =
      table<W>("Work", "how much work a drawn job has: lognormal, or by quantiles",
               {field("median_s", &W::median_s, number(Range{0, 1e12, true}, "s"), "median of a lognormal", "1186"),
                field("mean_s", &W::mean_s, number(Range{0, 1e12, true}, "s"), "its mean, at least the median", "12000").otherwise("the median: all equal"),
                field("quantiles", &W::quantiles, placed(list_of(list_of(number(seconds), 2, 2), 1, 1000)),
                      "[share, s] in ascending order; linear between, the first and last hold outside", "[[0.1, 61], [0.5, 1186], [0.9, 49969]]")});
  auto const group =
      table<G>("Arrival group", "a named group of arriving jobs",
               with_terms<G>({field("where", &G::where, where_table(), "the curves of the group, each equally likely", "{task: fine-tuning}").required(),
                              field("weight", &G::weight, number(between(0, 1e12)), "share of arrivals, normalised over the groups", "0.943"),
                              field("gpus", &G::gpus, map_of(number(between(0, 1e12))), "from numbers of GPUs to weights", "{1: 0.687, 4: 0.134, 8: 0.126}")
                                  .otherwise("those of the curve"),
                              field("work", &G::work, work, "work of a job", "{median_s: 1186, mean_s: 12000}").required(),
                              field("mean_speed_loss", &G::mean_speed_loss, number(Range{0, 1, false}), "flex budget of each job", "0.1"),
                              field("deadline_factor", &G::deadline_factor, number(Range{0, 1e6, true}), "deadline = submission + factor x work", "1.5")}));
  return table<A>("Arrivals", "jobs that arrive at random",
                  {field("process", &A::process, choice<std::string>({{"poisson", "poisson", ""}}), "the process", "poisson"),
                   field("rate_per_h", &A::rate_per_h, number(between(0, 1e9), "1/h"), "mean arrivals an hour", "12").required(),
                   field("by_hour", &A::by_hour, list_of(number(between(0, 1e6)), 24, 24), "factor of the rate in each hour of the day, 24 of them",
                         "[1,1,1,1,1,1,1,2,2,2,2,2,2,2,2,2,2,2,1,1,1,1,1,1]")
                       .otherwise("always 1"),
                   field("first_hour", &A::first_hour, number(between(0, 24)), "hour of the day at which the run begins", "8"),
                   field("until_s", &A::until_s, number(Range{0, 1e12, true}, "s"), "jobs arrive up to this time", "604800").required(),
                   field("groups", &A::groups, map_of(group), "what arrives", "{all: {where: {}, work: {median_s: 3600}}}").required(),
                   field("replications", &A::replications, integer(1, 1'000'000), "runs with other draws", "100")});
}

Format<SeriesFields> series() {
  using S = SeriesFields;
  auto const full = table<S>("Series", "a column of a CSV file against time; each value holds until the next",
                             {field("file", &S::file, placed(text()), "the file, relative to this one", "signal.csv").required(),
                              field("column", &S::column, text(), "column of values", "avg_CI").otherwise("`limit_w`, `usd_per_mwh`, `g_per_kwh`, `outdoor_c`"),
                              field("time_column", &S::time_column, text(), "column of times: seconds, or 2025-05-01T16:10:00-07:00 (see start)", "timestamp")
                                  .otherwise("`time_s`, else `time`"),
                              field("utc_offset", &S::utc_offset, text(), "UTC offset of times that have none", "\"+00:00\""),
                              field("every_s", &S::every_s, number(Range{0, 1e9, true}, "s"),
                                    "there is no column of times: the first row is time 0, the others follow at this distance", "3600")});
  return with_short_form<S, Placed<std::string>>(
      placed(text()), full,
      [](Placed<std::string> const& file, Place const& place, S& into) {
        into.file = file;
        into.place = place;
      },
      [](S const& s) { return !s.column && !s.time_column && !s.utc_offset && !s.every_s ? std::optional(s.file) : std::nullopt; });
}

Format<LimitFields> limit() {
  using L = LimitFields;
  using E = LimitEventsFields;
  auto const points = placed(list_of(list_of(number(between(0, 1e15)), 2, 2), 1, 1'000'000));
  auto const random = table<E>(
      "Random events", "falls of the limit that come at random, drawn before the run; every policy meets the same",
      {field("base_w", &E::base_w, number(between(0, 1e15), "W"), "the limit between them", "90000").required(),
       field("mean_gap_s", &E::mean_gap_s, number(Range{0, 1e12, true}, "s"), "mean of the exponential time from the end of one to the next", "86400")
           .required(),
       field("cut", &E::cut, placed(list_of(number(between(0, 1)), 1, 2)), "depth as a share of base_w: one number, or the two ends of a uniform distribution",
             "[0.1, 0.3]"),
       field("median_s", &E::median_s, number(Range{0, 1e12, true}, "s"), "median of a lognormal length", "7200").required(),
       field("mean_s", &E::mean_s, placed(number(Range{0, 1e12, true}, "s")), "its mean, at least the median", "10800").otherwise("the median: all equal"),
       field("until_s", &E::until_s, number(Range{0, 1e12, true}, "s"), "they begin up to this time", "604800").required()});
  return requiring(
      "oneOf", {"steps", "ramps", "series", "random"},
      table<L>("Limit", "the power limit over time: one of steps, ramps, series, random",
               {field("at", &L::at,
                      choice<LimitAt>({{"gpu", LimitAt::gpu, "draw of all GPUs"},
                                       {"it", LimitAt::it, "draw of nodes and switches; needs facility"},
                                       {"meter", LimitAt::meter, "what the site's meter shows; needs facility"}}),
                      "what is limited", "meter"),
                field("steps", &L::steps, points, "[time in s, W]: from then on", "[[0, 90000], [5400, 67500], [16200, 90000]]"),
                field("ramps", &L::ramps, points, "[time in s, W]: straight lines between, the last value holds", "[[0, 90000], [5400, 90000], [6300, 67500]]"),
                field("series", &L::series, series(), "a CSV file", "limit.csv"),
                field("ramp_step_s", &L::ramp_step_s, number(Range{0.001, 1e9, false}, "s"),
                      "ramps go in steps of this length, each at the lower of its ends: never above the line", "10"),
                field("random", &L::random, random, "events that come at random", "{base_w: 90000, mean_gap_s: 86400, median_s: 7200, until_s: 604800}"),
                field("notice_s", &L::notice_s, number(seconds, "s"), "a fall is known so long before", "600"),
                field("deadline_s", &L::deadline_s, number(seconds, "s"),
                      "ramp deadline: the draw need only be under a fallen limit so long after the fall; what is over the limit counts from then on", "900"),
                field("lead_s", &L::lead_s, placed(number(between(-1e12, 1e12), "s")),
                      "the fleet acts on a fall so long before it, notice_s at most; below 0: after it, deadline_s at most", "120")}));
}

Format<RacksFields> racks() {
  using R = RacksFields;
  using L = RackLimitFields;
  auto const limit =
      table<L>("Rack limit", "a limit on what comes into one rack, or into every one; several may stand side by side, and those of later times hold",
               {field("rack", &L::rack, placed(integer(0, 65534)), "which, from 0 on", "3").otherwise("every one"),
                field("steps", &L::steps, placed(list_of(list_of(number(between(0, 1e15)), 2, 2), 1, 100'000)), "[time in s, W]: from then on",
                      "[[0, 22400], [3600, 16000], [7200, 22400]]")
                    .required()});
  return table<R>(
      "Racks", "all alike; a job that fits one stands in the first with room, a larger one over empty ones, and it stays there",
      {field("gpus", &R::gpus, number(Range{0, 1e9, true}), "GPUs of a rack; cluster.gpus is a multiple of it", "32"),
       field("loss", &R::loss, number(between(0, 10)), "of supplies and bars, as a share of what the GPUs draw", "0.02"),
       field("limits", &R::limits, list_of(limit, 0, 65'535), "what may come into them", "[{steps: [[0, 22400]]}, {rack: 3, steps: [[3600, 16000]]}]")});
}

Format<ControlFields> control() {
  using C = ControlFields;
  using S = SensorFields;
  using R = CorrectionFields;
  auto const sensor = table<S>(
      "Sensor", "how the draw of all GPUs is measured: each reading is a mean over a time before it",
      {field("period_s", &S::period_s, number(Range{0.001, 1e9, false}, "s"), "time between readings", "10"),
       field("lag", &S::lag, integer(0, 1000), "readings that one is told late", "1"),
       field("duty", &S::duty, number(Range{0, 1, true}), "share of the time that is looked at, the last of each period (NVML on A100 and H100: 0.25)", "0.25"),
       field("noise", &S::noise, number(between(0, 1)), "standard deviation of a reading, as a share of it", "0.01"),
       field("lost", &S::lost, number(between(0, 1)), "probability that a reading is lost", "0.02"),
       field("outages", &S::outages, placed(list_of(list_of(number(seconds), 2, 2), 0, 100'000)), "[from, to] in s: all readings are lost", "[[3600, 4200]]")});
  auto const correction = table<R>(
      "Correction", "loop closed: the budget is corrected by gain x (limit - reading) at each reading",
      {field("gain", &R::gain, number(Range{0, 2, true}),
             "as a share of the bound 2 cos(lag pi / (2 lag + 1)), from which on the loop swings ever wider; see src/sim/README.md", "0.5"),
       field("deadband", &R::deadband, number(between(0, 1)), "errors up to this share of the limit are left alone", "0.002"),
       field("rate_w_per_s", &R::rate_w_per_s, number(Range{0, 1e15, true}, "W/s"), "the correction moves no faster", "500").otherwise("as fast as it will"),
       field("fail_safe_after", &R::fail_safe_after, integer(1, 1'000'000), "readings missing in a row after which the budget is lowered", "3"),
       field("fail_safe_margin", &R::fail_safe_margin, number(between(0, 1)), "to this share under the limit, until a reading comes", "0.05")});
  return table<C>(
      "Control", "how caps take effect, and who trusts in them",
      {field("settle_s", &C::settle_s, number(seconds, "s"), "a cap of a list acts so long after it was set", "30"),
       field("loop", &C::loop, loop_choice(), "how what a policy decides becomes draws", "closed"),
       field("rollout_s", &C::rollout_s, number(seconds, "s"),
             "loops that set caps: a daemon goes round the fleet, a tenth after the other, in this time; 0: all at once", "30"),
       field("cap_step_w", &C::cap_step_w, number(between(0, 1e6), "W"), "loops that set caps: caps are multiples of this, rounded down; 0: any", "5"),
       field("least_cap_w", &C::least_cap_w, number(between(0, 1e6), "W"), "loops that set caps: the device takes no lower one", "100"),
       field("sensor", &C::sensor, sensor, "loop closed: what is measured", "{period_s: 10, lag: 1, noise: 0.01}"),
       field("correction", &C::correction, correction, "loop closed: what is done about it", "{gain: 0.5}")});
}

/// One limit, or a list of limits at several places.
Format<std::vector<LimitFields>> limits() {
  auto const one = limit();
  auto const many = list_of(one, 1, 3);
  auto format = many;
  format.type = one.type + " or " + many.type;
  format.schema = Node::map().add("anyOf", Node::list().add(one.schema).add(many.schema));
  format.reads([one, many](Node const& node, std::string const& key, std::vector<LimitFields>& into, Reading& reading) {
    if (node.kind != Node::Kind::map) return many.read(node, key, into, reading);
    into.assign(1, {});
    one.read(node, key, into.front(), reading);
  });
  format.echoes([one, many](std::vector<LimitFields> const& limits) {
    return limits.empty() ? Node() : limits.size() == 1 ? one.echo(limits.front()) : many.echo(limits);
  });
  format.documenter = one.documenter;
  return format;
}

}  // namespace

Format<Loop> loop_choice() {
  return choice<Loop>({{"exact", Loop::exact, "GPUs draw what was decided: caps are trimmed until they do, at once"},
                       {"open", Loop::open, "caps are set by the believed curves and trusted; GPUs draw what they give"},
                       {"closed", Loop::closed, "the same, and the budget is corrected by what is measured"},
                       {"learning", Loop::learning, "closed, and the losses of speed seen at readings replace those that are believed"}});
}

Format<TimelineFields> const& timeline_format() {
  using T = TimelineFields;
  using C = CheckpointFields;
  auto const watts = number(between(0, 1e6), "W");
  auto const cluster = table<ClusterFields>(
      "Cluster", "the GPUs",
      {field("gpus", &ClusterFields::gpus, number(Range{0, 1e12, true}), "how many", "256").otherwise("as many as are asked for"),
       field("idle_gpu_w", &ClusterFields::idle_gpu_w, watts, "draw of a GPU that no job has", "55").otherwise("0, with a facility its `gpu_idle_w`")});
  auto const jobs =
      requiring("anyOf", {"explicit", "trace", "arrivals"},
                table<TimelineJobsFields>("Timeline jobs", "the jobs: any of explicit, trace, arrivals, together",
                                          {field("explicit", &TimelineJobsFields::listed, list_of(listed_job(), 1, 1'000'000), "the jobs themselves",
                                                 "[{id: dolly, curve: emerald-a100/ft_llama_8b_dolly, gpus: 32, work_s: 36000}]"),
                                           field("trace", &TimelineJobsFields::trace, trace(), "jobs of a CSV file", "jobs.csv"),
                                           field("arrivals", &TimelineJobsFields::arrivals, arrivals(), "jobs that arrive at random",
                                                 "{rate_per_h: 12, until_s: 86400, groups: {all: {where: {}, work: {median_s: 3600}}}}")}));
  auto const queue = table<QueueFields>(
      "Queue", "in which order jobs start, and when",
      {field("order", &QueueFields::order,
             choice<QueueSpec::Order>(
                 {{"easy", QueueSpec::Order::easy, "first come first served, with EASY backfill: jobs may pass if the head of the queue is not delayed"},
                  {"fcfs", QueueSpec::Order::fcfs, "first come first served: nobody passes"}}),
             "how", "fcfs"),
       field("by_priority", &QueueFields::by_priority, truth(), "the queue is in the order of priority instead of arrival", "true"),
       field("aging_per_h", &QueueFields::aging_per_h, number(between(0, 1e9), "1/h"), "priority that a job gains for every hour it waits", "0.5"),
       field("hold", &QueueFields::hold, truth(), "a job starts only while the limit has room for the floors of all running jobs and its own", "true"),
       field("depth", &QueueFields::depth, integer(0, 1'000'000'000), "jobs behind the head that backfill looks at", "100")});
  auto const spec = [](double CheckpointSpec::*m) { return static_cast<double C::*>(m); };
  auto const checkpoint = table<C>(
      "Checkpoint", "what checkpoints cost; draws are of one GPU, and no work is done meanwhile",
      {field("save_s", spec(&C::save_s), number(seconds, "s"), "time to write one before a pause or a resize", "60"),
       field("save_w", spec(&C::save_w), watts, "draw meanwhile", "120"),
       field("paused_w", &C::paused_gpu_w, watts, "draw while paused", "60").otherwise("0, with a facility its `gpu_idle_w`"),
       field("restart_s", spec(&C::restart_s), number(seconds, "s"), "time to load it afterwards", "120"),
       field("restart_w", spec(&C::restart_w), watts, "draw meanwhile", "150"),
       field("period_s", spec(&C::period_s), number(between(0, 1e12), "s"),
             "a job writes one on its own every so often of the time it runs (pauses, saving and loading do not count); 0: never", "3600"),
       field("mtbf_s", &C::mtbf_s, placed(number(Range{0, 1e12, true}, "s")),
             "instead of period_s: mean time between failures of a job, for which sqrt(2 length_s mtbf_s) loses least time (Young 1974)", "86400"),
       field("length_s", spec(&C::length_s), number(seconds, "s"), "time that takes", "60"), field("draw_w", spec(&C::draw_w), watts, "draw meanwhile", "120"),
       field("on_demand", static_cast<bool C::*>(&C::on_demand), truth(),
             "false: nothing is written before a pause or a resize; work since the job's own last checkpoint (period_s), or in this phase, is done again",
             "false"),
       field("lost_s", spec(&C::lost_s), number(seconds, "s"),
             "work that is done again after each pause or resize (half the period of checkpoints that are not simulated)", "900"),
       field("gb_per_gpu", spec(&C::gb_per_gpu), number(between(0, 1e9), "GB"), "size of a checkpoint, per GPU of its job", "20"),
       field("storage_gb_per_s", spec(&C::storage_gb_per_s), number(between(0, 1e12), "GB/s"),
             "bandwidth of the storage that all share: while those written and read at once ask for more, all are slowed alike; 0: there is enough", "100")});
  static auto const format = table<T>(
      "Timeline scenario", "a timeline study: jobs arrive, wait, run and finish under a power limit that moves",
      {field("wattfill", &T::wattfill, integer(1, format_version), "version of this format", "1").required(),
       field("name", &T::name, identifier(), "name of the study; results go to out/NAME", "small-event").required(),
       field("kind", &T::kind, choice<std::string>({{"timeline", "timeline", ""}}), "kind of study", "timeline").required(),
       field("seed", &T::seed, integer(0, std::numeric_limits<std::uint64_t>::max()), "seed of all draws; 0 is a seed like any other", "2609"),
       field("curves", &T::curves, list_of(placed(text()), 1, 1000), "curve libraries by name, or paths relative to this file", "[emerald-a100]").required(),
       field("start", &T::start, placed(text()), "what time 0 is, with its UTC offset; needed where files have times", "\"2025-05-01T16:10:00-07:00\""),
       field("cluster", &T::cluster, cluster, "the GPUs", "{gpus: 256, idle_gpu_w: 55}"),
       field("racks", &T::racks, racks(), "what the GPUs stand in, with limits of their own; needs cluster.gpus",
             "{gpus: 32, limits: [{steps: [[0, 16000]]}]}"),
       field("jobs", &T::jobs, jobs, "the jobs", "{trace: jobs.csv}").required(),
       field("facility", &T::facility, facility_format(), "the way from the GPUs to the meter; needs cluster.gpus; absent: only GPUs are looked at",
             "{node: h200, outdoor_c: 30}"),
       field("outdoor", &T::outdoor, series(), "outdoor temperature [deg C] instead of the facility's constant one", "{file: weather.csv, every_s: 3600}"),
       field("limit", &T::limit, limits(), "the power limit, or a list of limits at several places; absent: none",
             "{at: meter, steps: [[0, 90000], [5400, 67500]]}"),
       field("contract", &T::contract, timeline_contract_table(), "a contract that is settled on what the meter shows", "{file: contract.yaml, follow: true}"),
       field("capacity", &T::capacity, timeline_capacity_table(), "what reduction can be promised", "{speed_loss: [0.05], duration_h: [1, 3], day: 14}"),
       field("queue", &T::queue, queue, "who starts when", "{order: fcfs}"),
       field("checkpoint", &T::checkpoint, checkpoint, "cost of checkpoints", "{save_s: 60}"),
       field("control", &T::control, control(), "how caps take effect, and who trusts in them", "{loop: closed, sensor: {period_s: 10, lag: 1}}"),
       field("price", &T::price, series(), "electricity price [USD/MWh]", "{file: prices.csv, column: Price (USD/MWh)}"),
       field("carbon", &T::carbon, series(), "carbon intensity [gCO2/kWh]", "{file: carbon.csv, column: avg_CI}"),
       field("policies", &T::policies, list_of(policy_table(PolicyUse::timeline), 1, 1000), "the policies to compare",
             "[proportional, {name: deadline, inner: oracle}, {name: replay, actions: actions.csv}]")
           .required(),
       field("reference", &T::reference, placed(text()), "label of the policy that differences refer to; if no policy is called so, those columns stay empty",
             "proportional"),
       field("replications", &T::replications, placed(integer(1, 1'000'000)),
             "runs with other draws of beliefs, sensors and events, of jobs that do not arrive at random", "100")
           .otherwise("1"),
       field("objective", &T::objective, placed(objective_choice()), "what a job at full speed is worth", "normalized"),
       field("pfi", &T::pfi, pfi_table(), "the flexibility figures that policies see", "{source: measured, grid: own}"),
       field("until", &T::until, choice<std::string>({{"done", "done", "all jobs are finished, or nothing can move any more"}}), "when the run ends", "done"),
       field("duration_s", &T::duration_s, number(Range{0, 1e12, true}, "s"), "it ends at this time instead", "604800"),
       field("sample_s", &T::sample_s, number(Range{0.001, 1e12, false}, "s"), "rows of power.csv at multiples of this time, too", "60"),
       field("sweep", &T::sweep, map_of(list_of(anything(), 1, 100'000), true), "parameter study: from key path to a list of values; all combinations are run",
             "{cluster.gpus: [128, 256]}"),
       field("samples", &T::samples, samples_table(), "parameter study: points spread over ranges of keys, each run with every combination of sweep",
             "{method: sobol, points: 64, over: {pfi.rmse: [0, 0.5]}}")});
  return format;
}

}  // namespace wattfill
