#include "wattfill/training/device_model.hpp"

#include <filesystem>

#include "support/catch.hpp"
#include "support/skip.hpp"
#include "training/projects.hpp"
#include "wattfill/scenario/partition_table.hpp"

using namespace wattfill;
using namespace wattfill::test;

namespace {

/// 100 SMs at 1000 MHz; 1 flop/s, 1 byte/s, the link 1 byte/s, an SM 0.1 byte/s; no contention but for the SMs.
DeviceModel simple() {
  DeviceModel d;
  d.sms = 100;
  d.top_mhz = 1000;
  d.flop_per_s = d.byte_per_s = d.link_byte_per_s = 1;
  d.sm_byte_per_s = 0.1;
  d.wide_block = 2;
  d.memory_taken = 0;
  d.link_slowed = 0;
  d.static_w = 10;
  d.flop_j = 3;
  d.byte_j = 0;
  d.link_byte_j = 2;
  d.sm_w = 1;
  d.clock_exponent = 2;
  return d;
}
PartitionShape two_groups() { return {{{4, 1, 0, 1}, {1, 6, 2, 2}}, 5}; }

}  // namespace

TEST_CASE("A partition of the analytic model, by hand") {
  auto const d = simple();
  auto const shape = two_groups();
  // Sequential, 50 SMs: 4 + 6 s, then 5 bytes by the link's 1 byte/s. Dynamic: 3 x 5 flop, 2 x 5 bytes, 50 SMs for 5 s.
  auto const sequential = cost_of(d, shape, {1000, -1, -1, 50, 512});
  CHECK(sequential.time_s == 15);
  CHECK(sequential.energy_j == 10 * 15 + 15 + 10 + 250);
  // From the first group on: 4 flop take 8 s with half the SMs; the message is done after 5 of them, 3/8 of the group is left: 1.5 s alone.
  CHECK(cost_of(d, shape, {1000, 0, 2, 50, 512}).time_s == 5 + 1.5 + 6);
  // From the second group on: memory-bound, nothing is lost.
  CHECK(cost_of(d, shape, {1000, 2, 2, 50, 512}).time_s == 10);
  // 5 SMs send 0.5 byte/s: 10 s. Until the end of group 0, 4 / 0.95 s, then alone before group 1.
  CHECK(cost_of(d, shape, {1000, 0, 1, 5, 512}).time_s == Approx(10 + 6));
  // Half the clock: compute takes twice, memory does not; its work costs a quarter.
  auto const slow = cost_of(d, shape, {500, -1, -1, 50, 1024});
  CHECK(slow.time_s == 8 + 6 + 5);
  CHECK(slow.dynamic_j(10) == Approx(0.25 * 15 + 10 + 0.25 * 0.5 * 250));
  CHECK(message([&] {
          cost_of(d, shape, {1000, 1, 2, 5, 512});
        }) == "communication from 1 to 2 fits no group of computations; name the first number of a group as start and the last number of a group as end");
  CHECK(message([&] { cost_of(d, shape, {1000, 2, 1, 5, 512}); }).starts_with("communication from 2 to 1 ends before it starts"));
  CHECK(message([&] { cost_of(d, shape, {1000, 0, 2, 100, 512}); }) == "100 SMs for communication of a GPU that has 100; leave some to both");
}

TEST_CASE("Calibration finds a model that made a table, from another start") {
  auto const truth = simple();
  auto const shape = two_groups();
  std::vector<PartitionSetting> settings;
  std::vector<PartitionCost> costs;
  for (double clock : {1000.0, 800.0})
    for (int sms : {2, 5, 10, 20, 40})
      for (auto [start, end] : {std::pair{-1, -1}, {0, 1}, {0, 2}, {2, 2}}) {
        settings.push_back({clock, start, end, sms, 512});
        costs.push_back(cost_of(truth, shape, settings.back()));
      }
  auto device = truth;
  auto fitted = shape;
  device.sm_byte_per_s *= 1.5;
  device.memory_taken = 0.1;
  device.flop_j *= 0.5;
  fitted.groups[0].flop *= 1.3;
  calibrate(device, fitted, settings, costs);
  auto const error = model_error(device, fitted, settings, costs);
  CHECK(error.time_rms < 0.01);
  CHECK(error.energy_rms < 0.01);
}

TEST_CASE("Calibration on the measured partition: its error is what the documentation states") {
  auto const folder = testing::public_data("kareus-osdi26/partition_tp2_bs4_seq4096");
  if (!testing::is_there(folder)) return;
  PartitionTable table;
  read_partition_table(folder / "clock_default.csv", 1410, 2, table);
  read_partition_table(folder / "clock_1200mhz.csv", 1200, 2, table);
  DeviceModel device;
  PartitionShape shape{{{1e11, 3e8, 0, 1}, {1e10, 3e8, 2, 2}, {5e10, 3e8, 3, 4}, {2e11, 3e8, 5, 5}, {1e11, 3e8, 6, 6}}, 1e8};
  calibrate(device, shape, table.settings, table.costs, 150);
  auto const e = model_error(device, shape, table.settings, table.costs);
  CHECK(e.time_rms < 0.0445);
  CHECK(e.time_worst < 0.225);
  CHECK(e.energy_rms < 0.0265);
  CHECK(e.energy_worst < 0.195);
  CHECK(device.clock_exponent == Approx(4.07).epsilon(0.01));  // scenarios/pipeline_kareus.yaml uses these
  CHECK(device.sm_byte_per_s == Approx(1.04e10).epsilon(0.01));
}
