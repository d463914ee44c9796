// The keys of a pipeline scenario: a new key is a member of its struct in pipeline_spec.hpp and one line here.
#include "wattfill/scenario/pipeline_spec.hpp"
#include "wattfill/scenario/spec.hpp"

namespace wattfill {
namespace {

Format<MegatronFields> megatron() {
  using M = MegatronFields;
  auto const count = placed(integer(1, 1U << 24U));
  auto const full =
      table<M>("Megatron", "the job in the words of Megatron-LM's flags",
               {field("pipeline-model-parallel-size", &M::pipeline, count, "stages of the pipeline", "8"),
                field("tensor-model-parallel-size", &M::tensor, count, "GPUs that share a layer", "8").otherwise("1"),
                field("context-parallel-size", &M::context, count, "GPUs that share a sequence", "2").otherwise("1"),
                field("data-parallel-size", &M::data, count, "replicas of the pipeline", "128").otherwise("world-size / (tensor x context x pipeline), or 1"),
                field("world-size", &M::world, count, "all GPUs of the job; instead of data-parallel-size", "8192"),
                field("micro-batch-size", &M::micro_batch, count, "sequences of a microbatch", "1").otherwise("1"),
                field("global-batch-size", &M::global_batch, count,
                      "sequences of an iteration over all replicas; microbatches = this / (micro-batch-size x replicas)", "1536"),
                field("num-layers", &M::layers, count, "layers of the model; for interleaving", "96"),
                field("num-layers-per-virtual-pipeline-stage", &M::layers_per_chunk, count, "layers of one part of the model: interleaves the schedule", "3"),
                field("microbatch-group-size-per-virtual-pipeline-stage", &M::group, count, "microbatches that pass one part of the model in a row", "8")
                    .otherwise("the stages"),
                field("seq-length", &M::sequence, count, "tokens of a sequence; speeds are then in tokens/s", "2048")});
  return with_short_form<M, std::string>(
      text(), full,
      [](std::string const& flags, Place const& place, M& into) {
        into.flags = {flags, place};
        into.place = place;
      },
      [](M const& m) { return m.flags.value.empty() ? std::nullopt : std::optional(m.flags.value); });
}

Format<ProfileFields> profile() {
  using P = ProfileFields;
  return table<P>("Profile", "what the passes through each stage take: a CSV file (stage, instruction, clock_mhz or cap_w, time_s, energy_j; of one GPU)",
                  {field("file", &P::file, placed(text()), "path relative to this file", "../curves/profiles/gpt3-175b-a100.csv").required(),
                   field("repeat", &P::repeat, number(Range{0, 1e6, true}), "how often a stage does what was measured (a profile of fewer layers)", "10"),
                   field("stages", &P::stages, list_of(integer(0, 1U << 20U), 0, 1U << 20U), "the profile's stage for each stage of the job", "[0, 1, 2, 7]")
                       .otherwise("the same numbers")});
}

Format<DeviceModel> device() {
  using D = DeviceModel;
  auto const positive = number(Range{0, 1e30, true});
  return table<D>(
      "Device", "a GPU as an analytic model; rates are achieved ones, at the top clock with all SMs",
      {field("sms", &D::sms, number(between(2, 1e5)), "streaming multiprocessors", "108"), field("top_mhz", &D::top_mhz, positive, "top clock", "1410"),
       field("flop_per_s", &D::flop_per_s, positive, "computation", "2e14"), field("byte_per_s", &D::byte_per_s, positive, "memory traffic", "1.2e12"),
       field("link_byte_per_s", &D::link_byte_per_s, positive, "communication, however many SMs it has", "2e11"),
       field("sm_byte_per_s", &D::sm_byte_per_s, positive, "communication of one SM, blocks of 512 threads", "1e10"),
       field("wide_block", &D::wide_block, positive, "times that with blocks of 1024", "1.5"),
       field("memory_taken", &D::memory_taken, number(between(0, 0.95)), "share of the bandwidth that communication takes from what runs beside it", "0.1"),
       field("link_slowed", &D::link_slowed, number(between(0, 100)), "how much longer the link takes beside computation", "0.05"),
       field("static_w", &D::static_w, number(between(0, 1e6), "W"), "draw while waiting", "85"),
       field("flop_j", &D::flop_j, number(between(0, 1)), "dynamic energy of an operation at the top clock", "1.2e-12"),
       field("byte_j", &D::byte_j, number(between(0, 1)), "of a byte of memory traffic, at any clock", "8e-11"),
       field("link_byte_j", &D::link_byte_j, number(between(0, 1)), "of a byte communicated", "1e-12"),
       field("sm_w", &D::sm_w, number(between(0, 1e3), "W"), "dynamic draw of a communicating SM at the top clock", "0.5"),
       field("clock_exponent", &D::clock_exponent, number(between(0, 10)), "dynamic energy of an operation goes with (clock / top)^this", "2")});
}

Format<KareusFields> kareus() {
  using K = KareusFields;
  using P = KareusPartitionFields;
  using O = KareusOutside;
  using S = KareusSweepFields;
  using B = KareusBudgetFields;
  auto const direction = choice<Direction>({{"forward", Direction::forward, ""}, {"backward", Direction::backward, ""}});
  auto const amount = number(between(0, 1e30));
  auto const sweep =
      table<S>("Partition sweep",
               "what was measured at one clock, a CSV file as Kareus's artifact writes them (overlap_start, overlap_end, comm_sm_number, comm_block_size, "
               "then time and total energy of each repeat)",
               {field("clock_mhz", &S::clock_mhz, number(above(0), "MHz"), "the clock it was measured at", "1410").required(),
                field("file", &S::file, placed(text()), "path relative to this file", "sweeps/attention_1410mhz.csv").required()});
  auto const budget =
      table<B>("Search budget",
               "plays the search against everything that is measured (or modelled), seed by seed: search_budget.csv has what share of the area is found with "
               "how many measurements, beside settings taken at random",
               {field("seeds", &B::seeds, integer(1, 10'000), "how often, with seeds seed, seed + 1, ...", "50"),
                field("start", &B::start, integer(2, 10'000), "settings at random to begin with", "24"),
                field("batches", &B::batches, integer(0, 1000), "batches after that", "8"),
                field("per_batch", &B::per_batch, integer(1, 10'000), "settings of a batch", "12")});
  auto const partition = table<P>(
      "Partition", "computations of one nanobatch and the message of the other that may be sent beside them: groups and message_bytes, or sweeps",
      {field("direction", &P::direction, direction, "pass in which it occurs", "backward"),
       field("count", &P::count, number(above(0)), "how often in a pass: layers of a stage x nanobatches", "28").required(),
       field("groups", &P::groups, list_of(list_of(amount, 2, 2), 0, 64), "[FLOP, bytes of memory traffic] of each group of computations, in order",
             "[[6.4e10, 3.2e8], [0, 4e7]]")
           .otherwise("sweeps"),
       field("message_bytes", &P::message_bytes, amount, "bytes that each GPU sends", "1.76e8"),
       field("sweeps", &P::sweeps, list_of(sweep, 0, 256), "what was measured, clock by clock", "[{clock_mhz: 1410, file: default.csv}]").otherwise("groups"),
       field("ranks", &P::ranks, integer(1, 1U << 20U), "GPUs whose energy a sweep adds up", "2")});
  auto const outside = table<O>("Outside", "what a pass does beside its partitions",
                                {field("direction", &O::direction, direction, "pass in which it occurs", "forward"),
                                 field("last_stage_only", &O::last_stage_only, truth(), "on the last stage alone", "true"),
                                 field("flop", &O::flop, amount, "operations", "3.2e12"), field("bytes", &O::bytes, amount, "memory traffic", "1e9")});
  auto const search = choice<KareusSearch>({{"small", KareusSearch::small, "36 at random, then 3 batches of 16"},
                                            {"medium", KareusSearch::medium, "48, 4 of 16"},
                                            {"large", KareusSearch::large, "96, 4 of 32"},
                                            {"exhaustive", KareusSearch::exhaustive, "every setting"}});
  return table<K>(
      "Kareus", "passes made of partitions, measured or on an analytic device; instead of profile",
      {field("device", &K::device, device(), "the device", "{flop_per_s: 2e14}"),
       field("clocks_mhz", &K::clocks_mhz, list_of(number(above(0), "MHz"), 1, 256), "clocks to choose from", "[1410, 1200]").required(),
       field("sms", &K::sms, list_of(integer(1, 1000), 1, 256), "SMs for communication to choose from", "[4, 8, 16]").required(),
       field("blocks", &K::blocks, list_of(integer(1, 4096), 1, 256), "threads of a block of communication to choose from", "[512, 1024]"),
       field("default_sms", &K::default_sms, integer(1, 1000), "SMs for communication where nothing schedules it", "20"),
       field("partitions", &K::partitions, map_of(partition), "kinds of partitions, by name", "{mlp: {count: 28, groups: [[2e11, 2e8]], message_bytes: 1e8}}")
           .required(),
       field("outside", &K::outside, list_of(outside, 0, 100), "what is outside of partitions", "[{flop: 3.2e12, bytes: 1e9}]"),
       field("search", &K::search, search, "how settings are found", "small"),
       field("budget", &K::budget, budget, "how good the search is with how many measurements", "{seeds: 50}"),
       field("seed", &K::seed, integer(0, std::numeric_limits<std::uint64_t>::max()), "of the search", "1")});
}

Format<PlanFields> plan() {
  using P = PlanFields;
  return table<P>("Plan", "which plan of the frontier is wanted: at a deadline, or the fastest within an energy or a mean power; none: the fastest of all",
                  {field("deadline_s", &P::deadline_s, number(above(0), "s"), "longest iteration", "30"),
                   field("energy_j", &P::energy_j, number(above(0), "J"), "most energy of an iteration of one pipeline", "480000"),
                   field("power_w", &P::power_w, number(above(0), "W"), "highest mean draw of one GPU", "240"),
                   field("use_slack", &P::use_slack, truth(), "spend what rounding to measured knobs leaves over", "false")});
}

Format<PipelineFields> pipeline() {
  using P = PipelineFields;
  using Schedule = PipelineSpec::Schedule;
  auto const schedule = choice<Schedule>({{"1f1b", Schedule::one_f_one_b, "one forward, one backward; with num-layers-per-virtual-pipeline-stage interleaved"},
                                          {"gpipe", Schedule::gpipe, "all forwards, then all backwards"},
                                          {"early-recomputation", Schedule::early_recomputation, "1F1B with recomputation ahead of the gradient"}});
  auto const costs = choice<CostForm>({{"fitted", CostForm::fitted, "an exponential through the useful options, as Perseus does"},
                                       {"measured", CostForm::measured, "their convex hull: every knot is a measurement"}});
  using G = PipelineGpuFields;
  auto const gpu = table<G>("Pipeline GPU", "the GPU type of the profile",
                            {field("model", &G::model, text(), "name of the GPU", "NVIDIA A100 SXM").required(),
                             field("tdp_w", &G::tdp_w, number(between(1e-3, 1e9), "W"), "thermal design power", "400").required(),
                             field("blocking_w", &G::blocking_w, number(between(0, 1e9), "W"), "draw while waiting for another stage", "83.64").required()});
  using C = DerivedCurveFields;
  auto const curve =
      table<C>("Derived curve", "the curve library entry that the job gives",
               {field("least_speed", &C::least_speed, number(Range{0, 1, true}), "share of full speed to which waiting between iterations extends it", "0.1"),
                field("points", &C::points, integer(2, 10'000), "points along the frontier", "24"),
                field("architecture", &C::architecture, text_or_nothing(), "dense, moe, ...", "dense"),
                field("task", &C::task, text_or_nothing(), "pretraining, fine-tuning, ...", "pretraining"),
                field("model", &C::model, text_or_nothing(), "model family", "gpt3-175b")});
  auto const source = table<Source>("Profile source", "where the profile comes from; goes into the curve library",
                                    {field("citation", &Source::citation, text(), "work that published it", "\"A. Author, A title, 2026\"").required(),
                                     field("url", &Source::url, text_or_nothing(), "address", "https://example.org/data"),
                                     field("licence", &Source::licence, text_or_nothing(), "licence of the data", "Apache-2.0"),
                                     field("note", &Source::note, text_or_nothing(), "what else a user must know", "\"emulated\"")});
  return table<P>(
      "Pipeline", "one training job: the time-energy frontier of its iteration and the plan wanted",
      {field("wattfill", &P::wattfill, integer(1, format_version), "version of this format", "1").required(),
       field("name", &P::name, identifier(), "name of the job; results go to out/NAME", "gpt3-a100").required(),
       field("kind", &P::kind, choice<std::string>({{"pipeline", "pipeline", ""}}), "kind of study", "pipeline").required(),
       field("megatron", &P::megatron, megatron(), "the job in Megatron-LM's words, or its command line",
             "{pipeline-model-parallel-size: 8, tensor-model-parallel-size: 8, global-batch-size: 12}")
           .required(),
       field("schedule", &P::schedule, schedule, "order of the passes", "1f1b"),
       field("profile", &P::profile, profile(), "what the passes take; this or kareus", "{file: ../curves/profiles/gpt3-175b-a100.csv}"),
       field("kareus", &P::kareus, kareus(), "what the passes are made of; this or profile",
             "{clocks_mhz: [1410], sms: [8], partitions: {mlp: {count: 28, groups: [[2e11, 2e8]], message_bytes: 1e8}}}"),
       field("gpu", &P::gpu, gpu, "the GPU type", "{model: NVIDIA A100 SXM, tdp_w: 400, blocking_w: 83.64}").required(),
       field("tau_s", &P::tau_s, number(above(0), "s"), "time step of planned durations", "0.001"),
       field("costs", &P::costs, costs, "energy against duration", "measured"), field("plan", &P::plan, plan(), "the plan to write out", "{deadline_s: 30}"),
       field("stragglers", &P::stragglers, list_of(number(from(1)), 0, 1000), "slowdowns of one replica for which savings are reported", "[1.1, 1.2]"),
       field("curve", &P::curve, curve, "the curve library entry", "{least_speed: 0.2, task: pretraining}"),
       field("source", &P::source, source, "where the profile comes from", "{citation: our own measurement}")});
}

}  // namespace

Format<PipelineFields> const& pipeline_format() {
  static auto const format = pipeline();
  return format;
}

}  // namespace wattfill
