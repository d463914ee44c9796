#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "scenario/import/curve_notes.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/import/import.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

std::vector<std::string> const meanings{"curve", "cap_w", "power_w", "total_power_w", "speed", "time_s", "gpus", "architecture", "task", "model"};

struct Unit {
  std::string name;
  double factor;  ///< to W or s
};
std::vector<Unit> const power_units{{"w", 1}, {"watt", 1}, {"watts", 1}, {"kw", 1000}, {"mw", 0.001}};
std::vector<Unit> const time_units{{"s", 1}, {"sec", 1}, {"seconds", 1}, {"ms", 0.001}, {"min", 60}, {"minutes", 60}, {"h", 3600}, {"hours", 3600}};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The last word of a column name: "w" of "power_w", "power [W]", "power (W)".
std::string last_word(std::string name) {
  while (!name.empty() && std::string(")] ").find(name.back()) != std::string::npos) name.pop_back();
  auto const at = name.find_last_of(" _([");
  return lower(at == std::string::npos ? name : name.substr(at + 1));
}

double factor_of(CsvTable const& table, std::size_t column, std::vector<Unit> const& units, std::string const& given, std::string const& option) {
  auto const& header = table.header()[column];
  auto const said = std::ranges::find(units, last_word(header), &Unit::name);
  auto const stated = std::ranges::find(units, lower(given), &Unit::name);
  if (!given.empty() && stated == units.end())
    throw InputError({{}, option, quotation(given) + " is no unit; units are " + (option == "--power-unit" ? "W, kW, mW" : "s, ms, min, h")});
  if (said != units.end() && stated != units.end() && said->factor != stated->factor)
    throw InputError(
        {{table.file(), 1, 1},
         header,
         "its name says another unit than " + option + " " + given + " (one of them is wrong); leave the option out or correct the column's name"});
  if (said == units.end() && stated == units.end())
    throw InputError({{table.file(), 1, 1},
                      header,
                      "its name does not say its unit (watts and kilowatts look alike); end it in one, such as " +
                          std::string(option == "--power-unit" ? "_w" : "_s") + ", or give " + option});
  return said != units.end() ? said->factor : stated->factor;
}

/// Where our columns are in the file.
struct Columns {
  std::map<std::string, std::size_t> at;

  bool has(std::string const& meaning) const { return at.contains(meaning); }
};

/// A table without names of curves is the sweep of one job, unless a cap comes twice.
bool repeats(CsvTable const& table, std::size_t cap_column) {
  std::set<double> caps;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (!caps.insert(table.number(row, cap_column)).second) return true;
  return false;
}

/// Nor where a column of texts that means nothing here has more than one of them. Empty: there is none.
std::string told_apart_by(CsvTable const& table, std::map<std::string, std::size_t> const& known) {
  for (std::size_t c = 0; c < table.header().size(); ++c) {
    if (std::ranges::any_of(known, [&](auto const& entry) { return entry.second == c; })) continue;
    std::set<std::string> texts;
    bool numbers = true;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      auto const text = table.text(row, c);
      texts.insert(text);
      double value = 0;
      auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
      numbers = numbers && failed == std::errc() && end == text.data() + text.size();
    }
    if (!numbers && texts.size() > 1) return quotation(table.header()[c]) + " holds " + std::to_string(texts.size()) + " different texts";
  }
  return "";
}

Columns find_columns(CsvTable const& table, ImportRequest const& request) {
  Columns columns;
  for (auto const& [meaning, name] : request.columns) {
    if (std::ranges::find(meanings, meaning) == meanings.end())
      throw InputError({{}, "--column", "there is no column meaning " + quotation(meaning) + suggestion(meaning, meanings)});
    columns.at[meaning] = table.column(name);
  }
  for (auto const& meaning : meanings)
    if (auto const found = table.find(meaning); found && !columns.has(meaning)) columns.at[meaning] = *found;
  auto const one_of = [&](char const* first, char const* second) {
    if (columns.has(first) == columns.has(second))
      throw InputError({{table.file(), 1, 1},
                        first,
                        columns.has(first) ? std::string("both ") + first + " and " + second + " are there (which one is meant?); rename one"
                                           : std::string("neither ") + first + " nor " + second + " is there; say which column it is with --column " + first +
                                                 "=NAME (columns: " + listed(table.header()) + ")"});
  };
  auto const need = [&](std::string const& meaning, std::string const& why) {
    throw InputError({{table.file(), 1, 1},
                      meaning,
                      "this column is not there" + why + "; say which one it is with --column " + meaning + "=NAME (columns: " + listed(table.header()) + ")"});
  };
  if (!columns.has("cap_w")) need("cap_w", "");
  if (!columns.has("curve")) {
    if (auto const column = told_apart_by(table, columns.at); !column.empty()) need("curve", " (" + column + ", so that the table may hold several jobs)");
    if (repeats(table, columns.at.at("cap_w")))
      need("curve", " (caps repeat, so that it may hold several jobs; add one with the name of the job to keep repeats of one)");
  }
  one_of("power_w", "total_power_w");
  one_of("speed", "time_s");
  return columns;
}

struct SweptJob {
  std::string name, architecture, task, model;
  double gpus;
  std::vector<CurvePoint> points;
};

class Rows {
 public:
  Rows(CsvTable const& table, ImportRequest const& request) : table_(table), columns_(find_columns(table, request)), one_job_(request.library_name) {
    auto const power = power_column();
    cap_factor_ = factor_of(table, columns_.at.at("cap_w"), power_units, request.power_unit, "--power-unit");
    power_factor_ = factor_of(table, power, power_units, request.power_unit, "--power-unit");
    if (columns_.has("time_s")) time_factor_ = factor_of(table, columns_.at.at("time_s"), time_units, request.time_unit, "--time-unit");
  }

  std::vector<SweptJob> jobs() const {
    std::vector<SweptJob> found;
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      SweptJob const job{is_one_job() ? one_job_ : text(row, "curve"), text(row, "architecture"), text(row, "task"), text(row, "model"), gpus(row), {}};
      auto known = std::ranges::find(found, job.name, &SweptJob::name);
      if (known == found.end()) known = found.insert(found.end(), job);
      if (known->gpus != job.gpus || known->architecture != job.architecture || known->task != job.task || known->model != job.model)
        throw InputError({table_.at(row, columns_.at.at(is_one_job() ? "cap_w" : "curve")), job.name,
                          "this row has other GPUs, architecture, task or model than the curve's first row (one curve is one job); give it a name of its own"});
      known->points.push_back(point(row, job.gpus));
    }
    return found;
  }

  std::vector<std::string> unused() const {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < table_.header().size(); ++c)
      if (std::ranges::none_of(columns_.at, [&](auto const& entry) { return entry.second == c; })) names.push_back(table_.header()[c]);
    return names;
  }
  double power_factor() const { return power_factor_; }
  bool is_one_job() const { return !columns_.has("curve"); }
  bool inverts_time() const { return columns_.has("time_s"); }

 private:
  std::size_t power_column() const { return columns_.at.at(columns_.has("power_w") ? "power_w" : "total_power_w"); }
  std::string text(std::size_t row, std::string const& meaning) const {
    return columns_.has(meaning) ? table_.text(row, columns_.at.at(meaning)) : std::string();
  }
  double positive(std::size_t row, std::size_t column) const {
    double const value = table_.number(row, column);
    if (!(value > 0))
      throw InputError(
          {table_.at(row, column), table_.header()[column], table_.text(row, column) + " is out of range (above 0 is possible); correct or remove the row"});
    return value;
  }
  double gpus(std::size_t row) const {
    if (columns_.has("gpus")) return positive(row, columns_.at.at("gpus"));
    if (columns_.has("total_power_w"))
      throw InputError(
          {{table_.file(), 1, 1}, "gpus", "total_power_w needs the number of GPUs (curves are of one GPU's draw); name its column with --column gpus=NAME"});
    return 1;
  }
  CurvePoint point(std::size_t row, double gpus) const {
    double const power = power_factor_ * positive(row, power_column()) / (columns_.has("power_w") ? 1 : gpus);
    double speed = 0;
    if (columns_.has("time_s"))
      speed = 1 / (time_factor_ * positive(row, columns_.at.at("time_s")));
    else
      speed = table_.number(row, columns_.at.at("speed"));
    if (speed < 0) throw InputError({table_.at(row, columns_.at.at("speed")), "speed", "is negative; correct or remove the row"});
    return {cap_factor_ * positive(row, columns_.at.at("cap_w")), power, speed};
  }

  CsvTable const& table_;
  Columns columns_;
  std::string one_job_;
  double cap_factor_ = 1, power_factor_ = 1, time_factor_ = 1;
};

}  // namespace

Imported import_cap_sweep(ImportRequest const& request) {
  auto const table = CsvTable::read(request.input);
  Rows const rows(table, request);
  Imported imported;
  auto& [library, notes] = imported;
  library.name = request.library_name;
  if (request.gpu.empty()) throw InputError({{request.input}, {}, "the table does not say which GPU it was measured on; name it with --gpu"});
  library.gpu_model = request.gpu;
  library.provenance = Provenance::measured;
  auto const file = std::filesystem::path(request.input).filename().string();
  library.source = {request.citation.empty() ? "not stated (imported from " + file + ")" : request.citation, request.url, request.licence, ""};
  library.speed_unit = rows.inverts_time() && request.speed_unit.empty() ? "1/s" : request.speed_unit;
  library.statistic = request.statistic;
  if (request.citation.empty()) notes.push_back("no source is stated; give --citation and --licence, so that results can name them");
  if (library.speed_unit.empty()) notes.push_back("the unit of speed is not stated (the objective tokens will refuse this library); give --speed-unit");
  if (rows.is_one_job()) notes.push_back("no column names curves: all rows are one, called " + library.name + "; --column curve=NAME says otherwise");
  if (rows.power_factor() != 1) notes.push_back("converted powers to watts: times " + number_text(rows.power_factor()));
  if (rows.inverts_time()) notes.push_back("speed is 1 / time");
  if (auto const unused = rows.unused(); !unused.empty()) notes.push_back("columns kept out: " + listed(unused));
  double highest = 0;
  for (auto& job : rows.jobs()) {
    notes.push_back("read " + job.name + ": " + std::to_string(job.points.size()) + (job.points.size() == 1 ? " point" : " points") +
                    ", GPUs: " + number_text(job.gpus));
    for (auto const& p : job.points) highest = std::max(highest, p.cap_w);
    if (job.points.size() < 2) {
      notes.push_back("dropped " + job.name + ": one point is not a curve");
      continue;
    }
    try {
      library.curves.push_back({library.name,
                                job.name,
                                job.architecture,
                                job.task,
                                job.model,
                                job.gpus,
                                library.speed_unit,
                                library.provenance,
                                {},
                                {},
                                PowerSpeedCurve(std::move(job.points))});
      note_findings(library.curves.back(), notes);
    } catch (InputError const& error) {
      throw InputError({{table.file()}, job.name, error.what()});
    }
  }
  if (library.curves.empty()) throw InputError({{table.file()}, {}, "there is no curve in it; add rows"});
  library.tdp_w = request.tdp_w.value_or(highest);
  if (!request.tdp_w) notes.push_back("the TDP is taken to be the highest cap, " + number_text(highest) + " W; --tdp says otherwise");
  return imported;
}

}  // namespace wattfill
