// The keys of a snapshot scenario: a new key is a member of its struct in spec.hpp and one line here.
#include <algorithm>

#include "scenario/shared_tables.hpp"
#include "wattfill/policy/policy.hpp"
#include "wattfill/sim/scores.hpp"

namespace wattfill {

Format<WhereFields> where_table() {
  using W = WhereFields;
  return table<W>("Where", "which curves are meant: every key given must agree; {} means every curve",
                  {field("library", &W::library, placed(text()), "curve library", "h200-pfi-2026"),
                   field("curve", &W::curve, placed(text()), "name of one curve", "ft_llama_8b_dolly"),
                   field("architecture", &W::architecture, placed(text()), "architecture as the library states it", "moe"),
                   field("task", &W::task, placed(text()), "task as the library states it", "fine-tuning"),
                   field("model", &W::model, placed(text()), "model family as the library states it", "llama-8b")});
}

Format<SamplesFields> samples_table() {
  using S = SamplesFields;
  auto const method =
      choice<SampleMethod>({{"sobol", SampleMethod::sobol, "Sobol's sequence, a power of 2 less 1 points fill the ranges best"},
                            {"latin-hypercube", SampleMethod::latin_hypercube, "one point in each of so many intervals of every range, drawn by seed"}});
  return table<S>("Samples", "points of a parameter study; they are told apart by the column sample",
                  {field("method", &S::method, method, "how they are spread", "latin-hypercube").otherwise("sobol"),
                   field("points", &S::points, integer(1, 100'000), "how many", "63").required(),
                   field("over", &S::over, map_of(list_of(number(between(-1e300, 1e300)), 2, 2), true), "from key path to lowest and highest value",
                         "{pfi.rmse: [0, 0.5], mixes.m.jobs: [20, 200]}")
                       .required(),
                   field("whole", &S::whole, list_of(placed(text()), 0, 3000), "those of them that take whole numbers, both ends included", "[mixes.m.jobs]")});
}

namespace {

Format<MixFields> mix() {
  using M = MixFields;
  using G = GroupFields;
  using L = ListedFields;
  using O = OptimisedFields;
  auto const optimiser = choice<Optimiser>({{"perseus", Optimiser::perseus, "curves NAME-perseus"}, {"kareus", Optimiser::kareus, "curves NAME-kareus"}});
  auto const optimised =
      table<O>("Optimised", "jobs of the group whose iterations are planned by their time-energy frontier: they have the curve that the library holds for that",
               {field("share", &O::share, number(between(0, 1)), "of the group's jobs", "0.25").required(), field("by", &O::by, optimiser, "how", "kareus")});
  auto const group = table<G>("Group", "a named group of a drawn mix; inside a group every curve is equally likely",
                              with_terms<G>({field("where", &G::where, where_table(), "the curves of the group", "{task: fine-tuning}").required(),
                                             field("weight", &G::weight, number(between(0, 1e12)),
                                                   "share of the group, normalised over the groups; what it counts is said by weighting", "0.943"),
                                             field("optimised", &G::optimised, optimised, "share of jobs with optimised iterations", "{share: 0.25}"),
                                             field("mean_duration_s", &G::mean_duration_s, number(Range{0, 1e12, true}, "s"),
                                                   "mean run time of the group's jobs; required by weighting in-service", "36000")}));
  auto const listed =
      table<L>("Jobs", "a number of equal jobs of a mix written by hand",
               with_terms<L>({field("curve", &L::curve, placed(text()), "LIBRARY/CURVE of the jobs", "emerald-a100/ft_llama_8b_dolly").required(),
                              field("count", &L::count, integer(1, 1'000'000), "how many", "20")}));
  auto const weighting = choice<Weighting>({{"arrivals", Weighting::arrivals, "jobs as they are submitted"},
                                            {"in-service", Weighting::in_service, "arrivals seen while they run: weight x mean_duration_s"},
                                            {"gpu-time", Weighting::gpu_time, "GPU time: weight / mean GPUs of the group"}});
  return requiring("oneOf", {"draw", "explicit"},
                   table<M>("Mix", "a mix of jobs: drawn at random (draw) or written by hand (explicit: one replication, equal curves are summed)",
                            {field("replications", &M::replications, integer(1, 1'000'000'000), "mixes drawn", "500").otherwise("500"),
                             field("jobs", &M::jobs, integer(1, 1'000'000), "jobs of each drawn mix", "100").otherwise("100"),
                             field("weighting", &M::weighting, weighting, "what the weights of the groups count", "in-service").otherwise("arrivals"),
                             field("draw", &M::draw, map_of(group), "groups to draw from; this or explicit", "{all: {where: {}}}"),
                             field("explicit", &M::listed, list_of(listed, 1, 100'000), "the jobs themselves; this or draw",
                                   "[{curve: emerald-a100/ft_llama_8b_dolly, count: 20}]")}));
}

Format<CutsFields> cuts() {
  using C = CutsFields;
  auto const range = table<C>("Cuts", "cuts from + k x step up to to, end included (computed, never accumulated)",
                              {field("from", &C::from, number(between(0, 1)), "first cut, a fraction of the uncapped draw", "0").required(),
                               field("to", &C::to, number(between(0, 1)), "last cut, a fraction of the uncapped draw", "0.4").required(),
                               field("step", &C::step, number(Range{0, 1, true}), "distance of neighbours", "0.05").required()});
  return with_short_form<C, std::vector<double>>(
      list_of(number(between(0, 1)), 1, 10'000), range,
      [](std::vector<double> const& values, Place const& place, C& into) {
        into.values = values;
        into.place = place;
      },
      [](C const& c) { return c.values.empty() ? std::nullopt : std::optional(c.values); });
}

}  // namespace

Format<PolicyFields> policy_table(PolicyUse use) {
  using P = PolicyFields;
  std::vector<Choice<std::string>> names;
  for (auto const& entry : policy_registry()) names.push_back({std::string(entry.name), std::string(entry.name), std::string(entry.summary)});
  if (use == PolicyUse::timeline) {
    names.push_back({"replay", "replay", "jobs draw what a list of actions says, whatever the limit"});
    names.push_back({"deadline", "deadline", "an inner rule, over floors that let every job keep its deadline and its mean_speed_loss"});
    names.push_back({"least-laxity", "least-laxity",
                     "jobs with a deadline or mean_speed_loss get all they want in the order of time left - work left; an inner rule divides the rest"});
    names.push_back(
        {"pause-greedy", "pause-greedy", "jobs run uncapped or are paused, those worth least a watt first; not those with min_speed or mean_speed_loss: 0"});
    names.push_back(
        {"cap-and-pause", "cap-and-pause", "an inner rule; where a class loses more by its cap than by pausing as much of it, that share is paused"});
  }
  auto const name = choice<std::string>(names);
  auto const per =
      choice<TelemetryPer>({{"watt", TelemetryPer::watt, "proportional to draw x feature"}, {"job", TelemetryPer::job, "proportional to the feature alone"}});
  auto const knows =
      choice<Knowledge>({{"believed", Knowledge::believed, "what pfi says"},
                         {"perfect", Knowledge::perfect, "the measured truth: reference for what wrong beliefs cost"},
                         {"shrunk", Knowledge::shrunk, "PFI shrunk to the mean: mu + tau^2 / (tau^2 + sigma^2) (PFI - mu)"},
                         {"safe", Knowledge::safe, "as believed, with floors at which the agreed speed is broken with probability pfi.epsilon at most"},
                         {"shrunk-safe", Knowledge::shrunk_safe, "both"}});
  std::vector<Field<P>> fields{
      field("name", &P::name, name, "the rule", "pfi-aware").required(),
      field("label", &P::label, text(), "its name in the results", "pfi-aware-1").otherwise("the rule's name"),
      field("factor", &P::factor, number(Range{0, 1e12, true}), "class-weighted: times the cut of the named classes", "2").otherwise("2"),
      field("where", &P::where, where_table(), "class-weighted: the named classes", "{architecture: moe, task: fine-tuning}"),
      field("feature", &P::feature, placed(text()), "telemetry: feature of the uncapped run", "dram_activity"),
      field("per", &P::per, per, "telemetry: what the feature multiplies", "job").otherwise("watt"),
      field("curtail", &P::curtail, text(),
            "expression: formula of a job's share of the cut. p_max and p_min: full and lowest draw of the whole job [W]; t_max: its full speed; value: what "
            "it is worth at full speed under the objective; pfi; a, b: believed loss b x + a x^2 at cut x; gpus; priority; telemetry features by name",
            "p_max^2 * pfi / value"),
      field("pfi", &P::pfi, number(between(0, 1e9)), "1 switches PFI off (every job counts 1): pfi-paper, pfi-aware and expression", "1"),
      field("knows", &P::knows, knows, "what it is told of the jobs' flexibility", "perfect").otherwise("believed")};
  if (use == PolicyUse::timeline) {
    fields.push_back(field("actions", &P::actions, placed(text()),
                           "replay: a CSV file with the columns time_s, job, action (cap, pause, resume, resize) and value (cap in W of one GPU; GPUs)",
                           "actions.csv"));
    fields.push_back(field("inner", &P::inner, placed(text()),
                           "deadline, least-laxity, cap-and-pause: the rule that divides the watts; its options stand beside it", "oracle")
                         .otherwise("proportional"));
    fields.push_back(field("loop", &P::loop, loop_choice(), "how what it decides becomes draws", "closed").otherwise("that of control"));
  }
  auto const full = table<P>(use == PolicyUse::timeline ? "Timeline policy" : "Policy", "a rule that divides the watts, with its options", std::move(fields));
  return with_short_form<P, std::string>(
      name, full,
      [](std::string const& rule, Place const& place, P& into) {
        into.name = rule;
        into.place = place;
      },
      [](P const& p) {
        auto const bare = !p.label && !p.factor && !p.where && !p.feature && !p.per && !p.curtail && !p.pfi && !p.knows && !p.actions && !p.inner && !p.loop;
        return bare ? std::optional(p.name) : std::nullopt;
      });
}

namespace {

Format<OuterFields> outer() {
  using O = OuterFields;
  return table<O>(
      "Outer", "outer bootstrap: the whole study again on other curves",
      {field("draws", &O::draws, integer(1, 1'000'000), "repetitions", "200"),
       field("clusters", &O::clusters, truth(), "draw clusters of curves (model x task) with replacement", "true"),
       field("libraries", &O::libraries, list_of(list_of(placed(text()), 1, 100), 2, 1000),
             "ensemble of libraries; the k-th library of each member stands for the k-th of the first member", "[[h200-pfi-2026], [h200-pfi-2026-roofline]]")});
}

}  // namespace

Format<PfiFields> pfi_table() {
  using P = PfiFields;
  auto const source =
      choice<PfiSource>({{"measured", PfiSource::measured, "each curve's own"},
                         {"predicted", PfiSource::predicted, "least squares on telemetry: fitted on the curves of the study (feature), or a saved model"},
                         {"class-median", PfiSource::class_median, "median of the curve's architecture x task class"},
                         {"noisy", PfiSource::noisy, "each curve's own with an error, drawn anew in every replication"}});
  auto const cluster = [](std::string const& nobody) {
    std::vector<Choice<CurveCluster>> choices{{"curve", CurveCluster::curve, "each curve alone"},
                                              {"class", CurveCluster::job_class, "architecture x task"},
                                              {"model", CurveCluster::model, "model family"},
                                              {"library", CurveCluster::library, "library, hence GPU type"}};
    if (!nobody.empty()) choices.insert(choices.begin(), {"none", CurveCluster::none, nobody});
    return choice<CurveCluster>(choices);
  };
  auto const grid = choice<PfiGrid>({{"own", PfiGrid::own, "every cap of the curve"}, {"common", PfiGrid::common, "the caps that all curves share"}});
  return table<P>(
      "PFI", "where the flexibility figures that policies see come from",
      {field("source", &P::source, source, "where they come from", "predicted"), field("grid", &P::grid, grid, "the caps they are computed on", "common"),
       field("feature", &P::feature, placed(text()), "predicted: the telemetry feature, a product a*b or a ratio a/b", "dram_activity_x_memory_copy"),
       field("model", &P::model, placed(text()), "predicted: a model saved by wattfill predict --out, relative to this file; instead of feature", "model.yaml"),
       field("held_out", &P::held_out, cluster("nobody"), "predicted by feature, class-median: a curve's belief is made without the curves of its own", "model")
           .otherwise("none"),
       field("rmse", &P::rmse, number(between(0, 1e6)), "noisy: standard deviation of the error of a PFI; results below 0.05 count 0.05", "0.241"),
       field("cluster_share", &P::cluster_share, number(between(0, 1)), "noisy: share of the error's variance that is common to a cluster", "0.5")
           .otherwise("0"),
       field("cluster", &P::cluster, cluster(""), "noisy: which curves share it", "class").otherwise("class"),
       field("sigma", &P::sigma, number(between(0, 1e6)), "error one believes the PFIs to have, for knows: shrunk and safe", "0.3")
           .otherwise("what the source says of itself: rmse, the prediction's standard error, the spread in the class, 0"),
       field("epsilon", &P::epsilon, number(Range{0, 0.5, true}), "knows: safe: probability with which a job may run below its agreed speed", "0.05"),
       field(
           "stand_in", &P::stand_in, placed(text()),
           "measured, noisy: one believes the curves of the same names in this library (another GPU type, an older sweep), scaled to each job's full draw and "
           "speed",
           "zeus-a40"),
       field("two_points", &P::two_points, placed(list_of(number(Range{0, 1, true}), 2, 2)),
             "measured, noisy: one believes the quadratic response through the speeds at these two cuts, ascending", "[0.15, 0.3]")});
}

namespace {

Format<MinSpeedFields> min_speed() {
  auto const full = map_of(number(between(0, 1)));
  Format<MinSpeedFields> by_name;
  by_name.type = full.type;
  by_name.range = full.range;
  by_name.schema = full.schema;
  by_name.documenter = full.documenter;
  by_name.reads([full](Node const& node, std::string const& key, MinSpeedFields& into, Reading& reading) { full.read(node, key, into.by_name, reading); });
  by_name.echoes([full](MinSpeedFields const& value) { return full.echo(value.by_name); });
  return with_short_form<MinSpeedFields, double>(
      number(between(0, 1)), by_name, [](double value, Place const&, MinSpeedFields& into) { into.all = value; },
      [](MinSpeedFields const& m) { return m.by_name.empty() ? std::optional(m.all) : std::nullopt; });
}

Format<CapacityFields> capacity() {
  using C = CapacityFields;
  auto const shares = list_of(number(Range{0, 1 - 1e-6, true}), 1, 100);
  return table<C>("Capacity", "what reduction can be promised, from order statistics over the mixes; written to capacity.csv",
                  {field("speed_loss", &C::speed_loss, shares, "shares of the objective that may be lost", "[0.05, 0.1]"),
                   field("confidence", &C::confidence, shares, "shares of the mixes that can deliver", "[0.9, 0.99]")});
}

Format<SiliconFields> silicon() {
  auto const held = choice<HeldBy>({{"caps", HeldBy::caps, "one cap for all GPUs of a job: the better ones run ahead and wait for the slowest"},
                                    {"clocks", HeldBy::clocks, "one clock for all, each GPU under a cap of its own: nobody waits"}});
  using S = SiliconFields;
  double S::*const spread = &S::spread;
  double S::*const waiting_w = &S::waiting_w;
  HeldBy S::*const held_by = &S::held_by;
  return table<S>("Silicon", "GPUs of one job differ: how much, and what is done about it",
                  {field("spread", spread, number(between(0, 0.5)),
                         "a GPU takes 1 - spread to 1 + spread of the power of a mean one for the same speed; speed is that of a job's slowest", "0.08"),
                   field("held_by", held_by, held, "what the GPUs of a job have in common", "clocks"),
                   field("waiting_w", waiting_w, number(between(0, 1e4), "W"), "caps: draw of a GPU that waits for the slowest", "85")});
}

Format<StopFields> stop() {
  using S = StopFields;
  std::vector<Choice<std::size_t>> scores;
  for (std::size_t i = 0; i < score::metered_count; ++i) scores.push_back({std::string(score_table()[i].column), i, ""});
  return table<S>(
      "Stop", "when a mix has been drawn often enough; its replications are then a bound, and what was needed is the column count of summary.csv",
      {field("score", &S::score, placed(choice<std::size_t>(scores)), "the score whose mean is wanted", "speed_gpu").required(),
       field("half_width", &S::half_width, number(above(0)), "the 95 % interval of that mean reaches at most so far to either side, in its unit", "0.001")
           .required(),
       field("policy", &S::policy, placed(text()), "label of the policy that it is wanted of, at every target", "pfi-aware").otherwise("all policies"),
       field("least", &S::least, integer(2, 1'000'000'000), "not before so many mixes", "1024")});
}

Format<LimitPlaceFields> limit() {
  auto const at = choice<LimitAt>({{"gpu", LimitAt::gpu, "draw of all GPUs"},
                                   {"it", LimitAt::it, "draw of nodes and switches; needs facility"},
                                   {"meter", LimitAt::meter, "what the site's meter shows; needs facility"}});
  using L = LimitPlaceFields;
  return table<L>(
      "LimitPlace", "where the power is limited",
      {field("at", &L::at, placed(at), "where cuts and limits_w are meant", "meter"),
       field("rack_w", &L::rack_w, placed(number(Range{0, 1e15, true}, "W")), "limit of every rack beside that of all: on what its GPUs draw, and rack_loss",
             "22000")
           .otherwise("none"),
       field("rack_gpus", &L::rack_gpus, number(between(1, 1e6)), "GPUs of a rack; jobs go into the first rack with room, larger ones over several", "32"),
       field("rack_loss", &L::rack_loss, number(between(0, 10)), "what comes into a rack beyond what its GPUs draw, as a share of that: losses, hosts, fans",
             "0.03"),
       field("pdu_w", &L::pdu_w, placed(number(Range{0, 1e15, true}, "W")), "limit of every PDU, which feeds pdu_racks racks in their order; needs rack_w",
             "200000")
           .otherwise("none"),
       field("pdu_racks", &L::pdu_racks, integer(1, 1'000'000), "racks of a PDU", "10"),
       field("pdu_loss", &L::pdu_loss, number(between(0, 10)), "what comes into a PDU beyond what goes to its racks, as a share of that", "0.02")});
}

}  // namespace

Format<Objective> objective_choice() {
  return choice<Objective>({{"gpu_speed", Objective::gpu_speed, "mean of speed / full speed, weighted by GPUs"},
                            {"tokens", Objective::tokens, "total speed; pays a job of few active parameters like a large dense one and starves dense jobs"},
                            {"normalized", Objective::normalized, "mean of speed / full speed over jobs"},
                            {"weighted", Objective::weighted, "the same, weighted by priority"},
                            {"flops", Objective::flops, "model FLOP/s; needs flop_per_unit in the library"}});
}

namespace {

Format<SnapshotFields> snapshot() {
  using S = SnapshotFields;
  return table<S>(
      "Scenario", "a snapshot study: policies compared on the same mixes at each cut",
      {field("wattfill", &S::wattfill, integer(1, format_version), "version of this format", "1").required(),
       field("name", &S::name, identifier(), "name of the study; results go to out/NAME", "production-mix").required(),
       field("kind", &S::kind, choice<std::string>({{"snapshot", "snapshot", ""}}), "kind of study", "snapshot").required(),
       field("seed", &S::seed, integer(0, std::numeric_limits<std::uint64_t>::max()), "seed of all draws; 0 is a seed like any other", "2609"),
       field("curves", &S::curves, list_of(placed(text()), 1, 1000), "curve libraries by name, or paths relative to this file", "[h200-pfi-2026, emerald-a100]")
           .required(),
       field("training", &S::training, map_of(placed(text())),
             "pipeline scenarios, each giving a curve library of that name with the curves job, job-perseus and job-kareus", "{gpt3: pipeline_gpt3_a100.yaml}"),
       field("objective", &S::objective, placed(objective_choice()), "what a job at full speed is worth", "tokens"),
       field("mixes", &S::mixes, map_of(mix()), "the mixes of jobs, by name", "{random: {draw: {all: {where: {}}}}}").required(),
       field("cuts", &S::cuts, cuts(), "power cuts as fractions of the uncapped draw, ascending; this or limits_w", "{from: 0.0, to: 0.4, step: 0.05}"),
       field("limits_w", &S::limits_w, placed(list_of(number(above(0), "W"), 1, 10'000)), "limits of the GPUs' total draw; this or cuts", "[20000, 40000]"),
       field("policies", &S::policies, list_of(policy_table(PolicyUse::snapshot), 1, 1000), "the rules to compare",
             "[equal-split, {name: pfi-aware, pfi: 1, label: pfi-off}]")
           .required(),
       field("reference", &S::reference, placed(text()), "label of the policy that differences refer to; if no policy is called so, those columns stay empty",
             "proportional"),
       field("outer", &S::outer, outer(), "outer bootstrap; absent: none", "{draws: 200, clusters: true}"),
       field("facility", &S::facility, facility_format(), "the way from the GPUs to the meter; absent: only GPUs are looked at", "{node: h200, outdoor_c: 30}"),
       field("limit", &S::limit, limit(), "where the power is limited", "{at: meter}"),
       field("silicon", &S::silicon, silicon(), "GPUs of one job differ; absent: they are alike", "{spread: 0.08, held_by: clocks}"),
       field("capacity", &S::capacity, capacity(), "the reduction that can be promised; cuts must begin at 0 and be close",
             "{speed_loss: [0.05], confidence: [0.9]}"),
       field("stop", &S::stop, stop(), "draw only as many mixes as an interval needs; looked at after every 1024 of them or more",
             "{score: speed_gpu, half_width: 0.001}"),
       field("pfi", &S::pfi, pfi_table(), "the flexibility figures that policies see", "{source: measured, grid: own}"),
       field("min_speed", &S::min_speed, min_speed(), "agreed minimum speed as a fraction of full speed: for all jobs, or by name of group or flex tier",
             "{fine-tuning: 0.5, flex-2: 0.8}"),
       field("sweep", &S::sweep, map_of(list_of(anything(), 1, 100'000), true), "parameter study: from key path to a list of values; all combinations are run",
             "{mixes.production.jobs: [50, 100, 200]}"),
       field("samples", &S::samples, samples_table(), "parameter study: points spread over ranges of keys, each run with every combination of sweep",
             "{method: sobol, points: 64, over: {pfi.rmse: [0, 0.5]}}")});
}

}  // namespace

Format<SnapshotFields> const& snapshot_format() {
  static auto const format = snapshot();
  return format;
}

}  // namespace wattfill
