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
       field("profile", &P::profile, profile(), "what the passes take", "{file: ../curves/profiles/gpt3-175b-a100.csv}").required(),
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
