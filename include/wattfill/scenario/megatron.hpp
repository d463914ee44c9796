#pragma once
#include <string>
#include <vector>

#include "wattfill/scenario/pipeline_spec.hpp"

namespace wattfill {

/// Sizes of a job in Megatron-LM's words; all checked.
struct MegatronJob {
  PipelineSpec pipeline;  ///< stages, microbatches, chunks, group
  int tensor = 1, context = 1, data = 1;
  std::uint64_t micro_batch = 1, global_batch = 1, sequence = 0, layers = 0;  ///< 0: not stated
  double gpus() const { return 1.0 * tensor * context * data * pipeline.stages; }
  /// The flags that describe it, as Megatron-LM takes them (data parallelism is what is left of the world there).
  std::string flags() const;
};

/// Problems go to the reading; then the result means nothing. Flags of a command line that say nothing of the schedule are left out, with a note.
MegatronJob megatron_job(MegatronFields const& fields, PipelineSpec::Schedule schedule, std::vector<std::string>& notes, Reading& reading);

}  // namespace wattfill
