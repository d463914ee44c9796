#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "wattfill/contract/contract_spec.hpp"
#include "wattfill/contract/meter_series.hpp"
#include "wattfill/scenario/fields.hpp"

namespace wattfill {

/// An entry of `events:`
struct EventFields : ContractEvent {
  Place place;
};

/// `meter:`, how the CSV file of the meter is read.
struct MeterFields {
  std::string time_column = "time";
  std::string power_column = "meter_w";
  std::optional<Instant> start;           ///< what time_s counts from, for files without a column `time`
  std::optional<double> reading_s;        ///< seconds that a reading stands for
  std::vector<Named<std::string>> where;  ///< rows that count: column and what stands in it
  Place place;
};

/// A contract file; its keys are in src/scenario/contract_table.cpp.
struct ContractFields : ContractSpec {
  std::uint64_t wattfill = 1;
  std::string name;
  std::string kind = "contract";
  std::vector<EventFields> listed;  ///< ContractSpec::events with their places
  MeterFields meter;
  Place place;
};
Format<ContractFields> const& contract_format();

/// Reads a contract, `sets` (path.to.key=value) carried out. Throws InputError that lists every mistake: unknown keys, impossible values, events that end
/// before they start, are out of order or overlap (a watt would be paid twice).
ContractFields read_contract(std::filesystem::path const& file, std::vector<std::string> const& sets = {});

/// Reads what the meter saw: the time column (ISO 8601 with offset) or `time_s` (seconds since meter.start), and the power column [W, >= 0]. Times must ascend.
MeterSeries read_meter(std::filesystem::path const& file, ContractFields const& contract);

}  // namespace wattfill
