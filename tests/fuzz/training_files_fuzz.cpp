// Files of one training job. The first letter says which: p profile of stages, k sweep of a partition, c a bare graph (nodes, edges, costs, meta; %% between).
#include <cmath>

#include "fuzz/fuzz.hpp"
#include "wattfill/scenario/partition_table.hpp"
#include "wattfill/scenario/pipeline_file.hpp"
#include "wattfill/scenario/training_case.hpp"

using namespace wattfill;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  auto const parts = fuzz::parts_of(data + 1, size - 1, 4);
  fuzz::accepted([&] {
    switch (data[0]) {
      case 'p': {
        Knob knob{};
        for (auto const& stage : read_stage_profiles(fuzz::folder().write("profile.csv", parts[0]), 1, {}, knob)) static_cast<void>(stage);
        break;
      }
      case 'k': {
        PartitionTable table;
        read_partition_table(fuzz::folder().write("sweep.csv", parts[0]), 1410, 8, table);
        for (auto const& cost : table.costs) fuzz::require(std::isfinite(cost.time_s) && cost.time_s > 0, "a partition takes time");
        break;
      }
      default:
        fuzz::folder().write("case/nodes.csv", parts[0]);
        fuzz::folder().write("case/edges.csv", parts[1]);
        fuzz::folder().write("case/options.csv", parts[2]);
        fuzz::folder().write("case/meta.json", parts[3]);
        static_cast<void>(read_training_case(fuzz::folder() / "case", data[0] == 'f' ? CaseCosts::fitted : CaseCosts::measured));
    }
  });
  return 0;
}
