// The CSV files of a timeline scenario: series, traces of jobs, actions.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "scenario/instant.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/text_file.hpp"
#include "wattfill/scenario/timeline_builder.hpp"

namespace wattfill {
namespace {

/// Times of a column, in seconds of the run: numbers are, absolute times are counted from the start.
class TimeColumn {
 public:
  TimeColumn(CsvTable const& table, std::string const& name, bool absolute, StartTime start, std::optional<double> offset_s)
      : table_(table), column_(table.column(name)), absolute_(absolute), start_(start), offset_s_(offset_s) {}

  double at(std::size_t row) const {
    if (!absolute_) return table_.number(row, column_);
    bool lacks_offset = false;
    auto const& text = table_.text(row, column_);
    auto const instant = spelled_instant(text, offset_s_, lacks_offset);
    auto const refuse = [&](std::string what) { throw InputError(Problem{table_.at(row, column_), table_.header()[column_], std::move(what)}); };
    if (lacks_offset)
      refuse("the time " + quotation(text) +
             " has no UTC offset (it could be any of 24 instants); write it like 2025-05-01T16:10:00-07:00, or give utc_offset");
    if (!instant) refuse(quotation(text) + " is not a time; write it like 2025-05-01T16:10:00-07:00");
    if (!start_) refuse("this file has times of the calendar, and the scenario does not say what time 0 is; add start: " + quotation(text) + ", say");
    return *instant - *start_;
  }

 private:
  CsvTable const& table_;
  std::size_t column_;
  bool absolute_;
  StartTime start_;
  std::optional<double> offset_s_;
};

/// Whether the first cell spells a number: then the column counts seconds.
bool counts_seconds(CsvTable const& table, std::size_t column) { return table.rows() == 0 || spelled_number(table.text(0, column)).has_value(); }

/// Carries out what may throw InputErrors with places of their own.
void collect(Reading& reading, auto act) {
  try {
    act();
  } catch (InputError const& error) {
    reading.problems.insert(reading.problems.end(), error.problems().begin(), error.problems().end());
  }
}

template <class T>
T const* named(std::vector<Named<T>> const& entries, std::string const& name) {
  auto const found = std::ranges::find(entries, name, &Named<T>::name);
  return found == entries.end() ? nullptr : &found->value;
}

}  // namespace

std::filesystem::path InputFiles::take(Placed<std::string> const& name) {
  auto file = folder / name.value;
  if (auto const refused = reach.refusal(name, file)) throw InputError(*refused);
  if (std::ranges::find(read, file) == read.end()) read.push_back(file);
  return file;
}

std::vector<SeriesStep> read_series(SeriesFields const& fields, std::string const& usual_column, StartTime start, InputFiles& files, Reading& reading) {
  std::vector<SeriesStep> steps;
  std::optional<double> offset;
  if (fields.utc_offset && !(offset = spelled_offset(*fields.utc_offset)))
    reading.refuse({fields.place.at, joined_key(fields.place.key, "utc_offset")},
                   quotation(*fields.utc_offset) + " is not a UTC offset; write it like -07:00 or Z");
  if (fields.every_s && (fields.time_column || fields.utc_offset)) {
    reading.refuse({fields.place.at, joined_key(fields.place.key, "every_s")},
                   "every_s says that there is no column of times, and time_column or utc_offset that there is one; remove one of them");
    return steps;
  }
  if (fields.every_s) {
    collect(reading, [&] {
      auto const table = CsvTable::read(files.take(fields.file));
      auto const value = table.column(fields.column.value_or(usual_column));
      if (table.rows() == 0) reading.refuse(fields.file.place, fields.file.value + " has no rows (there is no series in it); add some");
      for (std::size_t row = 0; row < table.rows(); ++row) steps.push_back({static_cast<double>(row) * *fields.every_s, table.number(row, value)});
    });
    return steps;
  }
  collect(reading, [&] {
    auto const table = CsvTable::read(files.take(fields.file));
    auto const name = fields.time_column.value_or(table.find("time_s") ? "time_s" : "time");
    auto const value = table.column(fields.column.value_or(usual_column));
    TimeColumn const times(table, name, !counts_seconds(table, table.column(name)), start, offset);
    if (table.rows() == 0) reading.refuse(fields.file.place, fields.file.value + " has no rows (there is no series in it); add some");
    double last = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      auto const t = times.at(row);
      if (row > 0 && !(t > last)) {
        reading.refuse(table.at(row, table.column(name)), name,
                       "this time is not after that of the row above (which of them holds is not clear); sort the rows, each time once");
        return;
      }
      last = t;
      if (t <= 0 && !steps.empty()) steps.clear();  // only the last value before the run matters
      steps.push_back({t, table.number(row, value)});
    }
  });
  return steps;
}

std::vector<TimelineJob> read_trace(TraceFields const& fields, Pool const& pool, StartTime start, InputFiles& files, Reading& reading) {
  static std::vector<std::string> const known{"id",         "curve",           "gpus",     "submit_s",  "submit",    "work_s",
                                              "deadline_s", "mean_speed_loss", "priority", "min_speed", "flex_tier", "estimate_s"};
  static constexpr double tier_speeds[] = {1.0, 0.9, 0.75, 0.5};
  std::vector<TimelineJob> jobs;
  for (auto const& entry : fields.columns)
    if (std::ranges::find(known, entry.name) == known.end())
      reading.refuse(entry.place, "there is no column of this name to be renamed" + suggestion(entry.name, known));
  std::map<std::string, Curve const*> curves;
  for (auto const& entry : fields.curves) curves[entry.name] = listed_curve(entry.value, pool, reading);
  if (!reading.problems.empty()) return jobs;
  collect(reading, [&] {
    auto const table = CsvTable::read(files.take(fields.file));
    std::set<std::size_t> used;
    auto const find = [&](std::string const& name) {
      auto const* const theirs = named(fields.columns, name);
      auto const column = theirs != nullptr ? std::optional(table.column(*theirs)) : table.find(name);
      if (column) used.insert(*column);
      return column;
    };
    auto const need = [&](std::string const& name) {
      auto const column = find(name);
      return column ? *column : table.column(name);
    };
    auto const curve = need("curve");
    auto const submit = find("submit");
    auto const submit_name = submit ? table.header()[*submit] : table.header()[need("submit_s")];
    TimeColumn const times(table, submit_name, submit.has_value(), start, std::nullopt);
    auto const work = fields.work_s.empty() ? std::optional(need("work_s")) : std::nullopt;
    auto const id = find("id"), gpus = find("gpus"), deadline = find("deadline_s"), loss = find("mean_speed_loss"), priority = find("priority"),
               min_speed = find("min_speed"), tier = find("flex_tier"), estimate = find("estimate_s");
    for (std::size_t c = 0; c < table.header().size(); ++c)
      if (!used.contains(c)) files.notes.push_back(table.file() + ": the column " + table.header()[c] + " is not used");
    auto const number = [&](std::size_t row, std::size_t column, Range range) {
      auto const x = table.number(row, column);
      if (!range.holds(x))
        throw InputError(Problem{table.at(row, column), table.header()[column], number_text(x) + " is not possible (" + range.text() + "); change it"});
      return x;
    };
    if (table.rows() == 0) files.notes.push_back(table.file() + ": there are no jobs in it");
    for (std::size_t row = 0; row < table.rows(); ++row) {
      TimelineJob job;
      job.id = id ? table.text(row, *id) : "row-" + std::to_string(row + 2);
      auto const& what = table.text(row, curve);
      auto const known_curve = curves.find(what);
      job.curve = known_curve != curves.end() ? known_curve->second : nullptr;
      if (job.curve == nullptr) {
        auto const before = reading.problems.size();
        job.curve = listed_curve({what, {table.at(row, curve), table.header()[curve]}}, pool, reading);
        if (reading.problems.size() - before > 0 && reading.problems.size() >= InputError::max_problems) return;
        curves[what] = job.curve;
        if (job.curve == nullptr) continue;
      }
      job.gpus = gpus ? number(row, *gpus, above(0)) : job.curve->gpus;
      job.submit_s = times.at(row);
      if (!(job.submit_s >= 0))
        throw InputError(Problem{table.at(row, table.column(submit_name)), submit_name,
                                 "the job is submitted before time 0 (the run begins there); move start, or leave it out"});
      if (work) {
        job.work_s = number(row, *work, from(0));
      } else if (auto const* const seconds = named(fields.work_s, what)) {
        job.work_s = *seconds;
      } else {
        throw InputError(
            Problem{table.at(row, curve), table.header()[curve], "work_s of the scenario does not say how much work " + quotation(what) + " is; add it"});
      }
      if (deadline) job.deadline_s = number(row, *deadline, from(0));
      if (loss) job.mean_loss = number(row, *loss, between(0, 1));
      if (priority) job.terms.priority = number(row, *priority, from(0));
      if (min_speed) job.terms.min_speed = number(row, *min_speed, between(0, 1));
      if (tier) job.terms.min_speed = std::max(job.terms.min_speed, tier_speeds[static_cast<std::size_t>(number(row, *tier, between(0, 3)))]);
      if (estimate) job.estimate_s = number(row, *estimate, from(0));
      jobs.push_back(std::move(job));
    }
  });
  return jobs;
}

std::vector<ActionSpec> read_actions(Placed<std::string> const& file, std::vector<TimelineJob> const& jobs, StartTime start, InputFiles& files,
                                     Reading& reading) {
  static std::vector<std::string> const kinds{"cap", "pause", "resume", "resize"};
  std::vector<ActionSpec> actions;
  std::map<std::string, TimelineJob const*> by_id;
  std::vector<std::string> ids;
  for (auto const& job : jobs) {
    by_id[job.id] = &job;
    if (ids.size() < 1000) ids.push_back(job.id);
  }
  collect(reading, [&] {
    auto const table = CsvTable::read(files.take(file));
    auto const name = table.find("time_s") ? "time_s" : "time";
    TimeColumn const times(table, name, !counts_seconds(table, table.column(name)), start, std::nullopt);
    auto const job = table.column("job"), action = table.column("action"), value = table.column("value");
    std::vector<Problem> problems;
    auto const refuse = [&](std::size_t row, std::size_t column, std::string what) {
      problems.push_back({table.at(row, column), table.header()[column], std::move(what)});
    };
    for (std::size_t row = 0; row < table.rows(); ++row) {
      auto const kind = std::ranges::find(kinds, table.text(row, action));
      auto const known = by_id.find(table.text(row, job));
      if (kind == kinds.end()) refuse(row, action, quotation(table.text(row, action)) + " is not an action" + suggestion(table.text(row, action), kinds));
      if (known == by_id.end()) refuse(row, job, "there is no job " + quotation(table.text(row, job)) + suggestion(table.text(row, job), ids));
      if (kind == kinds.end() || known == by_id.end()) continue;
      ActionSpec spec{static_cast<ActionSpec::Kind>(kind - kinds.begin()), times.at(row), table.text(row, job), 0};
      if (spec.kind == ActionSpec::Kind::cap || spec.kind == ActionSpec::Kind::resize) spec.value = table.number(row, value);
      auto const caps = known->second->curve->curve.caps();
      if (spec.kind == ActionSpec::Kind::cap && !(caps.front() <= spec.value && spec.value <= caps.back()))
        refuse(row, value,
               "a cap of " + number_text(spec.value) + " W is not among what the curve was measured at (" + number_text(caps.front()) + " to " +
                   number_text(caps.back()) + " W: nothing is known beyond); choose one in that range");
      if (spec.kind == ActionSpec::Kind::resize && !(spec.value > 0))
        refuse(row, value, "a job cannot have " + number_text(spec.value) + " GPUs; pause it instead");
      if (!(spec.time_s >= 0)) refuse(row, table.column(name), "the action comes before time 0, when the run begins; move it or start");
      actions.push_back(std::move(spec));
    }
    if (!problems.empty()) throw InputError(std::move(problems));
  });
  return actions;
}

std::vector<LimitStep> build_limit(LimitFields const& fields, StartTime start, InputFiles& files, Reading& reading) {
  std::vector<LimitStep> limit;
  if (fields.random && !fields.steps && !fields.ramps && !fields.series) return limit;  // drawn for each replication
  if (fields.random || fields.steps.has_value() + fields.ramps.has_value() + fields.series.has_value() != 1) {
    reading.refuse(fields.place, "one of steps, ramps, series and random must say what the limit is, and one alone; add or remove");
    return limit;
  }
  if (fields.series) {
    for (auto const& step : read_series(*fields.series, "limit_w", start, files, reading)) {
      if (!(step.value >= 0)) {
        reading.refuse(fields.series->file.place, "the limit at " + number_text(step.time_s) + " s is below 0; correct the file");
        break;
      }
      limit.push_back({step.time_s, step.value});
    }
    return limit;
  }
  auto const& points = fields.steps ? *fields.steps : *fields.ramps;
  for (std::size_t i = 1; i < points.value.size(); ++i)
    if (!(points.value[i][0] > points.value[i - 1][0])) {
      reading.refuse(points.place, "the times do not ascend at entry " + std::to_string(i) + " (which of them holds is not clear); sort them, each once");
      return limit;
    }
  for (std::size_t i = 0; i < points.value.size(); ++i) {
    auto const t = points.value[i][0], w = points.value[i][1];
    if (fields.steps || i + 1 == points.value.size()) {
      limit.push_back({t, w});
      continue;
    }
    auto const t2 = points.value[i + 1][0], w2 = points.value[i + 1][1];
    auto const steps = std::ceil((t2 - t) / fields.ramp_step_s);
    if (static_cast<double>(limit.size()) + steps > 10e6) {
      reading.refuse(points.place, "the ramps have more than ten million steps; make ramp_step_s larger");
      return limit;
    }
    auto const at = [&](double k) { return k >= steps ? w2 : w + k * fields.ramp_step_s / (t2 - t) * (w2 - w); };
    for (double k = 0; k < steps; ++k) {
      auto const lower = std::min(at(k), at(k + 1));
      if (limit.empty() || limit.back().limit_w != lower) limit.push_back({t + k * fields.ramp_step_s, lower});
    }
  }
  return limit;
}

}  // namespace wattfill
