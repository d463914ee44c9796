// The keys of a timeline scenario: a new key is a member of its struct in timeline_spec.hpp and one line here.
#include "wattfill/scenario/timeline_spec.hpp"

#include "scenario/shared_tables.hpp"

namespace wattfill {
namespace {

Range const seconds = between(0, 1e12);

Format<TimelineJobFields> listed_job() {
  using J = TimelineJobFields;
  return table<J>(
      "Timeline job", "one job; work is counted in seconds at full speed on the GPUs asked for",
      with_terms<J>(
          {field("id", &J::id, placed(text()), "its name, unique", "dolly").required(),
           field("curve", &J::curve, placed(text()), "LIBRARY/CURVE of the job", "emerald-a100/ft_llama_8b_dolly").required(),
           field("gpus", &J::gpus, number(Range{0, 1e9, true}), "GPUs; draw and speed per GPU are those of the measured job", "32")
               .otherwise("those of the curve"),
           field("submit_s", &J::submit_s, number(seconds, "s"), "when it is submitted", "600"),
           field("work_s", &J::work_s, number(seconds, "s"), "work", "36000").required(),
           field("deadline_s", &J::deadline_s, number(seconds, "s"), "time by which it should be finished", "90000"),
           field("mean_speed_loss", &J::mean_speed_loss, number(Range{0, 1, false}),
                 "flex budget: agreed mean loss of speed over its run (Phoenix tiers: 0, 0.1, 0.25, 0.5); the deadline policy keeps it", "0.1"),
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
  auto const points = placed(list_of(list_of(number(between(0, 1e15)), 2, 2), 1, 1'000'000));
  return table<L>(
      "Limit", "the power limit over time: one of steps, ramps, series",
      {field("at", &L::at,
             choice<LimitAt>({{"gpu", LimitAt::gpu, "draw of all GPUs"},
                              {"it", LimitAt::it, "draw of nodes and switches; needs facility"},
                              {"meter", LimitAt::meter, "what the site's meter shows; needs facility"}}),
             "what is limited", "meter"),
       field("steps", &L::steps, points, "[time in s, W]: from then on", "[[0, 90000], [5400, 67500], [16200, 90000]]"),
       field("ramps", &L::ramps, points, "[time in s, W]: straight lines between, the last value holds", "[[0, 90000], [5400, 90000], [6300, 67500]]"),
       field("series", &L::series, series(), "a CSV file", "limit.csv"),
       field("ramp_step_s", &L::ramp_step_s, number(Range{0.001, 1e9, false}, "s"),
             "ramps go in steps of this length, each at the lower of its ends: never above the line", "10")});
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

Format<TimelineFields> const& timeline_format() {
  using T = TimelineFields;
  using C = CheckpointFields;
  auto const watts = number(between(0, 1e6), "W");
  auto const cluster = table<ClusterFields>(
      "Cluster", "the GPUs",
      {field("gpus", &ClusterFields::gpus, number(Range{0, 1e12, true}), "how many", "256").otherwise("as many as are asked for"),
       field("idle_gpu_w", &ClusterFields::idle_gpu_w, watts, "draw of a GPU that no job has", "55").otherwise("0, with a facility its `gpu_idle_w`")});
  auto const jobs = table<TimelineJobsFields>("Timeline jobs", "the jobs: any of explicit, trace, arrivals, together",
                                              {field("explicit", &TimelineJobsFields::listed, list_of(listed_job(), 0, 1'000'000), "the jobs themselves",
                                                     "[{id: dolly, curve: emerald-a100/ft_llama_8b_dolly, gpus: 32, work_s: 36000}]"),
                                               field("trace", &TimelineJobsFields::trace, trace(), "jobs of a CSV file", "jobs.csv"),
                                               field("arrivals", &TimelineJobsFields::arrivals, arrivals(), "jobs that arrive at random",
                                                     "{rate_per_h: 12, until_s: 86400, groups: {all: {where: {}, work: {median_s: 3600}}}}")});
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
  auto const checkpoint =
      table<C>("Checkpoint", "what checkpoints cost; draws are of one GPU, and no work is done meanwhile",
               {field("save_s", spec(&C::save_s), number(seconds, "s"), "time to write one before a pause or a resize", "60"),
                field("save_w", spec(&C::save_w), watts, "draw meanwhile", "120"),
                field("paused_w", &C::paused_gpu_w, watts, "draw while paused", "60").otherwise("0, with a facility its `gpu_idle_w`"),
                field("restart_s", spec(&C::restart_s), number(seconds, "s"), "time to load it afterwards", "120"),
                field("restart_w", spec(&C::restart_w), watts, "draw meanwhile", "150"),
                field("period_s", spec(&C::period_s), number(between(0, 1e12), "s"),
                      "a job writes one on its own every so often of the time it runs (pauses, saving and loading do not count); 0: never", "3600"),
                field("length_s", spec(&C::length_s), number(seconds, "s"), "time that takes", "60"),
                field("draw_w", spec(&C::draw_w), watts, "draw meanwhile", "120")});
  auto const control =
      table<ControlSpec>("Control", "how caps take effect",
                         {field("settle_s", &ControlSpec::settle_s, number(seconds, "s"), "a cap of a list acts so long after it was set", "30")});
  static auto const format = table<T>(
      "Timeline scenario", "a timeline study: jobs arrive, wait, run and finish under a power limit that moves",
      {field("wattfill", &T::wattfill, integer(1, format_version), "version of this format", "1").required(),
       field("name", &T::name, identifier(), "name of the study; results go to out/NAME", "small-event").required(),
       field("kind", &T::kind, choice<std::string>({{"timeline", "timeline", ""}}), "kind of study", "timeline").required(),
       field("seed", &T::seed, integer(0, std::numeric_limits<std::uint64_t>::max()), "seed of all draws; 0 is a seed like any other", "2609"),
       field("curves", &T::curves, list_of(placed(text()), 1, 1000), "curve libraries by name, or paths relative to this file", "[emerald-a100]").required(),
       field("start", &T::start, placed(text()), "what time 0 is, with its UTC offset; needed where files have times", "\"2025-05-01T16:10:00-07:00\""),
       field("cluster", &T::cluster, cluster, "the GPUs", "{gpus: 256, idle_gpu_w: 55}"),
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
       field("control", &T::control, control, "how caps take effect", "{settle_s: 30}"),
       field("price", &T::price, series(), "electricity price [USD/MWh]", "{file: prices.csv, column: Price (USD/MWh)}"),
       field("carbon", &T::carbon, series(), "carbon intensity [gCO2/kWh]", "{file: carbon.csv, column: avg_CI}"),
       field("policies", &T::policies, list_of(policy_table(PolicyUse::timeline), 1, 1000), "the policies to compare",
             "[proportional, {name: deadline, inner: oracle}, {name: replay, actions: actions.csv}]")
           .required(),
       field("reference", &T::reference, placed(text()), "label of the policy that differences refer to; if no policy is called so, those columns stay empty",
             "proportional"),
       field("objective", &T::objective, placed(objective_choice()), "what a job at full speed is worth", "normalized"),
       field("pfi", &T::pfi, pfi_table(), "the flexibility figures that policies see", "{source: measured, grid: own}"),
       field("until", &T::until, choice<std::string>({{"done", "done", "all jobs are finished, or nothing can move any more"}}), "when the run ends", "done"),
       field("duration_s", &T::duration_s, number(Range{0, 1e12, true}, "s"), "it ends at this time instead", "604800"),
       field("sample_s", &T::sample_s, number(Range{0.001, 1e12, false}, "s"), "rows of power.csv at multiples of this time, too", "60"),
       field("sweep", &T::sweep, map_of(list_of(anything(), 1, 100'000), true), "parameter study: from key path to a list of values; all combinations are run",
             "{cluster.gpus: [128, 256]}")});
  return format;
}

}  // namespace wattfill
