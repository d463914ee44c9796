#include "wattfill/scenario/import/import.hpp"

#include <algorithm>
#include <array>

#include "wattfill/core/error.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

constexpr std::array<ImportFormat, 6> formats{{
    {"cap-sweep", "TABLE.csv", "any tidy table with a row per curve and cap; --column says which column is which", import_cap_sweep},
    {"dcgm", "RUNS.csv", "raw DCGM or nvidia-smi logs with a throughput log: a row per run says which", import_dcgm},
    {"emerald", "dvfs_sweep.csv", "A100 power-cap sweep of Emerald AI's Phoenix demonstration (arXiv:2507.00909)", import_emerald},
    {"reconstruct", "quadratic | roofline | a member",
     "25 H200 curves made from the PFIs printed in arXiv:2609.11542, by a shape; `ensemble` writes all eight members", import_reconstruct},
    {"telemetry", "TABLE.csv", "a row per workload and SM clock with power, throughput and DCGM counters", import_telemetry},
    {"zeus", "summary_power_GPU.csv", "time per epoch and mean power under caps, traces of Zeus (NSDI'23)", import_zeus},
}};

}  // namespace

std::span<ImportFormat const> import_formats() { return formats; }

ImportFormat const& import_format(std::string_view name) {
  auto const found = std::ranges::find(formats, name, &ImportFormat::name);
  if (found != formats.end()) return *found;
  std::vector<std::string> names;
  for (auto const& format : formats) names.emplace_back(format.name);
  throw InputError("unknown import format \"" + std::string(name) + "\"" + suggestion(name, names, "formats are"));
}

}  // namespace wattfill
