// Raw logs of runs under caps: what nvidia-smi or DCGM wrote beside what the job wrote.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "scenario/import/run_log.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/scenario/import/import.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

bool is_pause(std::string const& phase) {
  return phase.starts_with("eval") || phase.starts_with("valid") || phase.starts_with("checkpoint") || phase.starts_with("save");
}
bool is_preparation(std::string const& phase) { return phase.starts_with("start") || phase.starts_with("warm") || phase.starts_with("init"); }

/// What the samples of one run come to.
class Statistic {
 public:
  explicit Statistic(std::string const& name) : name_(name.empty() ? "mean" : name) {
    if (name_ != "mean" && name_ != "median" && name_ != "top-10")
      throw InputError({{}, "--statistic", quotation(name) + " is not one that can be taken; write mean, median or top-10"});
  }
  std::string description() const {
    return name_ == "top-10" ? "mean of the top 10 % of training samples, of power and speed apart (arXiv:2609.11542; not mean power)"
                             : name_ + " of training samples";
  }
  bool is_mean() const { return name_ == "mean"; }

  double operator()(std::vector<double> values) const {
    std::ranges::sort(values);
    auto const n = values.size();
    if (name_ == "median") return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
    auto const first = name_ == "mean" ? 0 : n - (n + 9) / 10;
    double sum = 0;
    for (auto i = first; i < n; ++i) sum += values[i];
    return sum / static_cast<double>(n - first);
  }

 private:
  std::string name_;
};

struct TelemetryRun {
  double power_w = 0, speed = 0;
  std::map<std::string, double> counters;  // means
  std::string unit;
};

/// Which phase of the job's log each time lies in: a row speaks of the time since the row before.
class Phases {
 public:
  Phases(SpeedLog const& log, ImportRequest const& request) : log_(log), request_(request), start_(log.samples.front().time_s) {}

  enum Kind { before, warm_up, pause, training, after };
  Kind of_row(std::size_t i) const {
    auto const& row = log_.samples[i];
    if (is_preparation(row.phase) || row.time_s < start_ + request_.warm_up_s) return warm_up;
    return is_pause(row.phase) && !request_.keep_pauses ? pause : training;
  }
  Kind at(double time) const {
    if (time < start_) return before;
    auto const row = std::ranges::lower_bound(log_.samples, time, {}, &SpeedSample::time_s);
    if (row == log_.samples.end()) return after;
    return time < start_ + request_.warm_up_s ? warm_up : of_row(static_cast<std::size_t>(row - log_.samples.begin()));
  }

 private:
  SpeedLog const& log_;
  ImportRequest const& request_;
  double start_;
};

/// Mean power of one GPU from its energy counter, over the stretches of training. `fallen`: how often the counter fell.
double mean_from_energy(std::vector<PowerSample const*> samples, Phases const& phases, std::size_t& fallen) {
  std::ranges::sort(samples, {}, &PowerSample::time_s);
  double energy = 0, time = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    auto const &from = *samples[i - 1], &to = *samples[i];
    if (phases.at(from.time_s) != Phases::training || phases.at(to.time_s) != Phases::training) continue;
    if (to.energy_j < from.energy_j) {
      ++fallen;  // rolled over or reset: how far it had come is not known
      continue;
    }
    energy += to.energy_j - from.energy_j;
    time += to.time_s - from.time_s;
  }
  return time > 0 ? energy / time : std::nan("");
}

TelemetryRun read_run(std::filesystem::path const& power_file, std::filesystem::path const& speed_file, double gpus, std::string const& who,
             ImportRequest const& request, Statistic const& statistic, std::vector<std::string>& notes) {
  auto const power_table = CsvTable::read(power_file), speed_table = CsvTable::read(speed_file);
  auto const power = read_power_log(power_table, request.power_unit);
  auto const speed = read_speed_log(speed_table);
  if (power.wall_clock != speed.wall_clock)
    throw InputError({{speed_table.file(), 1, 1},
                      speed.wall_clock ? "timestamp" : "time_s",
                      "this log counts time otherwise than " + power_table.file() + " (one has dates, the other seconds); give both the same clock"});
  Phases const phases(speed, request);
  TelemetryRun run;
  run.unit = speed.unit;
  std::vector<double> speeds, watts;
  std::map<std::string, std::vector<PowerSample const*>> by_gpu;
  std::map<Phases::Kind, std::size_t> left_out;
  std::map<std::string, std::pair<double, double>> counters;
  for (std::size_t i = 0; i < speed.samples.size(); ++i)
    if (phases.of_row(i) == Phases::training) speeds.push_back(speed.samples[i].speed);
  std::size_t missing = 0;
  for (auto const& sample : power.samples) {
    auto const kind = phases.at(sample.time_s);
    by_gpu[sample.gpu].push_back(&sample);
    if (kind != Phases::training) {
      ++left_out[kind];
      continue;
    }
    if (std::isnan(sample.power_w) && std::isnan(sample.energy_j)) ++missing;
    if (!std::isnan(sample.power_w)) watts.push_back(sample.power_w);
    for (auto const& [name, value] : sample.counters)
      if (!std::isnan(value)) {
        counters[name].first += value;
        counters[name].second += 1;
      }
  }
  if (speeds.empty())
    throw InputError({{speed_table.file()},
                      "phase",
                      "no row is left as training (warm-up, start-up, evaluations and checkpoints are not counted); check phases "
                      "and --warm-up"});
  if (static_cast<double>(by_gpu.size()) != gpus)
    throw InputError({{power_table.file()},
                      "index",
                      "the log speaks of " + std::to_string(by_gpu.size()) + " GPUs, the run of " + number_text(gpus) +
                          " (a draw is that of one GPU, so both must be known); correct gpus, or log every GPU of the job and no other"});
  bool const has_energy = std::ranges::all_of(power.samples, [](PowerSample const& s) { return !std::isnan(s.energy_j); });
  std::size_t fallen = 0;
  if (statistic.is_mean() && has_energy) {
    for (auto const& [gpu, samples] : by_gpu) run.power_w += mean_from_energy(samples, phases, fallen) / gpus;
    notes.push_back(who + ": mean power from energy counters");
  } else if (!watts.empty()) {
    run.power_w = statistic(watts);
  }
  if (!(run.power_w > 0))
    throw InputError({{power_table.file()}, {}, "there is no power while the job trains (the clocks of the two logs may differ); check their times"});
  run.speed = statistic(speeds);
  for (auto const& [name, sum] : counters) run.counters[name] = sum.first / sum.second;
  auto const count = [&](Phases::Kind kind) { return std::to_string(left_out[kind]); };
  notes.push_back("read " + who + ": " + std::to_string(speeds.size()) + " rows of speed, " + number_text(run.power_w) + " W, " + number_text(run.speed) +
                  "; power samples left out: " + count(Phases::before) + " of start-up, " + count(Phases::warm_up) + " of warm-up, " + count(Phases::pause) +
                  " of evaluations and checkpoints, " + count(Phases::after) + " after the end");
  if (fallen > 0)
    notes.push_back(who + ": an energy counter fell " + std::to_string(fallen) + (fallen == 1 ? " time" : " times") +
                    " (rolled over or reset); these intervals are left out");
  if (missing > 0) notes.push_back(who + ": " + std::to_string(missing) + " samples without power are left out");
  return run;
}

/// Letters, digits, '_' and '-', without the unit in brackets: what names of features are made of.
std::string counter_name(std::string name) {
  name = name.substr(0, name.find(" ["));
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) c = '_';
  return name;
}

}  // namespace

Imported import_dcgm(ImportRequest const& request) {
  auto const table = CsvTable::read(request.input);
  auto const folder = std::filesystem::path(request.input).parent_path();
  Statistic const statistic(request.statistic);
  if (request.gpu.empty()) throw InputError({{}, "--gpu", "is missing (raw logs do not say the GPU model); write for example --gpu H100"});
  struct Job {
    std::size_t row;
    double gpus;
    std::vector<CurvePoint> points;
    double top_cap = 0;
    std::map<std::string, double> counters;
  };
  std::vector<std::pair<std::string, Job>> jobs;
  Imported imported;
  auto& [library, notes] = imported;
  std::set<std::string> units;
  double top_cap = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto const name = table.text(row, table.column("curve"));
    double const cap = table.number(row, table.column("cap_w")), gpus = table.number(row, table.column("gpus"));
    if (!(cap > 0)) throw InputError({table.at(row, table.column("cap_w")), "cap_w", number_text(cap) + " is out of range (above 0 is possible)"});
    if (!(gpus >= 1)) throw InputError({table.at(row, table.column("gpus")), "gpus", number_text(gpus) + " is out of range (1 or more is possible)"});
    auto const run = read_run(folder / table.text(row, table.column("power_log")), folder / table.text(row, table.column("throughput_log")), gpus,
                              name + " at " + number_text(cap) + " W", request, statistic, notes);
    units.insert(run.unit);
    auto job = std::ranges::find(jobs, name, &std::pair<std::string, Job>::first);
    if (job == jobs.end()) job = jobs.insert(jobs.end(), {name, Job{row, gpus, {}, 0, {}}});
    if (job->second.gpus != gpus)
      throw InputError({table.at(row, table.column("gpus")), "gpus",
                        "the runs of " + name + " are on " + number_text(job->second.gpus) + " and " + number_text(gpus) +
                            " GPUs (a curve is of one size); give them two names"});
    job->second.points.push_back({cap, run.power_w, run.speed});
    top_cap = std::max(top_cap, cap);
    if (cap >= job->second.top_cap) {
      job->second.top_cap = cap;
      job->second.counters = run.counters;
    }
  }
  if (jobs.empty()) throw InputError({{table.file()}, {}, "there is no row in it; add some"});
  if (units.size() > 1)
    throw InputError({{table.file()}, "throughput_log", "the logs count speed in several units (a library has one); import the runs of each unit apart"});
  library.name = request.library_name;
  library.gpu_model = request.gpu;
  library.tdp_w = request.tdp_w.value_or(top_cap);
  library.provenance = Provenance::measured;
  library.source = {request.citation.empty() ? "own measurements" : request.citation, request.url, request.licence, ""};
  library.speed_unit = units.begin()->empty() ? request.speed_unit : *units.begin();
  if (library.speed_unit.empty())
    throw InputError({{table.file()},
                      "throughput_log",
                      "the unit of throughput is not said (tokens and samples look alike); call the column by it, such as "
                      "tokens_per_s, or give --speed-unit tokens/s"});
  library.statistic = statistic.description() + (request.keep_pauses ? ", evaluations and checkpoints kept" : "");
  for (auto& [name, job] : jobs) {
    auto const text = [&](char const* column) {
      auto const found = table.find(column);
      return found ? table.text(job.row, *found) : std::string();
    };
    std::map<std::string, double> telemetry;
    for (auto const& [counter, value] : job.counters) telemetry[counter_name(counter)] = value;
    try {
      library.curves.push_back({library.name,
                                name,
                                text("architecture"),
                                text("task"),
                                text("model"),
                                job.gpus,
                                library.speed_unit,
                                library.provenance,
                                {},
                                std::move(telemetry),
                                PowerSpeedCurve(std::move(job.points))});
    } catch (InputError const& error) {
      throw InputError({{table.file()}, name, error.what()});
    }
  }
  return imported;
}

}  // namespace wattfill
