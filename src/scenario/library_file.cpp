#include "wattfill/scenario/library_file.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/document.hpp"
#include "wattfill/scenario/spec.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

struct Rows {
  std::vector<CurvePoint> points;
  Location first;
  bool broken = false;  // a cell was refused: the points are not all there
};

void keep(InputError const& error, Reading& reading) {
  for (auto const& problem : error.problems()) reading.refuse(problem.at, problem.key, problem.what);
}

/// A number of one cell; nothing and a problem if it is none or out of range.
std::optional<double> cell(CsvTable const& table, std::size_t row, std::size_t column, bool zero_is_possible, Reading& reading) {
  try {
    auto const value = table.number(row, column);
    if (value > 0 || (zero_is_possible && value == 0)) return value;
    reading.refuse(table.at(row, column), table.header()[column],
                   table.text(row, column) + " is out of range (" + (zero_is_possible ? "0 or more" : "above 0") +
                       " is possible); correct the measurement or remove the row");
  } catch (InputError const& error) {
    keep(error, reading);
  }
  return std::nullopt;
}

std::map<std::string, Rows> read_points(CsvTable const& table, std::vector<std::string> const& known, std::string const& yaml_file, Reading& reading) {
  std::vector<std::size_t> columns;
  for (auto const* name : {"curve", "cap_w", "power_w", "speed"}) {
    try {
      columns.push_back(table.column(name));
    } catch (InputError const& error) {
      keep(error, reading);
    }
  }
  std::map<std::string, Rows> curves;
  if (columns.size() < 4) return curves;
  constexpr std::size_t enough = 1000;  // problems: a file of another kind has some in every row
  for (std::size_t row = 0; row < table.rows() && reading.problems.size() < enough; ++row) {
    auto const& name = table.text(row, columns[0]);
    auto& rows = curves[name];
    if (rows.first.line == 0) {
      rows.first = table.at(row, columns[0]);
      if (std::ranges::find(known, name) == known.end())
        reading.refuse(rows.first, "curve",
                       quotation(name) + " is not among the curves of " + yaml_file + " (nothing is known of the job)" + suggestion(name, known));
    }
    auto const cap = cell(table, row, columns[1], false, reading);
    auto const power = cell(table, row, columns[2], false, reading);
    auto const speed = cell(table, row, columns[3], true, reading);
    if (cap && power && speed)
      rows.points.push_back({*cap, *power, *speed});
    else
      rows.broken = true;
  }
  return curves;
}

void note_findings(Curve const& curve, std::string const& file, std::vector<std::string>& notes) {
  auto const& found = curve.curve.findings();
  auto const note = [&](std::string what) { notes.push_back(file + ": " + curve.name + ": " + std::move(what)); };
  auto const points = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " point " : " points "); };
  if (found.pooled > 0) note(points(found.pooled) + "moved: speed is not monotone in draw there; policies use its isotonic regression");
  if (found.repeated_draws > 0) note(points(found.repeated_draws) + "merged: they repeat a draw; policies use their mean");
  if (found.above_cap > 0) note(points(found.above_cap) + "above the cap: more was drawn than was allowed");
  if (found.top_draw_below_top_cap) note("the largest draw was not measured at the highest cap; figures use the highest cap, policies the largest draw");
  if (curve.curve.unresponsive()) note("hardly reacts to caps (its draw changes by less than 2 %); it gets no flexibility figure and keeps its uncapped draw");
}

void add_curve(LibraryFields::Job const& job, Rows rows, LibraryFile& file, Reading& reading) {
  auto& library = file.library;
  try {
    std::map<std::string, double> telemetry;
    for (auto const& feature : job.telemetry) telemetry[feature.name] = feature.value;
    library.curves.push_back({library.name, job.name.value, job.architecture, job.task, job.model, job.gpus, library.speed_unit, library.provenance,
                              job.flop_per_unit, std::move(telemetry), PowerSpeedCurve(std::move(rows.points))});
    note_findings(library.curves.back(), file.files[1].string(), file.notes);
    auto const full_speed = library.curves.back().curve.max_speed();
    if (!(full_speed >= 1e-12 && full_speed <= 1e18))
      reading.refuse(rows.first, "speed",
                     job.name.value + " has a full speed of " + number_text(full_speed) +
                         " (sums of such speeds lose their digits); give speeds in a unit in which they lie between 1e-12 and 1e18");
    auto const full_w = library.curves.back().curve.max_draw();
    if (!(full_w <= 4 * library.tdp_w && full_w >= library.tdp_w / 50))
      reading.refuse(rows.first, "power_w",
                     job.name.value + " draws " + number_text(full_w) + " W at most, its GPU's tdp_w is " + number_text(library.tdp_w) +
                         " W (one of the two is in another unit, or power_w is not of one GPU); write both in watts of one GPU");
  } catch (InputError const& error) {
    reading.refuse(rows.first, "curve", job.name.value + ": " + error.problems().front().what);
  }
}

}  // namespace

LibraryFile read_library(std::filesystem::path const& yaml_file) {
  LibraryFile file;
  auto csv_file = yaml_file;
  csv_file.replace_extension(".csv");
  file.files = {yaml_file, csv_file};

  Reading reading;
  LibraryFields fields;
  auto const document = read_document(yaml_file);
  refuse_newer(document, "curve library");
  library_format().read(document, "", fields, reading);
  reading.finish();

  auto& library = file.library;
  library.name = yaml_file.stem().string();
  library.gpu_model = fields.gpu.model;
  library.tdp_w = fields.gpu.tdp_w;
  library.provenance = fields.provenance;
  library.source = fields.source;
  library.speed_unit = fields.speed_unit;
  library.statistic = fields.statistic;
  library.assumptions = fields.assumptions;

  std::vector<std::string> names;
  std::map<std::string, int> lines;
  for (auto const& job : fields.curves) {
    auto const [first, is_new] = lines.emplace(job.name.value, job.name.place.at.line);
    if (!is_new)
      reading.refuse(job.name.place, "the curve " + quotation(job.name.value) + " is there twice, first on line " + std::to_string(first->second) +
                                         " (its points could belong to either); rename or remove one");
    if (job.name.value.find('/') != std::string::npos)
      reading.refuse(job.name.place, quotation(job.name.value) + " has a / in it (scenarios write LIBRARY/CURVE); leave it out");
    names.push_back(job.name.value);
  }

  auto const table = CsvTable::read(csv_file);
  auto points = read_points(table, names, yaml_file.filename().string(), reading);
  std::vector<std::string> extra;
  for (auto const& column : table.header())
    if (column != "curve" && column != "cap_w" && column != "power_w" && column != "speed") extra.push_back(column);
  if (!extra.empty()) file.notes.push_back(csv_file.string() + ": columns that have no meaning here are kept out: " + listed(extra));

  library.curves.reserve(fields.curves.size());
  auto const has_columns = !points.empty() || reading.problems.empty();
  for (auto const& job : fields.curves) {
    auto const found = points.find(job.name.value);
    if (found == points.end()) {
      if (has_columns)
        reading.refuse(job.name.place, "the curve " + quotation(job.name.value) + " has no row in " + csv_file.filename().string() +
                                           " (a curve is its points); add its rows or remove it");
    } else if (!found->second.broken) {
      add_curve(job, found->second, file, reading);
    }
  }
  reading.finish();
  return file;
}

}  // namespace wattfill
