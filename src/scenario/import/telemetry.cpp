#include <algorithm>
#include <map>
#include <optional>

#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/import/import.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

struct Profiled {
  std::string name;
  std::vector<std::size_t> rows;
};

/// The cluster of a workload of the A100 table; empty for one that is not of it.
std::string cluster_of(std::string const& workload) {
  if (workload.starts_with("SPEC ACCEL")) return "spec-accel";
  for (auto const& [name, cluster] : {std::pair("GROMACS", "hpc"), std::pair("LAMMPS", "hpc"), std::pair("NAMD", "hpc"), std::pair("LSTM", "learning"),
                                      std::pair("dgemm", "kernel"), std::pair("stream", "kernel")})
    if (workload == name) return cluster;
  return "";
}

Source a100_source() {
  return {
      "Ghazanfar Ali: Optimal GPU frequency using DNN-based models (data), 2022, GitHub repository "
      "ghazanfarttu/Optimal-GPU-frequency-using-DNN-based-models, AE/datasets",
      "https://github.com/ghazanfarttu/Optimal-GPU-frequency-using-DNN-based-models", "BSD-3-Clause",
      "speed is the table's throughput (1 / run time); telemetry is that of the highest clock. Tasks are clusters for leave-one-cluster-out: "
      "spec-accel, hpc, learning, kernel."};
}

/// Letters, digits, '.', '_' and '-': what names of curves and features are made of.
std::string plain_name(std::string name) {
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-')) c = '_';
  return name;
}

bool is_empty(std::string const& text) { return text.find_first_not_of(" \t") == std::string::npos; }

struct Columns {
  std::size_t workload, clock, power, throughput;
  std::optional<std::size_t> unit, task, architecture;
  std::vector<std::size_t> features;

  explicit Columns(CsvTable const& table)
      : workload(table.column("workload")),
        clock(table.column("sm_clock_mhz")),
        power(table.column("power_w")),
        throughput(table.column("throughput")),
        unit(table.find("throughput_unit")),
        task(table.find("task")),
        architecture(table.find("architecture")) {
    for (std::size_t c = 0; c < table.header().size(); ++c)
      if (c != workload && c != clock && c != power && c != throughput && c != unit && c != task && c != architecture) features.push_back(c);
  }
};

double positive(CsvTable const& table, std::size_t row, std::size_t column) {
  double const value = table.number(row, column);
  if (!(value > 0))
    throw InputError(
        {table.at(row, column), table.header()[column], table.text(row, column) + " is out of range (above 0 is possible); correct or remove the row"});
  return value;
}

/// Counters at the highest clock: the mean of its rows; one that is empty there is left out.
std::map<std::string, double> uncapped_counters(CsvTable const& table, Columns const& columns, Profiled const& workload, double top_clock,
                                                std::vector<std::string>& notes) {
  std::map<std::string, double> counters;
  std::vector<std::string> missing;
  for (auto const c : columns.features) {
    double sum = 0, n = 0;
    bool whole = true;
    for (auto const row : workload.rows)
      if (table.number(row, columns.clock) == top_clock) {
        if (is_empty(table.text(row, c)))
          whole = false;
        else
          sum += table.number(row, c);
        ++n;
      }
    if (whole)
      counters[plain_name(table.header()[c])] = sum / n;
    else
      missing.push_back(table.header()[c]);
  }
  if (!missing.empty()) notes.push_back(workload.name + ": no counter at the highest clock: " + listed(missing));
  return counters;
}

}  // namespace

Imported import_telemetry(ImportRequest const& request) {
  auto const table = CsvTable::read(request.input);
  Columns const columns(table);
  std::vector<Profiled> workloads;
  double largest = 0, top_clock = 0;
  std::vector<std::string> units;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto const& name = table.text(row, columns.workload);
    auto known = std::ranges::find(workloads, name, &Profiled::name);
    if (known == workloads.end()) known = workloads.insert(workloads.end(), {name, {}});
    known->rows.push_back(row);
    largest = std::max(largest, positive(table, row, columns.power));
    top_clock = std::max(top_clock, positive(table, row, columns.clock));
    if (columns.unit && std::ranges::find(units, table.text(row, *columns.unit)) == units.end()) units.push_back(table.text(row, *columns.unit));
  }
  if (units.size() > 1)
    throw InputError(
        {{table.file()}, "throughput_unit", "the file has several units, " + listed(units) + " (a library has one); import the rows of each unit apart"});

  Imported imported;
  auto& [library, notes] = imported;
  library.name = request.library_name;
  if (request.citation.empty() != request.gpu.empty())
    throw InputError(
        "a table of another source needs both --gpu and --citation (without either it is taken to be the A100 table of ghazanfarttu); give both or "
        "neither");
  library.gpu_model = request.gpu.empty() ? "A100" : request.gpu;
  library.tdp_w = request.tdp_w.value_or(largest);
  library.provenance = Provenance::measured;
  library.source = request.citation.empty() ? a100_source() : Source{request.citation, request.url, request.licence, ""};
  library.speed_unit = units.empty() ? "" : units.front();
  library.statistic = "one run per clock";
  library.assumptions = {"No power cap was set, clocks were: cap_w is tdp_w x SM clock / " + number_text(top_clock) +
                         " MHz. It keeps the order of the clocks, so that P_max and T_max are those of the highest clock; it is not a cap to set, "
                         "and draws may exceed it."};
  if (!request.tdp_w) {
    library.assumptions.push_back("The source does not say the TDP: tdp_w is the largest draw measured.");
    notes.push_back("the TDP is taken to be the largest draw, " + number_text(largest) + " W; --tdp says otherwise");
  }
  notes.push_back("no caps in the file: cap_w is tdp_w x SM clock / " + number_text(top_clock) + " MHz, in the order of the clocks");
  for (auto const& workload : workloads) {
    auto const name = plain_name(workload.name);
    std::vector<CurvePoint> points;
    double own_top = 0;
    for (auto const row : workload.rows) {
      double const clock = table.number(row, columns.clock);
      own_top = std::max(own_top, clock);
      points.push_back({library.tdp_w * clock / top_clock, table.number(row, columns.power), table.number(row, columns.throughput)});
    }
    notes.push_back("read " + name + ": " + std::to_string(points.size()) + " clocks, highest " + number_text(own_top) + " MHz");
    auto const text = [&](std::optional<std::size_t> column) { return column ? table.text(workload.rows.front(), *column) : std::string(); };
    try {
      auto const task = columns.task ? text(columns.task) : cluster_of(workload.name);
      library.curves.push_back({library.name,
                                name,
                                text(columns.architecture),
                                task,
                                workload.name,
                                1,
                                library.speed_unit,
                                library.provenance,
                                {},
                                uncapped_counters(table, columns, workload, own_top, notes),
                                PowerSpeedCurve(std::move(points))});
      if (auto const& curve = library.curves.back().curve; curve.unresponsive())
        notes.push_back(name + ": unresponsive, its draw moves by less than 2 % over the sweep");
    } catch (InputError const& error) {
      if (error.problems().front().at.line > 0) throw;
      throw InputError({{table.file()}, workload.name, error.what()});
    }
  }
  if (library.curves.empty()) throw InputError({{table.file()}, {}, "there is no row in it; add some"});
  return imported;
}

}  // namespace wattfill
