#include "wattfill/scenario/import/import.hpp"

#include <algorithm>
#include <array>

#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

constexpr std::array<ImportFormat, 7> formats{{
    {"cap-sweep", "TABLE.csv", "any tidy table with a row per curve and cap; --column says which column is which",
     "wattfill import cap-sweep sweep.csv --gpu A100 --tdp 400 --speed-unit tokens/s --column speed=tok_s --out curves/my-gpu", import_cap_sweep},
    {"dcgm", "RUNS.csv", "raw DCGM or nvidia-smi logs with a throughput log: a row per run says which",
     "wattfill import dcgm runs.csv --gpu H100 --tdp 700 --warm-up 120 --out curves/my-h100", import_dcgm},
    {"emerald", "dvfs_sweep.csv", "A100 power-cap sweep of Emerald AI's Phoenix demonstration (arXiv:2507.00909)",
     "wattfill import emerald dvfs_sweep.csv --out curves/emerald-a100", import_emerald},
    {"perseus", "measured_frontiers.csv", "training jobs on their time-energy frontiers and under uniform limits (Perseus, SOSP'24); --gpu A100 or A40",
     "wattfill import perseus measured_frontiers.csv --gpu A100 --out curves/perseus-a100", import_perseus},
    {"reconstruct", "quadratic | roofline | a member",
     "25 H200 curves made from the PFIs printed in arXiv:2609.11542, by a shape; `ensemble` writes all eight members",
     "wattfill import reconstruct quadratic --out curves/h200-pfi-2026", import_reconstruct},
    {"telemetry", "TABLE.csv", "a row per workload and SM clock with power, throughput and DCGM counters",
     "wattfill import telemetry sweep.csv --gpu A100 --tdp 400 --out curves/my-gpu", import_telemetry},
    {"zeus", "summary_power_GPU.csv", "time per epoch and mean power under caps, traces of Zeus (NSDI'23)",
     "wattfill import zeus summary_power_v100.csv --out curves/zeus-v100", import_zeus},
}};

}  // namespace

std::span<ImportFormat const> import_formats() { return formats; }

ImportFormat const& import_format(std::string_view name) {
  auto const found = std::ranges::find(formats, name, &ImportFormat::name);
  if (found != formats.end()) return *found;
  std::vector<std::string> names;
  for (auto const& format : formats) names.emplace_back(format.name);
  throw InputError("unknown import format " + quotation(name) + suggestion(name, names, "formats are"));
}

}  // namespace wattfill
