#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <utility>

#include "wattfill/core/error.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/import/import.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

/// The rows of one dataset, network, batch size and optimizer.
struct ZeusRun {
  std::string dataset, network, optimizer;
  double batch;
  std::vector<CurvePoint> points;

  std::string job() const { return dataset + "_" + network; }
  std::string full_name() const { return job() + "_b" + number_text(batch) + "_" + optimizer; }
};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string gpu_from_file_name(std::string const& input) {
  auto const stem = lower(std::filesystem::path(input).stem().string());
  for (auto const& [part, gpu] : {std::pair("a40", "A40"), std::pair("v100", "V100"), std::pair("rtx6000", "Quadro RTX 6000"), std::pair("p100", "P100")})
    if (stem.ends_with(part)) return gpu;
  throw InputError(
      {{input}, {}, "the file does not say which GPU it was measured on, and its name does not end in a40, v100, rtx6000 or p100; name the GPU with --gpu"});
}

std::vector<ZeusRun> read_runs(CsvTable const& table) {
  auto const dataset = table.column("dataset"), network = table.column("network"), batch = table.column("batch_size"), optimizer = table.column("optimizer"),
             cap = table.column("power_limit"), time = table.column("time_per_epoch"), power = table.column("average_power");
  std::vector<ZeusRun> runs;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    ZeusRun const key{table.text(row, dataset), table.text(row, network), table.text(row, optimizer), table.number(row, batch), {}};
    auto const same = [&](ZeusRun const& r) {
      return r.dataset == key.dataset && r.network == key.network && r.optimizer == key.optimizer && r.batch == key.batch;
    };
    auto run = std::ranges::find_if(runs, same);
    if (run == runs.end()) run = runs.insert(runs.end(), key);
    auto const seconds = table.number(row, time);
    if (!(seconds > 0))
      throw InputError({table.at(row, time), {}, "time_per_epoch must be more than 0 s (the speed is its inverse); correct or remove the row"});
    run->points.push_back({table.number(row, cap), table.number(row, power), 1 / seconds});
  }
  return runs;
}

/// For each (dataset, network), in file order, the run of the largest batch; of several optimizers the first in the file.
std::vector<ZeusRun> largest_batches(std::vector<ZeusRun> const& runs, std::vector<std::string>& notes) {
  std::vector<ZeusRun> chosen;
  for (auto const& run : runs) {
    auto const same = std::ranges::find(chosen, run.job(), &ZeusRun::job);
    if (same == chosen.end())
      chosen.push_back(run);
    else if (run.batch > same->batch)
      *same = run;
  }
  for (auto const& run : chosen)
    notes.push_back("read " + run.job() + ": batch size " + number_text(run.batch) + ", " + run.optimizer + ", " + std::to_string(run.points.size()) +
                    " points");
  notes.push_back("dropped " + std::to_string(runs.size() - chosen.size()) + " runs with smaller batches or another optimizer; --every-run keeps them");
  return chosen;
}

}  // namespace

Imported import_zeus(ImportRequest const& request) {
  auto const table = CsvTable::read(request.input);
  auto runs = read_runs(table);
  Imported imported;
  auto& [library, notes] = imported;
  if (!request.every_run) runs = largest_batches(runs, notes);

  library.name = request.library_name;
  library.gpu_model = request.gpu.empty() ? gpu_from_file_name(request.input) : request.gpu;
  for (auto const& run : runs)
    for (auto const& p : run.points) library.tdp_w = std::max(library.tdp_w, p.cap_w);
  library.provenance = Provenance::measured;
  library.source = {
      "You, Chung, Chowdhury: Zeus: Understanding and Optimizing GPU Energy Consumption of DNN Training, NSDI 2023 (data: ml-energy/zeus, "
      "examples/research_reproducibility/zeus_nsdi23/trace/" +
          std::filesystem::path(request.input).filename().string() + ")",
      "https://github.com/ml-energy/zeus", "Apache-2.0",
      "speed is 1 / time_per_epoch, one measurement a point; tdp_w is the highest cap in the file. The task is not in the file: BERT on these "
      "datasets is fine-tuned, the others are trained from scratch."};
  library.speed_unit = "epochs/s";
  library.statistic = "mean";
  for (auto& run : runs) {
    auto const name = request.every_run ? run.full_name() : run.job();
    if (run.points.size() < 2) {
      notes.push_back("dropped " + name + ": one point is not a curve");
      continue;
    }
    try {
      PowerSpeedCurve curve(std::move(run.points));
      if (auto const above = curve.findings().above_cap)
        notes.push_back(name + ": points that draw more than their cap (kept as measured): " + std::to_string(above));
      if (curve.findings().top_draw_below_top_cap)
        notes.push_back(name + ": the largest draw is not at the highest cap (reported figures and policies read such a curve differently)");
      if (curve.unresponsive()) notes.push_back(name + ": unresponsive, its draw moves by less than 2 % over the sweep");
      library.curves.push_back({.library = library.name,
                                .name = name,
                                .architecture = "dense",
                                .task = run.network.starts_with("bert") ? "fine-tuning" : "training",
                                .model = run.network,
                                .gpus = 1,
                                .speed_unit = library.speed_unit,
                                .provenance = library.provenance,
                                .flop_per_unit = {},
                                .telemetry = {},
                                .curve = std::move(curve)});
    } catch (InputError const& error) {
      throw InputError({{table.file()}, name, error.what()});
    }
  }
  return imported;
}

}  // namespace wattfill
