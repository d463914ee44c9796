#include "wattfill/scenario/partition_table.hpp"

#include "scenario/mistakes.hpp"

using namespace wattfill;

namespace {
std::string const header = "overlap_start,overlap_end,comm_sm_number,comm_block_size,0:time (s),0:total energy (J),1:time (s),1:total energy (J)\n";
}

TEST_CASE("A partition's sweep: the mean over repeats, of one rank") {
  wattfill::testing::TemporaryFile const file(header + "-1,-1,4,512,0.002,2,0.004,4\n0,2,8,1024,0.001,1,0.001,1\n");
  PartitionTable table;
  read_partition_table(file.path(), 1200, 2, table);
  REQUIRE(table.settings.size() == 2);
  CHECK(table.settings[0] == PartitionSetting{1200, -1, -1, 4, 512});
  CHECK(table.costs[0].time_s == 0.003);
  CHECK(table.costs[0].energy_j == 1.5);
  CHECK(table.costs[0].dynamic_j(100) == 1.5 - 0.3);
}

TEST_CASE("A partition's sweep with impossible values is refused where they stand") {
  auto const mistake = [](std::string const& row) {
    wattfill::testing::Folder const folder;
    PartitionTable table;
    try {
      read_partition_table(folder.write("sweep.csv", header + row), 1200, 2, table);
    } catch (InputError const& error) {
      return folder.relative(error.what());
    }
    return std::string("accepted");
  };
  CHECK(mistake("-2,-1,4,512,1,2,4,4\n") == "sweep.csv:2:1: overlap_start: -2 is not a whole number of -1 or more; correct it");
  CHECK(mistake("0,1,0,512,1,2,4,4\n") == "sweep.csv:2:5: comm_sm_number: 0 is not a whole number of 1 or more; correct it");
  CHECK(mistake("0,1,1,512,0,2,4,4\n") == "sweep.csv:2:11: 0:time (s): 0 is not positive; correct it");
  CHECK(mistake("0,1,1,512,1,2,4,0\n") == "sweep.csv:2:17: 1:total energy (J): 0 is not positive; correct it");
}
