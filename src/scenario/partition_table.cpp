#include "wattfill/scenario/partition_table.hpp"

#include <cmath>
#include <string>

#include "wattfill/scenario/csv.hpp"

namespace wattfill {
namespace {

int whole(CsvTable const& table, std::size_t row, std::size_t column, int low) {
  auto const value = table.number(row, column);
  if (!(value >= low && value <= 1e6 && value == std::floor(value)))
    throw InputError(Problem{table.at(row, column), table.header()[column],
                             table.text(row, column) + " is not a whole number of " + std::to_string(low) + " or more; correct it"});
  return static_cast<int>(value);
}

}  // namespace

void read_partition_table(std::filesystem::path const& file, double clock_mhz, int ranks, PartitionTable& into) {
  auto const table = CsvTable::read(file);
  auto const start = table.column("overlap_start"), end = table.column("overlap_end"), sms = table.column("comm_sm_number"),
             block = table.column("comm_block_size");
  std::vector<std::size_t> times{table.column("0:time (s)")}, energies{table.column("0:total energy (J)")};
  for (int r = 1; table.find(std::to_string(r) + ":time (s)"); ++r) {
    times.push_back(table.column(std::to_string(r) + ":time (s)"));
    energies.push_back(table.column(std::to_string(r) + ":total energy (J)"));
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    PartitionCost mean;
    for (std::size_t r = 0; r < times.size(); ++r) {
      auto const time_s = table.number(row, times[r]), energy_j = table.number(row, energies[r]);
      if (!(time_s > 0))
        throw InputError(Problem{table.at(row, times[r]), table.header()[times[r]], table.text(row, times[r]) + " is not positive; correct it"});
      if (!(energy_j > 0))
        throw InputError(Problem{table.at(row, energies[r]), table.header()[energies[r]], table.text(row, energies[r]) + " is not positive; correct it"});
      mean.time_s += time_s / static_cast<double>(times.size());
      mean.energy_j += energy_j / static_cast<double>(times.size()) / ranks;
    }
    into.settings.push_back({clock_mhz, whole(table, row, start, -1), whole(table, row, end, -1), whole(table, row, sms, 1), whole(table, row, block, 1)});
    into.costs.push_back(mean);
  }
}

}  // namespace wattfill
