#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wattfill/curve/curve_library.hpp"

namespace wattfill {

/// What `wattfill import FORMAT INPUT --out DIR/NAME` asks for.
struct ImportRequest {
  std::string input{};            ///< a file; for `reconstruct` the name of a shape
  std::string library_name{};     ///< NAME of --out
  std::string gpu{};              ///< zeus: GPU model; empty: from the file's name; perseus: A100 or A40
  bool every_run = false;         ///< zeus: one curve per (dataset, network, batch size, optimizer) instead of one per (dataset, network)
  std::optional<double> tdp_w{};  ///< cap-sweep, telemetry: thermal design power, where the file does not say it [W]
  std::vector<std::pair<std::string, std::string>> columns{};           ///< cap-sweep: which column of the file is which of ours
  std::string power_unit{}, time_unit{};                                ///< cap-sweep: units that the column names do not say
  double warm_up_s = 0;                                                 ///< dcgm: time at the start of training that is not counted [s]
  bool keep_pauses = false;                                             ///< dcgm: evaluations and checkpoints count as training
  std::string speed_unit{}, statistic{}, citation{}, url{}, licence{};  ///< cap-sweep, telemetry: what the library is to say of itself
};

struct Imported {
  CurveLibrary library;
  std::vector<std::string> notes;  ///< what was read, dropped and corrected, a line each
};

/// Measured data, or published figures, into a curve library. Importers throw InputError with the place of the mistake.
struct ImportFormat {
  std::string_view name;
  std::string_view input;  ///< what INPUT is
  std::string_view what;   ///< one line
  std::string_view example;
  Imported (*read)(ImportRequest const&);
};

/// Every format, by name. To add one: a file in scenario/import/ and its line in import.cpp.
std::span<ImportFormat const> import_formats();

/// Throws InputError that names the formats there are.
ImportFormat const& import_format(std::string_view name);

Imported import_cap_sweep(ImportRequest const& request);
Imported import_dcgm(ImportRequest const& request);
Imported import_emerald(ImportRequest const& request);
Imported import_perseus(ImportRequest const& request);
Imported import_reconstruct(ImportRequest const& request);
Imported import_telemetry(ImportRequest const& request);
Imported import_zeus(ImportRequest const& request);

}  // namespace wattfill
