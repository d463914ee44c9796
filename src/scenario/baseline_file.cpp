#include "wattfill/scenario/baseline_file.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/document.hpp"
#include "wattfill/scenario/file_kind.hpp"
#include "wattfill/scenario/spec.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

/// "[a, b, c]" of texts in YAML, each quoted where it could be taken for something else.
std::string flow(std::vector<std::string> const& texts) {
  auto node = Node::list();
  for (auto const& text : texts) node.add(Node::quote(text));
  return to_flow(node);
}

double number_of(Node const& node, std::string const& key, Reading& reading) {
  if (node.kind == Node::Kind::null) return std::numeric_limits<double>::quiet_NaN();
  if (auto const value = node.kind == Node::Kind::scalar ? spelled_number(node.text) : std::nullopt) return *value;
  reading.refuse(node.at, key, described(node) + " is not a number; write the baseline anew with --update");
  return 0;
}

void read_record(Node const& node, std::string const& key, MetricRecord& into, Reading& reading) {
  if (node.kind != Node::Kind::list || node.members.size() != 6 || node.members[0].value.kind != Node::Kind::list ||
      node.members[5].value.kind != Node::Kind::list || node.members[1].value.kind != Node::Kind::scalar || node.members[4].value.kind != Node::Kind::scalar)
    return reading.refuse(node.at, key, "is not [[key cells], metric, count, mean, digest, [batch means]]; write the baseline anew with --update");
  for (auto const& cell : node.members[0].value.members) into.key.push_back(cell.value.text);
  into.metric = node.members[1].value.text;
  auto const count = number_of(node.members[2].value, joined_key(key, "2"), reading);
  if (!(count >= 0 && count <= 9e15)) return reading.refuse(node.members[2].value.at, joined_key(key, "2"), "is not a number of replications; use --update");
  into.count = static_cast<std::uint64_t>(count);
  into.mean = number_of(node.members[3].value, joined_key(key, "3"), reading);
  into.digest = node.members[4].value.text;
  for (auto const& mean : node.members[5].value.members) into.batches.push_back(number_of(mean.value, joined_key(key, "5"), reading));
}

Format<StoredBaseline> make_baseline_format() {
  using B = StoredBaseline;
  using T = Tolerance;
  auto const tolerance = table<T>("Tolerance", "how far a metric may move; nothing given: not by one bit",
                                  {field("absolute", &T::absolute, number(from(0)), "this far, in the metric's unit", "10"),
                                   field("relative", &T::relative, number(from(0)), "this share of the baseline, added to absolute", "1e-6"),
                                   field("significance", &T::significance, number(Range{0, 1, true}),
                                         "only paired differences that are significant count; chance of a false alarm in all rows of the metric", "0.01")});
  Format<MetricRecord> record;
  record.type = "list";
  record.reads(read_record);
  record.echoes([](MetricRecord const&) { return Node(); });
  record.schema = Node::map().add("type", Node::quote("array")).add("minItems", Node::plain("6")).add("maxItems", Node::plain("6"));
  return table<B>("Baseline", "what a study gave when it was last agreed to",
                  {field("wattfill", &B::wattfill, integer(1, format_version), "version of this format", "1").required(),
                   field("kind", &B::kind, choice<std::string>({{"baseline", "baseline", ""}}), "what this file is", "baseline").required(),
                   field("name", &B::name, text(), "the study's name", "paper").required(),
                   field("version", &B::version, text_or_nothing(), "version of the program that gave it", "0.1.0"),
                   field("seed", &B::seed, text_or_nothing(), "the study's seed", "\"2609\""),
                   field("tolerance", &B::tolerance, map_of(tolerance), "by metric: how far it may move; metrics that are not listed are not compared",
                         "{speed: {relative: 1e-6}}")
                       .required(),
                   field("rows", &B::records, list_of(record, 0, 200'000),
                         "key cells, metric, replications, mean, digest of the values, means of the batches (where significance is given)",
                         "[[[random, oracle, \"0.1\"], speed, 500, 1.5, \"9f86d081884c7d65\", []]]")});
}

/// Where the rows of a kind of study are, and what is compared if nobody says.
struct Layout {
  std::string file, first_metric;
  std::vector<std::string> usual;
};

Layout layout_of(ResultInfo const& result) {
  if (result.kind == "snapshot") return {"replications.csv", "target_w", {"power_w", "speed_gpu", "speed_p5", "objective_value"}};
  if (result.kind == "timeline")
    return {"replications.csv", "finished", {"end_s", "energy_j", "slowdown_mean", "slowdown_worst", "over_limit_j", "delivered_j", "peak_w"}};
  if (result.kind == "campaign") return {"campaign.csv", "gpus", {"days", "mwh", "usd", "t_co2"}};
  throw InputError(
      {{(result.folder / "manifest.json").string()}, "kind", "\"" + result.kind + "\" has no baseline; snapshot, timeline and campaign studies have"});
}

}  // namespace

std::vector<MetricTolerance> StoredBaseline::tolerances() const {
  std::vector<MetricTolerance> all;
  for (auto const& entry : tolerance) all.push_back({entry.name, entry.value});
  return all;
}

Format<StoredBaseline> const& baseline_format() {
  static auto const format = make_baseline_format();
  return format;
}

namespace {

/// A row that stands twice would be held against one of the results', and the other be missed.
void refuse_doubled(Node const& document, StoredBaseline const& baseline, Reading& reading) {
  auto const* const rows = document.find("rows");
  std::set<std::pair<std::string, std::vector<std::string>>> known;
  for (std::size_t i = 0; i < baseline.records.size(); ++i)
    if (auto const& record = baseline.records[i]; !known.insert({record.metric, record.key}).second)
      reading.refuse(rows->members[i].value.at, "rows." + std::to_string(i),
                     "these key cells stand twice with " + quotation(record.metric) + " (which of the two holds is not clear); remove one");
}

StoredBaseline baseline_of(Node document, std::vector<std::string> const& sets) {
  for (auto const& assignment : sets) set_value(document, assignment);
  refuse_newer(document, "baseline");
  refuse_other_kinds(document, {"baseline"});
  StoredBaseline baseline;
  Reading reading;
  baseline_format().read(document, "", baseline, reading);
  reading.finish();
  refuse_doubled(document, baseline, reading);
  reading.finish();
  return baseline;
}

DocumentLimits limits() {
  DocumentLimits wide;
  wide.nodes = 8'000'000;
  wide.bytes = std::size_t{128} << 20;
  return wide;
}

}  // namespace

StoredBaseline read_baseline(std::filesystem::path const& file, std::vector<std::string> const& sets) {
  return baseline_of(read_document(file, limits()), sets);
}

StoredBaseline with_sets(StoredBaseline const& baseline, std::vector<std::string> const& sets) {
  return baseline_of(parse_document(baseline_text(baseline), "baseline", limits()), sets);
}

void check_significance(StoredBaseline const& baseline, std::string const& file) {
  for (auto const& entry : baseline.tolerance)
    for (auto const& record : baseline.records)
      if (entry.value.significance && record.metric == entry.name && record.count > 1 && record.batches.empty())
        throw InputError(
            Problem{{file},
                    "tolerance." + entry.name + ".significance",
                    "the baseline has no means of batches of this metric (differences cannot be tested without); write it anew, from results that you agree "
                    "to, with --update --set tolerance." +
                        entry.name + ".significance=" + number_text(*entry.value.significance)});
}

std::string baseline_text(StoredBaseline const& b) {
  std::string text =
      "# Written by `wattfill regress DIR --baseline FILE --update`. Tolerances may be edited; absolute, relative, significance: see scenarios/README.md.\n";
  text += "wattfill: 1\nkind: baseline\nname: " + to_flow(Node::quote(b.name)) + "\nversion: " + to_flow(Node::quote(b.version)) +
          "\nseed: " + to_flow(Node::quote(b.seed)) + "\ntolerance:\n";
  for (auto const& entry : b.tolerance) {
    std::string inner;
    auto const add = [&](char const* key, std::optional<double> const& value) {
      if (value) inner += (inner.empty() ? "" : ", ") + std::string(key) + ": " + number_text(*value);
    };
    add("absolute", entry.value.absolute);
    add("relative", entry.value.relative);
    add("significance", entry.value.significance);
    text += "  " + entry.name + ": {" + inner + "}\n";
  }
  text +=
      "# [key cells], metric, replications, mean, digest of every replication's value, means of batches where significance is tested (replication i is in "
      "batch i mod 20)\nrows:\n";
  auto const number = [](double x) { return std::isnan(x) ? std::string("null") : std::isinf(x) ? std::string(x > 0 ? ".inf" : "-.inf") : number_text(x); };
  for (auto const& r : b.records) {
    text += "  - [" + flow(r.key) + ", " + r.metric + ", " + std::to_string(r.count) + ", " + number(r.mean) + ", \"" + r.digest + "\", [";
    auto const tolerance = std::ranges::find(b.tolerance, r.metric, &Named<Tolerance>::name);
    if (tolerance != b.tolerance.end() && tolerance->value.significance)  // else nothing is tested, and the file stays small
      for (std::size_t i = 0; i < r.batches.size(); ++i) text += (i == 0 ? "" : ", ") + number(r.batches[i]);
    text += "]]\n";
  }
  if (b.records.empty()) text.replace(text.size() - 1, 1, " []\n");
  return text;
}

std::vector<MetricRecord> records_of(ResultInfo const& result, std::vector<std::string> metrics) {
  auto const layout = layout_of(result);
  auto const file = result.folder / layout.file;
  if (!result.has(layout.file))
    throw InputError({{result.folder.string()}, "", "there is no " + layout.file + " (the run wrote a summary alone); run it again without --rows summary"});
  if (metrics.empty()) metrics = layout.usual;
  std::vector<std::size_t> keys, columns;
  std::map<std::vector<std::string>, std::size_t> place;
  std::vector<std::vector<std::string>> order;
  std::vector<std::vector<MetricRecorder>> recorders;
  std::vector<std::string> key;
  for_each_row(
      file,
      [&](std::span<std::string_view const> header) {
        auto const first = static_cast<std::size_t>(std::ranges::find(header, layout.first_metric) - header.begin());
        if (first == header.size()) throw InputError({{file.string(), 1, 1}, "", "there is no column " + layout.first_metric + "; run the scenario again"});
        for (std::size_t c = 0; c < first; ++c)
          if (header[c] != "replication") keys.push_back(c);
        std::vector<std::string> const names(header.begin() + static_cast<std::ptrdiff_t>(first), header.end());
        for (auto const& metric : metrics) {
          auto const at = static_cast<std::size_t>(std::ranges::find(names, metric) - names.begin());
          if (at == names.size()) throw InputError({{file.string(), 1, 1}, metric, "is not a metric of this file" + suggestion(metric, names)});
          columns.push_back(first + at);
        }
      },
      [&](std::span<std::string_view const> cells) {
        key.assign(keys.size(), {});
        for (std::size_t k = 0; k < keys.size(); ++k) key[k] = cells[keys[k]];
        auto const [at, is_new] = place.try_emplace(key, order.size());
        if (is_new) {
          order.push_back(key);
          recorders.emplace_back(columns.size());
        }
        for (std::size_t m = 0; m < columns.size(); ++m) recorders[at->second][m].add(cells[columns[m]], result_number(cells[columns[m]], file));
      });
  std::vector<MetricRecord> records;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t m = 0; m < columns.size(); ++m) records.push_back(recorders[i][m].record(order[i], metrics[m]));
  return records;
}

}  // namespace wattfill
