#include <algorithm>
#include <cmath>
#include <map>

#include "wattfill/core/error.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/import/import.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

struct Workload {
  std::string name;
  double gpus;
  std::vector<CurvePoint> points;
};

std::string task_of(std::string const& workload) {
  if (workload.starts_with("ft_")) return "fine-tuning";
  if (workload.starts_with("pt_")) return "pretraining";
  if (workload.starts_with("infer_")) return "inference";
  return "";
}

std::string model_of(std::string const& workload) {
  for (auto const& [part, model] : {std::pair("llama_8b", "Llama-8B"), std::pair("mpt_13b", "MPT-13B"), std::pair("mpt_7b", "MPT-7B")})
    if (workload.find(part) != std::string::npos) return model;
  return "";
}

/// "X" of "X_32g": such rows are X scaled to another GPU count, not measured. Empty for other names.
std::string scaled_from(std::string const& workload) {
  auto const bar = workload.rfind('_');
  if (bar == std::string::npos || !workload.ends_with('g') || bar + 2 >= workload.size()) return "";
  auto const digits = workload.substr(bar + 1, workload.size() - bar - 2);
  return std::ranges::all_of(digits, [](char c) { return '0' <= c && c <= '9'; }) ? workload.substr(0, bar) : "";
}

/// GPUs of a row: its total power over its power per GPU, which must be a whole number.
double gpus_of(CsvTable const& table, std::size_t row, std::size_t total, std::size_t each) {
  double const ratio = table.number(row, total) / table.number(row, each), whole = std::floor(ratio + 0.5);
  if (!(whole >= 1 && std::fabs(ratio - whole) < 1e-6 * whole))
    throw InputError(
        {table.at(row, total),
         {},
         "total GPU power is " + number_text(ratio) + " times the power per GPU (a job has a whole number of GPUs); correct one of the two columns"});
  return whole;
}

}  // namespace

Imported import_emerald(ImportRequest const& request) {
  auto const table = CsvTable::read(request.input);
  auto const workload = table.column("Workload"), cap = table.column("GPU power cap"), throughput = table.column("throughput"),
             total = table.column("total GPU power"), each = table.column("power per GPU");
  std::vector<Workload> jobs;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto const& name = table.text(row, workload);
    auto const gpus = gpus_of(table, row, total, each);
    auto job = std::ranges::find(jobs, name, &Workload::name);
    if (job == jobs.end()) job = jobs.insert(jobs.end(), {name, gpus, {}});
    if (job->gpus != gpus)
      throw InputError({table.at(row, total),
                        {},
                        "this row has " + number_text(gpus) + " GPUs, earlier rows of " + name + " have " + number_text(job->gpus) +
                            " (one curve is one job); give it a name of its own"});
    job->points.push_back({table.number(row, cap), table.number(row, each), table.number(row, throughput)});
  }

  Imported imported;
  auto& library = imported.library;
  library.name = request.library_name;
  library.gpu_model = "A100";
  library.tdp_w = 400;
  library.provenance = Provenance::measured;
  library.source = {
      "Colangelo et al.: Turning AI Data Centers into Grid-Interactive Assets: Results from a Field Demonstration in Phoenix, Arizona, "
      "arXiv:2507.00909, 2025 (data: ai-emerald/emerald-ai-demo-may-2025, data/dvfs_sweep.csv)",
      "https://github.com/ai-emerald/emerald-ai-demo-may-2025", "Apache-2.0",
      "power_w is the file's power per GPU, speed its throughput (unit not stated); GPUs are total power over power per GPU. Workloads whose names "
      "end in a GPU count are scaled copies and left out."};
  library.statistic = "mean";
  for (auto& job : jobs) {
    auto const original = scaled_from(job.name);
    if (!original.empty() && std::ranges::find(jobs, original, &Workload::name) != jobs.end()) {
      imported.notes.push_back("dropped " + job.name + ": " + original + " scaled to " + number_text(job.gpus) + " GPUs, not a measurement of its own");
      continue;
    }
    imported.notes.push_back("read " + job.name + ": " + std::to_string(job.points.size()) + " points, " + number_text(job.gpus) + " GPUs");
    try {
      library.curves.push_back({.library = library.name,
                                .name = job.name,
                                .architecture = "dense",
                                .task = task_of(job.name),
                                .model = model_of(job.name),
                                .gpus = job.gpus,
                                .speed_unit = {},
                                .provenance = library.provenance,
                                .flop_per_unit = {},
                                .telemetry = {},
                                .curve = PowerSpeedCurve(std::move(job.points))});
    } catch (InputError const& error) {
      throw InputError({{table.file()}, job.name, error.what()});
    }
  }
  return imported;
}

}  // namespace wattfill
