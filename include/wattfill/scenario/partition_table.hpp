#pragma once
#include <filesystem>

#include "wattfill/training/partition_search.hpp"

namespace wattfill {

/// Adds a sweep as Kareus's artifact publishes them: columns overlap_start, overlap_end, comm_sm_number, comm_block_size, then per repeat r
/// "r:time (s)" and "r:total energy (J)"; the mean over the repeats counts. Energy is of all ranks together, `ranks` of them; costs are of one GPU.
/// Throws InputError with file, line and column.
void read_partition_table(std::filesystem::path const& file, double clock_mhz, int ranks, PartitionTable& into);

}  // namespace wattfill
