#include "cli/report_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "wattfill/core/sha256.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/scenario/document.hpp"
#include "wattfill/scenario/library_file.hpp"
#include "wattfill/scenario/result_reader.hpp"
#include "wattfill/study/gap_closed.hpp"

namespace wattfill::cli {
namespace {

namespace fs = std::filesystem;
using Cells = std::vector<std::string>;

constexpr std::size_t most_power = 3000, most_events = 3000, most_jobs = 400, most_mixes = 20'000, most_rows = 5000;

bool is_text_column(std::string const& name) {
  static std::set<std::string> const texts{"mix",         "policy", "job",     "event",         "library", "curve",    "architecture", "task",
                                           "metric",      "status", "problem", "baseline_rule", "plan",    "stage",    "system",       "profile",
                                           "instruction", "method", "name",    "start",         "end",     "component"};
  return texts.contains(name);
}

std::string scalar(Node const& node, std::string_view key) {
  auto const* const value = node.kind == Node::Kind::map ? node.find(key) : nullptr;
  return value != nullptr && value->kind == Node::Kind::scalar ? value->text : std::string();
}

std::vector<std::string> texts(Node const& node, std::string_view key) {
  std::vector<std::string> all;
  if (auto const* const value = node.kind == Node::Kind::map ? node.find(key) : nullptr)
    for (auto const& member : value->members) all.push_back(member.value.text);
  return all;
}

PageTable read_table(fs::path const& file, std::string name) {
  PageTable table{std::move(name), {}, {}, {}};
  for_each_row(
      file,
      [&](std::span<std::string_view const> header) {
        for (auto const& column : header) {
          table.columns.emplace_back(column);
          table.text.push_back(is_text_column(table.columns.back()));
        }
      },
      [&](std::span<std::string_view const> cells) { table.rows.emplace_back(cells.begin(), cells.end()); });
  return table;
}

/// Takes away columns without a single value.
void drop_empty_columns(PageTable& table) {
  for (std::size_t c = table.columns.size(); c-- > 0;) {
    if (std::ranges::any_of(table.rows, [&](Cells const& row) { return !row[c].empty(); })) continue;
    auto const at = static_cast<std::ptrdiff_t>(c);
    if (table.columns[c] == "cut" || table.columns[c] == "target_w") continue;
    table.columns.erase(table.columns.begin() + at);
    table.text.erase(table.text.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
}

std::size_t column_of(PageTable const& table, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(table.columns, name) - table.columns.begin());
}

/// Rows of each run: those whose cells before `first` (but the replication) are the same.
std::map<Cells, std::vector<std::size_t>> runs(PageTable const& table, std::string_view first) {
  std::map<Cells, std::vector<std::size_t>> found;
  auto const end = static_cast<std::ptrdiff_t>(column_of(table, first));
  for (std::size_t r = 0; r < table.rows.size(); ++r) found[Cells(table.rows[r].begin(), table.rows[r].begin() + end)].push_back(r);
  return found;
}

/// Keeps the rows at the given places, in order.
void keep(PageTable& table, std::vector<std::size_t> places) {
  std::ranges::sort(places);
  std::vector<Cells> rows;
  for (auto place : places) rows.push_back(std::move(table.rows[place]));
  table.rows = std::move(rows);
}

/// At most most_power rows a run: of each stretch the rows with the lowest and the highest draw, so that no peak is lost.
void thin_power(PageTable& table, ReportPage& page) {
  auto const gpu = column_of(table, "gpu_w");
  std::vector<std::size_t> places;
  std::size_t const before = table.rows.size();
  for (auto const& [run, rows] : runs(table, "time_s")) {
    if (rows.size() <= most_power) {
      places.insert(places.end(), rows.begin(), rows.end());
      continue;
    }
    auto const stretch = (rows.size() + most_power / 2 - 1) / (most_power / 2);
    for (std::size_t from = 0; from < rows.size(); from += stretch) {
      auto low = rows[from], high = rows[from];
      for (std::size_t i = from; i < std::min(from + stretch, rows.size()); ++i) {
        auto const value = result_number(table.rows[rows[i]][gpu], "power.csv");
        if (value < result_number(table.rows[low][gpu], "power.csv")) low = rows[i];
        if (value > result_number(table.rows[high][gpu], "power.csv")) high = rows[i];
      }
      places.push_back(low);
      if (high != low) places.push_back(high);
    }
  }
  if (places.size() < before)
    page.notes.push_back("Power over time is thinned to " + std::to_string(places.size()) + " of " + std::to_string(before) +
                         " rows: the lowest and the highest draw of each stretch are kept.");
  keep(table, std::move(places));
}

void bound(PageTable& table, std::string_view first, std::size_t most, std::string const& what, ReportPage& page) {
  std::vector<std::size_t> places;
  auto const before = table.rows.size();
  for (auto const& [run, rows] : runs(table, first))
    places.insert(places.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), most)));
  if (places.size() < before)
    page.notes.push_back("Of " + std::to_string(before) + " " + what + " the first " + std::to_string(most) + " of each run are shown.");
  keep(table, std::move(places));
}

/// Quantiles over the mixes of what people ask for, and of the difference to the reference policy on the same mix.
void add_distributions(ResultInfo const& result, ReportPage& page) {
  constexpr std::array metrics{"speed_gpu", "objective_value", "speed_p5"};
  constexpr std::array<double, 7> shares{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
  auto const file = result.folder / "replications.csv";
  std::vector<std::size_t> keys, columns;
  Cells names;
  std::size_t policy = 0;
  std::map<Cells, std::size_t> place;
  std::vector<Cells> order;
  std::vector<std::array<std::vector<double>, metrics.size()>> values;
  bool cut_short = false;
  for_each_row(
      file,
      [&](std::span<std::string_view const> header) {
        auto const find = [&](std::string_view name) { return static_cast<std::size_t>(std::ranges::find(header, name) - header.begin()); };
        for (std::size_t c = 0; c <= find("target_w") && c < header.size(); ++c) {
          if (header[c] == "replication" || header[c] == "target_w") continue;
          if (header[c] == "policy") policy = keys.size();
          keys.push_back(c);
          names.emplace_back(header[c]);
        }
        for (auto const* metric : metrics) {
          columns.push_back(find(metric));
          if (columns.back() == header.size()) throw InputError({{file.string(), 1, 1}, metric, "this column is missing; run the scenario again"});
        }
      },
      [&](std::span<std::string_view const> cells) {
        Cells key;
        for (auto c : keys) key.emplace_back(cells[c]);
        auto const [at, is_new] = place.try_emplace(key, order.size());
        if (is_new) {
          order.push_back(std::move(key));
          values.emplace_back();
        }
        for (std::size_t m = 0; m < metrics.size(); ++m) {
          auto& of = values[at->second][m];
          if (of.size() < most_mixes)
            of.push_back(result_number(cells[columns[m]], file));
          else
            cut_short = true;
        }
      });
  if (cut_short) page.notes.push_back("The spread over mixes is of the first " + std::to_string(most_mixes) + " mixes.");
  PageTable table{"distributions", names, {}, {}};
  table.columns.insert(table.columns.end(), {"metric", "p1", "p5", "p25", "p50", "p75", "p95", "p99"});
  for (auto const& column : table.columns) table.text.push_back(is_text_column(column));
  auto const add = [&](Cells const& key, std::string const& metric, std::vector<double> of) {
    std::erase_if(of, [](double x) { return std::isnan(x); });
    if (of.size() < 2 || std::ranges::adjacent_find(of, std::ranges::not_equal_to()) == of.end()) return;
    auto row = key;
    row.push_back(metric);
    for (double share : shares) row.push_back(number_text(quantile(of, share)));
    table.rows.push_back(std::move(row));
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto other = order[i];
    other[policy] = page.reference;
    auto const reference = place.find(other);
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      add(order[i], metrics[m], values[i][m]);
      if (reference == place.end() || reference->second == i || values[reference->second][m].size() != values[i][m].size()) continue;
      auto difference = values[i][m];
      for (std::size_t r = 0; r < difference.size(); ++r) difference[r] -= values[reference->second][m][r];
      add(order[i], std::string(metrics[m]) + " less that of " + page.reference, std::move(difference));
    }
  }
  if (!table.rows.empty()) page.tables.push_back(std::move(table));
}

/// The points of the libraries that were read, from the files named in the manifest, if they are still what they were.
void add_curves(ReportPage& page) {
  PageTable table{"curves", {"library", "curve", "architecture", "task", "cap_w", "power_w", "speed", "power_share", "speed_share"}, {}, {}};
  for (auto const& column : table.columns) table.text.push_back(is_text_column(column));
  std::map<std::string, std::string> hashes(page.inputs.begin(), page.inputs.end());
  for (auto const& library : page.libraries) {
    auto const found = std::ranges::find_if(page.inputs, [&](auto const& input) { return fs::path(input.first).filename() == library.name + ".yaml"; });
    auto const points = found == page.inputs.end() ? fs::path() : fs::path(found->first).replace_extension(".csv");
    if (found == page.inputs.end() || sha256_of_file(found->first) != found->second || sha256_of_file(points) != hashes[points.string()]) {
      page.notes.push_back("The curves of " + library.name + " are not drawn: its files are no longer where, or what, they were.");
      continue;
    }
    for (auto const& c : read_library(found->first).library.curves)
      for (auto const& p : c.curve.points())
        table.rows.push_back({library.name, c.name, c.architecture, c.task, number_text(p.cap_w), number_text(p.power_w), number_text(p.speed),
                              number_text(p.power_w / c.curve.max_draw()), number_text(p.speed / c.curve.max_speed())});
  }
  if (!table.rows.empty()) page.tables.push_back(std::move(table));
}

void read_manifest(ResultInfo const& result, ReportPage& page) {
  auto const& m = result.manifest;
  page.name = result.name;
  page.kind = result.kind;
  page.version = result.version;
  page.seed = result.seed;
  page.sweep = result.sweep_columns;
  page.revision = scalar(m, "revision");
  page.finished_utc = scalar(m, "finished_utc");
  page.resolved = scalar(m, "resolved");
  for (auto const& word : texts(m, "command")) page.command += (page.command.empty() ? "" : " ") + word;
  page.study_notes = texts(m, "notes");
  if (auto const* const inputs = m.find("inputs"))
    for (auto const& input : inputs->members) page.inputs.emplace_back(scalar(input.value, "file"), scalar(input.value, "sha256"));
  if (auto const* const libraries = m.find("libraries"))
    for (auto const& l : libraries->members)
      page.libraries.push_back({scalar(l.value, "name"), scalar(l.value, "gpu"), scalar(l.value, "provenance"), scalar(l.value, "statistic"),
                                scalar(l.value, "citation"), scalar(l.value, "licence"), texts(l.value, "assumptions")});
  auto const resolved = parse_document(page.resolved, "manifest.json");
  page.objective = scalar(resolved, "objective");
  page.reference = scalar(resolved, "reference");
  page.subtitle = "A " + page.kind + " study" + (page.sweep.empty() ? "" : " with a sweep") + ", seed " + page.seed + ", by wattfill " + page.version + ".";
}

}  // namespace

ReportPage page_of(fs::path const& folder) {
  ReportPage page;
  std::error_code failed;
  std::vector<std::string> files;
  if (!fs::exists(folder / "manifest.json", failed) && fs::exists(folder / "settlement.csv", failed)) {  // of `wattfill contract`
    page.name = fs::absolute(folder, failed).lexically_normal().filename().string();
    if (page.name.empty()) page.name = folder.parent_path().filename().string();
    page.kind = "contract";
    page.subtitle = "A settlement by wattfill contract.";
    for (auto const* name : {"settled_events.csv", "settlement.csv"})
      if (fs::exists(folder / name, failed)) files.emplace_back(name);
  } else {
    auto const result = read_result_info(folder);
    read_manifest(result, page);
    files = result.outputs;
    if (result.kind == "snapshot" && result.has("replications.csv")) add_distributions(result, page);
    if (result.kind == "pipeline")
      page.libraries.clear();  // its own curve library, which has no file to read back by hash
    else
      add_curves(page);
  }
  for (auto const* name : {"summary", "power", "events", "jobs", "facility", "capacity", "settled_events", "settlement", "campaign", "savings", "frontier"}) {
    if (std::ranges::find(files, std::string(name) + ".csv") == files.end()) continue;
    if (page.kind == "pipeline" && std::string_view(name) == "power") continue;
    auto table = read_table(folder / (std::string(name) + ".csv"), name);
    if (table.name == "power")
      thin_power(table, page);
    else if (table.name == "events")
      bound(table, "time_s", most_events, "events", page);
    else if (table.name == "jobs")
      bound(table, "job", most_jobs, "jobs", page);
    else if (table.rows.size() > most_rows) {
      page.notes.push_back("Of the " + std::to_string(table.rows.size()) + " rows of " + table.name + ".csv the first " + std::to_string(most_rows) +
                           " are shown.");
      table.rows.resize(most_rows);
    }
    drop_empty_columns(table);
    page.tables.push_back(std::move(table));
  }
  return page;
}

}  // namespace wattfill::cli
