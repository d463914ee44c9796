#pragma once
#include <map>
#include <string>
#include <vector>

#include "wattfill/scenario/csv.hpp"

namespace wattfill {

/// What a GPU reported at one time.
struct PowerSample {
  double time_s;
  std::string gpu;
  double power_w;   ///< NaN: not logged
  double energy_j;  ///< since the counter's start; NaN: not logged
  std::map<std::string, double> counters;
};
/// The job's own log: its speed over the time that ends here, and what it did.
struct SpeedSample {
  double time_s;
  double speed;
  std::string phase;  ///< as written; empty: training
};

struct PowerLog {
  std::vector<PowerSample> samples;  ///< as in the file
  bool wall_clock;                   ///< times are dates
};
struct SpeedLog {
  std::vector<SpeedSample> samples;  ///< ascending
  bool wall_clock;
  std::string unit;  ///< empty: not said by the column's name
};

/// A CSV of nvidia-smi --query-gpu, of dcgm-exporter's field names, or with columns time_s, gpu, power_w. Throws InputError where a unit is not said.
PowerLog read_power_log(CsvTable const& table, std::string const& power_unit);
/// Columns time_s or timestamp, throughput or one ending in _per_s, and phase where there is one.
SpeedLog read_speed_log(CsvTable const& table);

}  // namespace wattfill
