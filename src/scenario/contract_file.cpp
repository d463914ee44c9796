#include "wattfill/scenario/contract_file.hpp"

#include <cmath>

#include "scenario/input_file.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

void check_events(ContractFields const& contract, Reading& reading) {
  EventFields const* last = nullptr;
  for (auto const& event : contract.listed) {
    if (event.end < event.start) reading.refuse(event.place, "the event ends before it starts; exchange start and end");
    if (last != nullptr && event.start < last->start)
      reading.refuse(event.place, "the event starts before the one above it; put the events in order of time");
    else if (last != nullptr && event.start < last->end)
      reading.refuse(event.place, "the event overlaps the one above it (a watt would be paid twice); join them into one or end the first earlier");
    last = &event;
  }
}

void check_baseline(ContractFields const& contract, Reading& reading) {
  auto const& b = contract.baseline;
  Place const at{contract.place.at, "baseline"};
  if (!(b.before_to_s < b.before_from_s)) reading.refuse(at, "before_to_s must be below before_from_s (the hours before would be none); make it smaller");
  if (!(b.after_from_s < b.after_to_s)) reading.refuse(at, "after_from_s must be below after_to_s (the hours after would be none); make it smaller");
  if (b.least_weekdays > b.weekdays || b.least_weekend_days > b.weekend_days)
    reading.refuse(at, "the least number of similar days is above the number looked for (there would never be a baseline); make it smaller");
  if (b.rule == BaselineRule::firm_level && !(b.peak_load_w > 0)) reading.refuse(at, "peak_load_w is missing (firm-level measures reductions from it); add it");
}

/// Seconds since 1970 of a row.
class Times {
 public:
  Times(CsvTable const& table, ContractFields const& contract) : table_(table), start_(contract.meter.start), iso_(table.find(contract.meter.time_column)) {
    if (iso_) return;
    seconds_ = table.find("time_s");
    if (!seconds_)
      throw InputError(Problem{{table.file(), 1, 1},
                               contract.meter.time_column,
                               "there is neither a column " + contract.meter.time_column + " nor time_s; the columns are: " + listed(table.header())});
    if (!start_)
      throw InputError(Problem{contract.place.at, "meter.start", "this key is missing (" + table.file() + " has time_s, which counts from it); add it"});
  }
  Instant of(std::size_t row) const {
    if (!iso_) return *start_ + table_.number(row, *seconds_);
    if (auto const value = read_instant(table_.text(row, *iso_))) return *value;
    throw InputError(
        Problem{table_.at(row, *iso_), name(), quotation(table_.text(row, *iso_)) + " is not a time with its offset; write it as 2025-05-01T17:00:00-07:00"});
  }
  Location at(std::size_t row) const { return table_.at(row, iso_ ? *iso_ : *seconds_); }
  std::string name() const { return iso_ ? table_.header()[*iso_] : "time_s"; }

 private:
  CsvTable const& table_;
  std::optional<Instant> start_;
  std::optional<std::size_t> iso_, seconds_;
};

}  // namespace

ContractFields read_contract(std::filesystem::path const& file, std::vector<std::string> const& sets) {
  auto contract = read_fields(contract_format(), read_input(file, sets, "contract", {"contract"}));
  Reading reading;
  check_events(contract, reading);
  check_baseline(contract, reading);
  reading.finish();
  contract.events.assign(contract.listed.begin(), contract.listed.end());
  return contract;
}

MeterSeries read_meter(std::filesystem::path const& file, ContractFields const& contract) {
  auto const table = CsvTable::read(file);
  Times const times(table, contract);
  auto const power = table.column(contract.meter.power_column);
  std::vector<std::pair<std::size_t, std::string>> wanted;
  for (auto const& condition : contract.meter.where) wanted.emplace_back(table.column(condition.name), condition.value);
  std::vector<MeterSeries::Reading> readings;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    bool counts = true;
    for (auto const& [column, value] : wanted) counts = counts && table.text(row, column) == value;
    if (!counts) continue;
    MeterSeries::Reading const reading{times.of(row), table.number(row, power)};
    if (!(reading.watts >= 0))
      throw InputError(
          Problem{table.at(row, power), contract.meter.power_column, table.text(row, power) + " is out of range (0 or more is possible); correct it"});
    if (!readings.empty() && !(readings.back().at < reading.at))
      throw InputError(
          Problem{times.at(row), times.name(),
                  "this time is not after the one above it (a series holds each time once, in order); sort the rows, or choose one series with meter.where"});
    readings.push_back(reading);
  }
  if (readings.empty()) throw InputError(Problem{{table.file(), 1, 1}, "", "there is no reading that meter.where lets through; check it"});
  return MeterSeries(std::move(readings), contract.meter.reading_s);
}

}  // namespace wattfill
