#pragma once
#include <string>
#include <vector>

#include "wattfill/training/partition_search.hpp"

namespace wattfill {

/// A GPU as an analytic model: where nothing was measured, this stands in. Rates are achieved ones, at the top clock and with all SMs.
struct DeviceModel {
  double sms = 108, top_mhz = 1410;
  double flop_per_s = 2e14, byte_per_s = 1.2e12;
  double link_byte_per_s = 2e11;                               ///< communication, however many SMs it has
  double sm_byte_per_s = 2e10;                                 ///< communication of one SM with blocks of 512 threads, at the top clock
  double wide_block = 1.5;                                     ///< times that with blocks of 1024
  double memory_taken = 0.2;                                   ///< share of the memory bandwidth that communication takes from what runs beside it
  double link_slowed = 0.1;                                    ///< by how much longer communication takes on the link while something runs beside it
  double static_w = 85;                                        ///< draw while waiting
  double flop_j = 1e-12, byte_j = 1e-10, link_byte_j = 1e-11;  ///< dynamic energy at the top clock
  double sm_w = 0.5;                                           ///< dynamic draw of one communicating SM at the top clock
  double clock_exponent = 2;  ///< work at clock f costs (f / top)^this of its energy at the top (voltage squared, V rising with f)
};

/// Computations that run one after the other; `first` and `last` are the numbers by which settings start and end with them.
struct ComputeGroup {
  double flop, bytes;
  int first, last;
};
/// One partition: the computations of one nanobatch, and the message of the other that may be sent beside them.
struct PartitionShape {
  std::vector<ComputeGroup> groups;
  double message_bytes = 0;
};

/// Time and energy of a partition. A group takes max(flop / (clock x free SMs), bytes / bandwidth left); communication takes max(message / (SMs x clock),
/// message / link) and starts with the group that the setting names; groups after its last wait until it is done. Throws InputError for a setting whose
/// start or end is no group's, or with no SM left.
PartitionCost cost_of(DeviceModel const& device, PartitionShape const& shape, PartitionSetting const& setting);

/// Error of a model on a table, relative: root mean square and largest, of time and of energy.
struct ModelError {
  double time_rms = 0, time_worst = 0, energy_rms = 0, energy_worst = 0;
};
ModelError model_error(DeviceModel const& device, PartitionShape const& shape, std::vector<PartitionSetting> const& settings,
                       std::vector<PartitionCost> const& costs);

/// Fits everything but sms, top_mhz and static_w, and the groups' flop and bytes, to a table: least squares of relative errors by pattern search (Hooke
/// and Jeeves 1961) from the values given, times first, then energies. What the table cannot tell apart (a rate and the work it divides) stays near
/// where it began. The message is taken as known.
void calibrate(DeviceModel& device, PartitionShape& shape, std::vector<PartitionSetting> const& settings, std::vector<PartitionCost> const& costs,
               int sweeps = 200);

}  // namespace wattfill
