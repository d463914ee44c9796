#include "scenario/import/run_log.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

std::string trimmed(std::string const& text) {
  auto const first = text.find_first_not_of(" \t");
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The first of these columns that there is, names compared without blanks around them.
std::optional<std::size_t> find_any(CsvTable const& table, std::vector<std::string> const& names) {
  for (auto const& name : names)
    for (std::size_t c = 0; c < table.header().size(); ++c)
      if (trimmed(table.header()[c]) == name) return c;
  return std::nullopt;
}

[[noreturn]] void refuse(CsvTable const& table, std::size_t row, std::size_t column, std::string const& what) {
  throw InputError({table.at(row, column), trimmed(table.header()[column]), what});
}

/// A number with or without its unit behind it ("123.4 W"); NaN where the driver had none.
double number(CsvTable const& table, std::size_t row, std::size_t column, std::string const& unit) {
  auto text = trimmed(table.text(row, column));
  if (text == "[N/A]" || text == "N/A" || text == "[Not Supported]") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  auto const rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  if (error != std::errc() || !std::isfinite(value) || !(rest.empty() || rest == unit || rest == "%"))
    refuse(table, row, column, quotation(text) + " is not a number" + (unit.empty() ? "" : " of " + unit) + "; correct or remove the row");
  return value;
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
long days_of(long year, long month, long day) {
  year -= month <= 2;
  long const era = year / 400, of_era = year - era * 400;
  long const of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/// "2026/11/30 13:05:07.250" or with dashes and T.
double wall_clock(CsvTable const& table, std::size_t row, std::size_t column) {
  auto const text = trimmed(table.text(row, column));
  double parts[6]{};
  char const* at = text.data();
  char const* const end = at + text.size();
  std::size_t read = 0;
  for (; read < 6; ++read) {
    if (read > 0 && (at == end || std::string_view("//  ::--TT").find(*at) == std::string_view::npos)) break;
    if (read > 0) ++at;
    long whole = 0;
    auto const got = read == 5 ? std::from_chars(at, end, parts[read], std::chars_format::fixed) : std::from_chars(at, end, whole);
    if (got.ec != std::errc()) break;
    if (read < 5) parts[read] = static_cast<double>(whole);
    at = got.ptr;
  }
  bool const possible = parts[0] >= 1970 && parts[1] >= 1 && parts[1] <= 12 && parts[2] >= 1 && parts[2] <= 31 && parts[3] >= 0 && parts[3] < 24 &&
                        parts[4] >= 0 && parts[4] < 60 && parts[5] >= 0 && parts[5] < 61;
  if (read < 6 || at != end || !possible)
    refuse(table, row, column, quotation(text) + " is not a time such as 2026/11/30 13:05:07.250; correct or remove the row");
  return 86400.0 * static_cast<double>(days_of(static_cast<long>(parts[0]), static_cast<long>(parts[1]), static_cast<long>(parts[2]))) + 3600 * parts[3] +
         60 * parts[4] + parts[5];
}

struct TimeColumn {
  std::size_t column;
  bool wall_clock;

  explicit TimeColumn(CsvTable const& table) {
    auto const seconds = find_any(table, {"time_s"}), dates = find_any(table, {"timestamp"});
    if (!seconds && !dates)
      throw InputError({{table.file(), 1, 1}, "time_s", "there is no time in it (samples belong to phases by their time); add a column time_s or timestamp"});
    column = seconds ? *seconds : *dates;
    wall_clock = !seconds;
  }
  double at(CsvTable const& table, std::size_t row) const { return wall_clock ? wattfill::wall_clock(table, row, column) : number(table, row, column, "s"); }
};

}  // namespace

PowerLog read_power_log(CsvTable const& table, std::string const& power_unit) {
  TimeColumn const time(table);
  auto const gpu = find_any(table, {"index", "gpu", "gpu_id", "uuid"});
  auto const watts = find_any(table, {"power_w", "power.draw [W]", "power.draw.instant [W]", "power.draw.average [W]", "DCGM_FI_DEV_POWER_USAGE"});
  auto const milliwatts = find_any(table, {"power_mw"}), unsaid = find_any(table, {"power.draw", "power", "POWER"});
  auto const joules = find_any(table, {"energy_j"}), millijoules = find_any(table, {"energy_mj", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"});
  if (auto const energy = find_any(table, {"energy", "total_energy", "TOTEC"}))
    throw InputError({{table.file(), 1, 1},
                      trimmed(table.header()[*energy]),
                      "its name does not say its unit (joules and millijoules look alike); call it energy_j, energy_mj or "
                      "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"});
  auto const power = watts ? watts : milliwatts ? milliwatts : unsaid;
  if (!power && !joules && !millijoules)
    throw InputError({{table.file(), 1, 1}, "power_w", "there is neither power nor energy in it; the columns are: " + listed(table.header())});
  if (power && power == unsaid && power_unit != "W" && power_unit != "mW" && power_unit != "kW")
    throw InputError({{table.file(), 1, 1},
                      trimmed(table.header()[*unsaid]),
                      "its name does not say its unit (watts and milliwatts look alike); call it power_w or power_mw, or give --power-unit W"});
  double const factor = power == watts ? 1 : power == milliwatts ? 1e-3 : power_unit == "mW" ? 1e-3 : power_unit == "kW" ? 1e3 : 1;
  std::vector<std::size_t> counters;
  for (std::size_t c = 0; c < table.header().size(); ++c)
    if (auto const name = trimmed(table.header()[c]); name.starts_with("DCGM_FI_PROF_") || name.starts_with("utilization.")) counters.push_back(c);
  PowerLog log{{}, time.wall_clock};
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    PowerSample sample{time.at(table, row), gpu ? trimmed(table.text(row, *gpu)) : "0", none, none, {}};
    if (power) sample.power_w = factor * number(table, row, *power, power == milliwatts || power_unit == "mW" ? "mW" : "W");
    if (joules) sample.energy_j = number(table, row, *joules, "J");
    if (millijoules) sample.energy_j = 1e-3 * number(table, row, *millijoules, "mJ");
    if (sample.power_w < 0 || sample.energy_j < 0)
      refuse(table, row, power.value_or(0), "a draw or an energy below 0 is not possible; correct or remove the row");
    for (auto const c : counters) sample.counters[trimmed(table.header()[c])] = number(table, row, c, "%");
    log.samples.push_back(std::move(sample));
  }
  return log;
}

SpeedLog read_speed_log(CsvTable const& table) {
  TimeColumn const time(table);
  auto speed = find_any(table, {"throughput"});
  SpeedLog log{{}, time.wall_clock, {}};
  for (std::size_t c = 0; c < table.header().size(); ++c)
    if (auto const name = trimmed(table.header()[c]); name.ends_with("_per_s")) {
      speed = c;
      log.unit = name.substr(0, name.size() - 6) + "/s";
    }
  if (!speed)
    throw InputError({{table.file(), 1, 1},
                      "throughput",
                      "there is no speed in it; call the column throughput, or by its unit, such as tokens_per_s; the columns are: " + listed(table.header())});
  auto const phase = find_any(table, {"phase"});
  for (std::size_t row = 0; row < table.rows(); ++row) {
    SpeedSample sample{time.at(table, row), number(table, row, *speed, ""), phase ? trimmed(table.text(row, *phase)) : ""};
    if (!(sample.speed >= 0)) refuse(table, row, *speed, "a speed below 0 is not possible; correct or remove the row");
    if (!log.samples.empty() && !(log.samples.back().time_s < sample.time_s))
      refuse(table, row, time.column, "the times do not ascend (a restarted run has a log of its own); split the file or sort it");
    log.samples.push_back(std::move(sample));
  }
  if (log.samples.empty()) throw InputError({{table.file()}, {}, "there is no row in it; add some"});
  return log;
}

}  // namespace wattfill
