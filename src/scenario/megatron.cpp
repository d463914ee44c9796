#include "wattfill/scenario/megatron.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

using FieldOfFlag = std::optional<Placed<std::uint64_t>> MegatronFields::*;

struct Flag {
  char const* name;
  FieldOfFlag member;
};
constexpr std::array<Flag, 11> flags_known{{{"tensor-model-parallel-size", &MegatronFields::tensor},
                                            {"pipeline-model-parallel-size", &MegatronFields::pipeline},
                                            {"data-parallel-size", &MegatronFields::data},
                                            {"context-parallel-size", &MegatronFields::context},
                                            {"micro-batch-size", &MegatronFields::micro_batch},
                                            {"global-batch-size", &MegatronFields::global_batch},
                                            {"world-size", &MegatronFields::world},
                                            {"num-layers", &MegatronFields::layers},
                                            {"num-layers-per-virtual-pipeline-stage", &MegatronFields::layers_per_chunk},
                                            {"microbatch-group-size-per-virtual-pipeline-stage", &MegatronFields::group},
                                            {"seq-length", &MegatronFields::sequence}}};

/// The fields that a command line gives; "--flag value" and "--flag=value".
MegatronFields parsed(Placed<std::string> const& line, std::vector<std::string>& notes, Reading& reading) {
  MegatronFields fields;
  fields.place = line.place;
  std::istringstream words(line.value);
  std::vector<std::string> others;
  for (std::string word; words >> word;) {
    if (!word.starts_with("--")) continue;  // the value of a flag that is left out, or the program's name
    auto const equals = word.find('=');
    auto const name = word.substr(2, equals == std::string::npos ? std::string::npos : equals - 2);
    auto const flag = std::ranges::find_if(flags_known, [&](Flag const& f) { return name == f.name; });
    if (flag == flags_known.end()) {
      others.push_back("--" + name);
      continue;
    }
    std::string value;
    if (equals != std::string::npos)
      value = word.substr(equals + 1);
    else
      words >> value;
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > (1U << 24U))
      reading.refuse(line.place, "--" + name + " is followed by " + quotation(value) + " (a whole number from 1 to 16777216 is needed); correct it");
    else if ((fields.*(flag->member)).has_value())
      reading.refuse(line.place, "--" + name + " is there twice (which one is meant?); remove one");
    else
      (fields.*(flag->member)).emplace(Placed<std::uint64_t>{number, line.place});
  }
  if (!others.empty()) notes.push_back("flags that say nothing of the schedule are left out: " + listed(others));
  return fields;
}

int whole(std::optional<Placed<std::uint64_t>> const& value, std::uint64_t fallback) { return static_cast<int>(value ? value->value : fallback); }

Place place_of(MegatronFields const& fields, std::optional<Placed<std::uint64_t>> const& value, char const* key) {
  return value ? value->place : Place{fields.place.at, joined_key(fields.place.key, key)};
}

/// Replicas of the pipeline.
int replicas(MegatronFields const& f, std::uint64_t of_one, Reading& reading) {
  if (f.data && f.world && f.data->value * of_one != f.world->value)
    reading.refuse(f.world->place, "is " + std::to_string(f.world->value) + ", but " + std::to_string(f.data->value) + " replicas of " +
                                       std::to_string(of_one) + " GPUs are " + std::to_string(f.data->value * of_one) + "; remove one of the two");
  if (f.data || !f.world) return whole(f.data, 1);
  if (f.world->value % of_one != 0)
    reading.refuse(f.world->place, "is " + std::to_string(f.world->value) + ", which is not a multiple of the " + std::to_string(of_one) +
                                       " GPUs of one replica (tensor x context x pipeline); correct one of them");
  return static_cast<int>(std::max<std::uint64_t>(1, f.world->value / of_one));
}

void interleave(MegatronFields const& f, MegatronJob& job, Reading& reading) {
  if (!f.layers_per_chunk) {
    if (f.group) reading.refuse(f.group->place, "has no meaning without num-layers-per-virtual-pipeline-stage (only the interleaved schedule has groups)");
    return;
  }
  auto const in_chunks = static_cast<std::uint64_t>(job.pipeline.stages) * f.layers_per_chunk->value;
  if (job.pipeline.schedule != PipelineSpec::Schedule::one_f_one_b)
    reading.refuse(f.layers_per_chunk->place, "interleaves the 1f1b schedule only; remove it or set schedule: 1f1b");
  if (!f.layers) {
    reading.refuse(f.layers_per_chunk->place, "needs num-layers (how many parts does a stage hold?); add it");
    return;
  }
  if (f.layers->value % in_chunks != 0) {
    reading.refuse(f.layers->place, "is " + std::to_string(f.layers->value) + ", which is not a multiple of the " + std::to_string(in_chunks) +
                                        " layers that the stages hold one part each of; correct one of them");
    return;
  }
  job.pipeline.schedule = PipelineSpec::Schedule::interleaved;
  job.pipeline.chunks = static_cast<int>(f.layers->value / in_chunks);
  job.pipeline.group = whole(f.group, 0);
}

}  // namespace

MegatronJob megatron_job(MegatronFields const& given, PipelineSpec::Schedule schedule, std::vector<std::string>& notes, Reading& reading) {
  auto const before = reading.problems.size();
  auto const f = given.flags.value.empty() ? given : parsed(given.flags, notes, reading);
  MegatronJob job;
  job.pipeline.schedule = schedule;
  if (!f.pipeline)
    reading.refuse(place_of(f, f.pipeline, "pipeline-model-parallel-size"), "this key is missing (how many stages are there?); add it, for example 8");
  if (!f.global_batch)
    reading.refuse(place_of(f, f.global_batch, "global-batch-size"), "this key is missing (how many microbatches are there?); add it, for example 1536");
  if (reading.problems.size() != before) return job;
  job.pipeline.stages = whole(f.pipeline, 1);
  job.tensor = whole(f.tensor, 1);
  job.context = whole(f.context, 1);
  job.data =
      replicas(f, static_cast<std::uint64_t>(job.tensor) * static_cast<std::uint64_t>(job.context) * static_cast<std::uint64_t>(job.pipeline.stages), reading);
  job.micro_batch = f.micro_batch ? f.micro_batch->value : 1;
  job.global_batch = f.global_batch->value;
  job.sequence = f.sequence ? f.sequence->value : 0;
  job.layers = f.layers ? f.layers->value : 0;
  auto const per_step = job.micro_batch * static_cast<std::uint64_t>(job.data);
  if (job.global_batch % per_step != 0)
    reading.refuse(f.global_batch->place, "is " + std::to_string(job.global_batch) + ", which is not a multiple of micro-batch-size x replicas = " +
                                              std::to_string(per_step) + " (every replica needs as many whole microbatches); correct one of them");
  job.pipeline.microbatches = static_cast<int>(job.global_batch / per_step);
  if (job.pipeline.microbatches < 1) job.pipeline.microbatches = 1;
  interleave(f, job, reading);
  return job;
}

std::string MegatronJob::flags() const {
  auto const flag = [](char const* name, std::uint64_t value) { return std::string(" --") + name + " " + std::to_string(value); };
  auto text = flag("tensor-model-parallel-size", static_cast<std::uint64_t>(tensor)) +
              flag("pipeline-model-parallel-size", static_cast<std::uint64_t>(pipeline.stages));
  if (context > 1) text += flag("context-parallel-size", static_cast<std::uint64_t>(context));
  text += flag("micro-batch-size", micro_batch) + flag("global-batch-size", global_batch);
  if (layers > 0) text += flag("num-layers", layers);
  if (pipeline.chunks > 1)
    text += flag("num-layers-per-virtual-pipeline-stage", layers / static_cast<std::uint64_t>(pipeline.stages) / static_cast<std::uint64_t>(pipeline.chunks));
  if (pipeline.group > 0) text += flag("microbatch-group-size-per-virtual-pipeline-stage", static_cast<std::uint64_t>(pipeline.group));
  if (sequence > 0) text += flag("seq-length", sequence);
  return text.substr(1);
}

}  // namespace wattfill
