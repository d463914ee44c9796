#include "wattfill/scenario/megatron.hpp"

#include "support/catch.hpp"
#include "wattfill/scenario/document.hpp"

using namespace wattfill;

namespace {

struct Read {
  MegatronJob job;
  std::vector<std::string> notes;
  std::string mistakes;
};

Read read(std::string const& megatron, PipelineSpec::Schedule schedule = PipelineSpec::Schedule::one_f_one_b) {
  auto const document = parse_document(
      "wattfill: 1\nname: x\nkind: pipeline\nmegatron: " + megatron + "\nprofile: {file: p.csv}\ngpu: {model: A, tdp_w: 400, blocking_w: 80}\n", "job.yaml");
  PipelineFields fields;
  Reading reading;
  pipeline_format().read(document, "", fields, reading);
  reading.finish();
  Read result;
  result.job = megatron_job(fields.megatron, schedule, result.notes, reading);
  for (auto const& p : reading.problems) result.mistakes += (result.mistakes.empty() ? "" : "\n") + p.key + ": " + p.what;
  return result;
}

}  // namespace

TEST_CASE("A command line of Megatron-LM says the same as the map of its flags") {
  auto const map =
      read("{tensor-model-parallel-size: 8, pipeline-model-parallel-size: 4, data-parallel-size: 16, micro-batch-size: 2, global-batch-size: 512}");
  CHECK(map.mistakes.empty());
  CHECK(map.job.pipeline.stages == 4);
  CHECK(map.job.pipeline.microbatches == 16);
  CHECK(map.job.gpus() == 512);
  auto const line = read(
      "pretrain_gpt.py --tensor-model-parallel-size 8 --pipeline-model-parallel-size=4 --world-size 512 --micro-batch-size 2 --global-batch-size 512 --bf16 "
      "--lr 0.1");
  CHECK(line.mistakes.empty());
  CHECK(line.job.data == 16);
  CHECK(line.job.pipeline.microbatches == 16);
  REQUIRE(line.notes.size() == 1);
  CHECK(line.notes[0] == "flags that say nothing of the schedule are left out: --bf16, --lr");
  CHECK(line.job.flags() == map.job.flags());
  CHECK(map.job.flags() == "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 4 --micro-batch-size 2 --global-batch-size 512");
}

TEST_CASE("Layers of a virtual stage interleave the schedule") {
  auto const read_one = read(
      "{pipeline-model-parallel-size: 4, global-batch-size: 8, num-layers: 32, num-layers-per-virtual-pipeline-stage: 2, "
      "microbatch-group-size-per-virtual-pipeline-stage: 8}");
  CHECK(read_one.mistakes.empty());
  CHECK(read_one.job.pipeline.schedule == PipelineSpec::Schedule::interleaved);
  CHECK(read_one.job.pipeline.chunks == 4);
  CHECK(read_one.job.pipeline.group == 8);
  CHECK(read_one.job.flags().ends_with("--num-layers 32 --num-layers-per-virtual-pipeline-stage 2 --microbatch-group-size-per-virtual-pipeline-stage 8"));
}

TEST_CASE("Sizes that do not fit each other are refused with both numbers") {
  CHECK(read("{pipeline-model-parallel-size: 4, data-parallel-size: 3, global-batch-size: 16}").mistakes ==
        "megatron.global-batch-size: is 16, which is not a multiple of micro-batch-size x replicas = 3 (every replica needs as many whole microbatches); "
        "correct one of them");
  CHECK(read("{pipeline-model-parallel-size: 4, world-size: 10, global-batch-size: 16}").mistakes ==
        "megatron.world-size: is 10, which is not a multiple of the 4 GPUs of one replica (tensor x context x pipeline); correct one of them");
  CHECK(read("{pipeline-model-parallel-size: 4, data-parallel-size: 2, world-size: 4, global-batch-size: 16}").mistakes ==
        "megatron.world-size: is 4, but 2 replicas of 4 GPUs are 8; remove one of the two");
  CHECK(read("{global-batch-size: 16}").mistakes ==
        "megatron.pipeline-model-parallel-size: this key is missing (how many stages are there?); add it, for example 8");
  CHECK(read("{pipeline-model-parallel-size: 4}").mistakes ==
        "megatron.global-batch-size: this key is missing (how many microbatches are there?); add it, for example 1536");
  CHECK(read("{pipeline-model-parallel-size: 4, global-batch-size: 8, num-layers: 30, num-layers-per-virtual-pipeline-stage: 2}").mistakes ==
        "megatron.num-layers: is 30, which is not a multiple of the 8 layers that the stages hold one part each of; correct one of them");
  CHECK(read("{pipeline-model-parallel-size: 4, global-batch-size: 8, num-layers-per-virtual-pipeline-stage: 2}").mistakes ==
        "megatron.num-layers-per-virtual-pipeline-stage: needs num-layers (how many parts does a stage hold?); add it");
  CHECK(
      read("{pipeline-model-parallel-size: 4, global-batch-size: 8, microbatch-group-size-per-virtual-pipeline-stage: 2}").mistakes ==
      "megatron.microbatch-group-size-per-virtual-pipeline-stage: has no meaning without num-layers-per-virtual-pipeline-stage (only the interleaved schedule "
      "has groups)");
  CHECK(read("{pipeline-model-parallel-size: 4, global-batch-size: 8, num-layers: 32, num-layers-per-virtual-pipeline-stage: 2}", PipelineSpec::Schedule::gpipe)
            .mistakes == "megatron.num-layers-per-virtual-pipeline-stage: interleaves the 1f1b schedule only; remove it or set schedule: 1f1b");
  CHECK(read("--pipeline-model-parallel-size eight --global-batch-size 8").mistakes ==
        "megatron: --pipeline-model-parallel-size is followed by \"eight\" (a whole number from 1 to 16777216 is needed); correct it\n"
        "megatron.pipeline-model-parallel-size: this key is missing (how many stages are there?); add it, for example 8");
  CHECK(read("--pipeline-model-parallel-size 8 --pipeline-model-parallel-size 4 --global-batch-size 8").mistakes ==
        "megatron: --pipeline-model-parallel-size is there twice (which one is meant?); remove one");
}
