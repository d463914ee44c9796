#include "wattfill/scenario/scenario.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "scenario/input_file.hpp"
#include "scenario/samples.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/document.hpp"
#include "wattfill/scenario/file_kind.hpp"
#include "wattfill/scenario/snapshot_builder.hpp"
#include "wattfill/scenario/spec.hpp"
#include "wattfill/scenario/text_file.hpp"
#include "wattfill/scenario/timeline_builder.hpp"

namespace wattfill {
namespace {

/// What is being read: its keys, and what they mean.
struct SnapshotKind {
  using Fields = SnapshotFields;
  static Format<Fields> const& format() { return snapshot_format(); }
};
struct TimelineKind {
  using Fields = TimelineFields;
  static Format<Fields> const& format() { return timeline_format(); }
};

TimelineFields with_defaults(TimelineFields fields) { return fields; }

/// Writes the defaults of drawn mixes out, so that the echo says what is run.
SnapshotFields with_defaults(SnapshotFields fields) {
  for (auto& mix : fields.mixes) {
    auto& m = mix.value;
    if (!m.draw) continue;
    m.replications = m.replications.value_or(500);
    m.jobs = m.jobs.value_or(100);
    m.weighting = m.weighting.value_or(Weighting::arrivals);
  }
  return fields;
}

std::size_t count_points(std::vector<Named<std::vector<Node>>> const& sweep, std::size_t samples) {
  std::size_t count = samples;
  for (auto const& axis : sweep) {
    auto const head = axis.name.substr(0, axis.name.find('.'));
    for (auto const* fixed : {"wattfill", "name", "kind", "sweep", "samples"})
      if (head == fixed)
        throw InputError(
            Problem{axis.place.at, axis.place.key,
                    head + " is one for the whole study and cannot be swept; remove it from " + (axis.place.key.starts_with("samples") ? "samples" : "sweep")});
    count *= axis.value.size();
    if (count > most_sweep_points)
      throw InputError(Problem{axis.place.at, "sweep", "more than " + std::to_string(most_sweep_points) + " combinations; shorten the lists"});
  }
  return count;
}

/// Refuses axes that reach into each other (the one carried out last would undo the other) and values that stand twice.
void check_axes(std::vector<Named<std::vector<Node>>> const& sweep) {
  auto const steps = [](std::string const& path) {  // numbers of list entries without leading zeros
    std::vector<std::string> parts{""};
    for (char c : path) {
      if (c == '.')
        parts.emplace_back();
      else
        parts.back().push_back(c);
    }
    for (auto& part : parts)
      if (part.size() > 1 && part.find_first_not_of("0123456789") == std::string::npos) part.erase(0, std::min(part.find_first_not_of('0'), part.size() - 1));
    return parts;
  };
  for (auto const& axis : sweep) {
    auto const path = steps(axis.name);
    for (auto const& other : sweep) {
      auto const longer = steps(other.name);
      if (&other != &axis && path.size() <= longer.size() && std::equal(path.begin(), path.end(), longer.begin()))
        throw InputError(
            Problem{other.place.at, other.place.key,
                    "this key lies inside the swept key " + axis.name + " (one would undo what the other sets); sweep one of them, with whole values"});
    }
    std::set<std::string> seen;
    for (auto const& value : axis.value) {
      auto text = to_flow(value);
      double number = 0;  // 1, 1.0 and 1e0 are one value
      if (auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number); error == std::errc() && end == text.data() + text.size())
        text = number_text(number);
      if (!seen.insert(text).second)
        throw InputError(Problem{value.at, axis.place.key, "the value " + text + " stands twice (its rows could not be told apart); remove one"});
    }
  }
}

/// The document at one point of the sweep; the values chosen go to `values`.
Node at_point(Node document, std::vector<Named<std::vector<Node>>> const& sweep, std::size_t point, std::vector<std::string>& values) {
  values.resize(sweep.size());
  for (auto k = sweep.size(); k-- > 0;) {
    auto const& axis = sweep[k];
    auto const& value = axis.value[point % axis.value.size()];
    point /= axis.value.size();
    values[k] = value.kind == Node::Kind::scalar ? value.text : to_flow(value);
    set_value(document, axis.name, value, axis.place.at);
  }
  return document;
}

void build(SnapshotFields const& fields, LibraryShelf& shelf, InputFiles&, SweepPoint& point, Reading& reading) {
  point.study = build_study(fields, shelf, reading);
}
void build(TimelineFields const& fields, LibraryShelf& shelf, InputFiles& files, SweepPoint& point, Reading& reading) {
  point.timeline = build_timeline(fields, shelf, files, reading);
}

template <class Kind>
Scenario load(Node const& document, std::filesystem::path const& file, LoadOptions const& options) {
  auto const fields = read_fields(Kind::format(), document);
  auto axes = fields.sweep;
  auto const samples = fields.samples ? sample_values(*fields.samples, fields.seed) : std::vector<std::vector<Node>>(1);
  if (fields.samples)
    for (auto const& range : fields.samples->over) axes.push_back({range.name, {Node::plain("0")}, range.place});
  auto const count = count_points(axes, samples.size());
  check_axes(axes);
  Scenario scenario;
  scenario.name = fields.name;
  scenario.kind = fields.kind;
  scenario.resolved = to_yaml(Kind::format().echo(with_defaults(fields)));
  scenario.files.push_back(file);

  auto const folder = folder_of(file);
  auto const curves = curve_folders(options.curve_dirs, folder);
  auto reachable = curves;
  reachable.push_back(folder);
  FileReach const reach(reachable, options.outside);
  LibraryShelf shelf(curves, folder, reach);
  InputFiles inputs{folder, {}, {}, reach};
  for (auto const& axis : fields.sweep) scenario.sweep_columns.push_back(axis.name);
  if (fields.samples) scenario.sweep_columns.emplace_back("sample");
  if (fields.samples)
    for (auto const& range : fields.samples->over) scenario.sweep_columns.push_back(range.name);
  for (std::size_t i = 0; i < count; ++i) {
    auto& point = scenario.points.emplace_back();
    Reading reading;
    if (fields.sweep.empty() && !fields.samples) {
      build(fields, shelf, inputs, point, reading);
    } else {
      auto point_document = at_point(document, fields.sweep, i / samples.size(), point.values);
      if (fields.samples) {
        point.values.push_back(std::to_string(i % samples.size()));
        auto const& values = samples[i % samples.size()];
        for (std::size_t k = 0; k < values.size(); ++k) {
          point.values.push_back(values[k].text);
          set_value(point_document, fields.samples->over[k].name, values[k], fields.samples->over[k].place.at);
        }
      }
      build(read_fields(Kind::format(), point_document), shelf, inputs, point, reading);
    }
    reading.finish();
  }
  scenario.files.insert(scenario.files.end(), shelf.files().begin(), shelf.files().end());
  scenario.files.insert(scenario.files.end(), inputs.read.begin(), inputs.read.end());
  scenario.notes = shelf.notes();
  scenario.notes.insert(scenario.notes.end(), inputs.notes.begin(), inputs.notes.end());
  if (auto const& first = scenario.points.front().study; first.stop)
    for (auto const& mix : first.mixes)
      if (mix.listed.empty() && mix.replications <= first.stop->least)
        scenario.notes.push_back("stop: mix " + quotation(mix.name) + " has " + std::to_string(mix.replications) +
                                 " replications, no more than least: " + std::to_string(first.stop->least) + ", so that it never stops before its end");
  scenario.libraries = shelf.release();
  scenario.jobs = shelf.release_jobs();
  scenario.varied = shelf.release_varied();
  return scenario;
}

}  // namespace

Scenario load_scenario(std::filesystem::path const& file, LoadOptions const& options) {
  auto document = read_input(file, options.sets, "scenario", {"snapshot", "timeline"});
  if (options.seed) {
    auto value = Node::plain(std::to_string(*options.seed));
    value.at = {"--seed " + value.text, 0, 0};
    set_value(document, "seed", value, value.at);
  }
  return kind_of(document) == "timeline" ? load<TimelineKind>(document, file, options) : load<SnapshotKind>(document, file, options);
}

}  // namespace wattfill
