// Measured frontiers of whole training jobs (Perseus, SOSP'24) beside the same jobs under one power limit for all.
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>

#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/import/import.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

constexpr double least_speed = 0.1;  // of full speed, by waiting between iterations
constexpr int waiting_points = 4;
constexpr std::size_t most_points = 10;

struct Gpu {
  char const* name;
  char const* model;
  double tdp_w, blocking_w;
};
constexpr std::array<Gpu, 2> gpus{{{"A100", "NVIDIA A100 80GB PCIe", 300, 83.64}, {"A40", "NVIDIA A40", 300, 70.38}}};

struct PricedPlan {
  double time_s, energy_j, cap_w;
};
struct PerseusJob {
  std::string model;
  double gpus = 0, batch = 0;
  std::vector<PricedPlan> uniform, frontier;
};

/// The number after `key` in text such as "dp1+pp4+tp1+mbs8+nmb32".
double number_after(std::string const& text, std::string const& key) {
  auto const at = text.find("+" + key, text.rfind("+dp"));
  double value = 0;
  if (at != std::string::npos) std::from_chars(text.data() + at + 1 + key.size(), text.data() + text.size(), value);
  return value;
}

std::string shown(std::string model) {
  std::ranges::replace(model, '_', '-');
  return model;
}

/// Plans that no other beats in both time and mean power, fastest first, at most most_points of them.
std::vector<PricedPlan> thinned(std::vector<PricedPlan> plans) {
  std::ranges::sort(plans, [](PricedPlan const& a, PricedPlan const& b) { return a.time_s != b.time_s ? a.time_s < b.time_s : a.energy_j < b.energy_j; });
  std::vector<PricedPlan> front;
  for (auto const& p : plans)
    if (front.empty() || p.energy_j / p.time_s < front.back().energy_j / front.back().time_s) front.push_back(p);
  if (front.size() <= most_points) return front;
  std::vector<PricedPlan> kept;
  for (std::size_t i = 0; i < most_points; ++i) kept.push_back(front[(i * (front.size() - 1) + (most_points - 1) / 2) / (most_points - 1)]);
  return kept;
}

/// The curve of plans, continued by waiting at blocking_w between iterations.
PowerSpeedCurve curve_of(PerseusJob const& job, std::vector<PricedPlan> const& plans, double blocking_w) {
  std::vector<CurvePoint> points;
  for (auto const& p : plans) {
    auto const draw = p.energy_j / p.time_s / job.gpus;
    points.push_back({p.cap_w > 0 ? p.cap_w : draw, draw, job.batch / p.time_s});
  }
  auto const slowest = *std::ranges::max_element(plans, {}, &PricedPlan::time_s);
  auto const fastest_s = std::ranges::min_element(plans, {}, &PricedPlan::time_s)->time_s;
  for (int i = 1; i <= waiting_points; ++i) {
    auto const speed = fastest_s / slowest.time_s + (least_speed - fastest_s / slowest.time_s) * i / waiting_points;
    auto const time_s = fastest_s / speed;
    auto const draw = (slowest.energy_j / job.gpus + blocking_w * (time_s - slowest.time_s)) / time_s;
    points.push_back({draw, draw, job.batch / time_s});
  }
  return PowerSpeedCurve(std::move(points));
}

void read_frontiers(std::string const& file, std::string const& gpu, std::map<std::string, PerseusJob>& jobs) {
  auto const table = CsvTable::read(file);
  auto const system = table.column("system"), path = table.column("path"), time = table.column("iter_time_s"), energy = table.column("iter_energy_J"),
             low = table.column("min_knob"), high = table.column("max_knob"), ranks = table.column("ranks");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto const& text = table.text(row, path);
    if (table.text(row, system) != "perseus" || text.find("perseus/" + gpu + "/") != 0) continue;
    if (table.number(row, low) == table.number(row, high)) continue;  // everything at one clock: not of the frontier
    auto const slash = text.rfind('/');
    auto const first = text.find('+', slash) + 1;
    auto const model = text.substr(first, text.find('+', first) - first);
    auto& job = jobs[shown(model)];
    job.model = shown(model);
    job.gpus = table.number(row, ranks);
    job.batch = number_after(text, "mbs") * number_after(text, "nmb") * std::max(1.0, number_after(text, "dp"));
    if (!(job.batch > 0)) throw InputError(Problem{table.at(row, path), "path", "says no microbatch size and number (mbs, nmb); correct it"});
    job.frontier.push_back({table.number(row, time), table.number(row, energy), 0});
  }
}

void read_uniform(std::string const& file, std::map<std::string, PerseusJob>& jobs) {
  auto const table = CsvTable::read(file);
  auto const model = table.column("model_name"), limit = table.column("power_limit_0"), time = table.column("time"), energy = table.column("energy");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto const job = jobs.find(shown(table.text(row, model)));
    if (job != jobs.end()) job->second.uniform.push_back({table.number(row, time), table.number(row, energy), table.number(row, limit)});
  }
}

}  // namespace

Imported import_perseus(ImportRequest const& request) {
  auto const wanted = request.gpu.empty() ? std::string("A100") : request.gpu;
  auto const gpu = std::ranges::find(gpus, wanted, &Gpu::name);
  if (gpu == gpus.end()) throw InputError({{}, "--gpu", quotation(wanted) + " was not measured; name A100 or A40"});
  std::map<std::string, PerseusJob> jobs;
  read_frontiers(request.input, wanted, jobs);
  read_uniform((std::filesystem::path(request.input).parent_path() / "zeus" / wanted / "zeus_global.csv").string(), jobs);

  Imported imported;
  auto& library = imported.library;
  library.name = request.library_name;
  library.gpu_model = gpu->model;
  library.tdp_w = gpu->tdp_w;
  library.provenance = Provenance::derived;
  library.source = {
      "Chung et al., Reducing Energy Bloat in Large Model Training, SOSP 2024 (arXiv:2312.06902): measured iteration times and energies",
      "https://github.com/ml-energy/zeus", "Apache-2.0",
      "NAME: the job under one power limit for all its GPUs. NAME-perseus: the same job on its measured time-energy frontier, a clock for every pass of every "
      "stage (a uniform cap cannot do that); at most ten of its plans"};
  library.speed_unit = "samples/s";
  library.statistic = "mean over 20 to 30 iterations";
  library.assumptions = {"below the slowest measured plan a job waits between iterations at " + number_text(gpu->blocking_w) +
                         " W a GPU (measured on an A100 SXM or A40 waiting for a neighbour), down to a tenth of full speed"};
  for (auto const& [name, job] : jobs) {
    if (job.frontier.empty() || job.uniform.empty()) {
      imported.notes.push_back("dropped " + name + ": no measurement under a uniform limit");
      continue;
    }
    for (bool optimised : {false, true}) {
      auto const plans = thinned(optimised ? job.frontier : job.uniform);
      library.curves.push_back({.library = library.name,
                                .name = name + (optimised ? "-perseus" : ""),
                                .architecture = name.starts_with("wide") ? "convolutional" : "dense",
                                .task = "pretraining",
                                .model = job.model,
                                .gpus = job.gpus,
                                .speed_unit = library.speed_unit,
                                .provenance = library.provenance,
                                .flop_per_unit = {},
                                .telemetry = {},
                                .curve = curve_of(job, plans, gpu->blocking_w)});
      imported.notes.push_back("read " + library.curves.back().name + ": " + std::to_string(plans.size()) + " plans, " + number_text(job.gpus) + " GPUs");
    }
  }
  if (library.curves.empty())
    throw InputError(Problem{{request.input, 0, 0}, "", "has no frontier of " + wanted + " jobs that were also run under uniform limits"});
  return imported;
}

}  // namespace wattfill
