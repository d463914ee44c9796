#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "cli/command.hpp"
#include "cli/job_figures.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/output_file.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/flexibility/cross_validation.hpp"
#include "wattfill/flexibility/feature.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/node.hpp"
#include "wattfill/scenario/predictor_file.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill::cli {
namespace {

/// The rows of a telemetry table that can be used.
struct Table {
  std::vector<std::string> names, clusters;  ///< clusters: empty if no column was named
  std::vector<FeatureColumn> features;
  std::vector<double> target;  ///< empty where there is no such column and none is needed
  std::vector<std::string> notes;

  std::vector<double> row(std::size_t i) const {
    std::vector<double> values;
    for (auto const& f : features) values.push_back(f.values[i]);
    return values;
  }
};

bool is_empty(std::string const& text) { return text.find_first_not_of(" \t") == std::string::npos; }

std::vector<std::string> split(std::string const& text) {
  std::vector<std::string> parts{""};
  for (char const c : text)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// A row's name: columns that usually carry one, else its line.
std::string name_of(CsvTable const& table, std::size_t row) {
  for (auto const* column : {"name", "workload", "job", "curve"})
    if (auto const found = table.find(column)) return table.text(row, *found);
  return "line " + std::to_string(table.at(row, 0).line);
}

/// Columns of a feature. A column that is called "a/b" itself is meant before a ratio of columns a and b.
Feature feature_of(CsvTable const& table, std::string const& text) {
  if (table.find(text)) return {text, Feature::Form::plain, text, {}};
  auto feature = parse_feature(text);
  for (auto const* column : {&feature.first, &feature.second})
    if (!column->empty() && !table.find(*column))
      throw InputError(
          {{table.file(), 1, 1}, *column, "there is no column of this name (feature " + text + ")" + suggestion(*column, table.header(), "the columns are")});
  return feature;
}

void add_feature(CsvTable const& csv, std::vector<std::size_t> const& rows, std::string const& text, Table& table) {
  auto const feature = feature_of(csv, text);
  FeatureColumn column{feature.name, {}};
  auto const first = csv.column(feature.first), second = feature.second.empty() ? first : csv.column(feature.second);
  std::vector<std::string> empty, infinite;
  for (auto const row : rows) {
    if (is_empty(csv.text(row, first)) || is_empty(csv.text(row, second))) {
      empty.push_back(name_of(csv, row));
      continue;
    }
    column.values.push_back(feature.value(csv.number(row, first), csv.number(row, second)));
    if (!std::isfinite(column.values.back())) infinite.push_back(name_of(csv, row));
  }
  if (!empty.empty())
    throw InputError({{csv.file()},
                      feature.name,
                      "this feature is missing for " + std::to_string(empty.size()) + " of " + std::to_string(rows.size()) + " rows (" + listed(empty) +
                          "); leave the feature out, or those rows"});
  if (!infinite.empty())
    throw InputError({{csv.file()},
                      feature.name,
                      "this feature has no finite value for " + listed(infinite) + " (a division by zero); leave the feature out, or those rows"});
  table.features.push_back(std::move(column));
}

enum class TargetIs { needed, welcome };

Table read_table(std::string const& file, std::string const& target, TargetIs need, std::vector<std::string> const& features,
                 std::optional<std::string> const& cluster) {
  auto const csv = CsvTable::read(file);
  Table table;
  std::vector<std::size_t> rows;
  auto const target_column = need == TargetIs::needed ? std::optional(csv.column(target)) : csv.find(target);
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    if (target_column && is_empty(csv.text(row, *target_column))) {
      table.notes.push_back("left out " + name_of(csv, row) + ": it has no finite " + target);
      continue;
    }
    rows.push_back(row);
    table.names.push_back(name_of(csv, row));
    if (target_column) table.target.push_back(csv.number(row, *target_column));
    if (cluster) {
      std::string name;
      for (auto const& column : split(*cluster)) name += (name.empty() ? "" : " ") + csv.text(row, csv.column(column));
      table.clusters.push_back(name);
    }
  }
  for (auto const& text : features) add_feature(csv, rows, text, table);
  return table;
}

/// A validation, or why there is none.
struct Validation {
  std::string name;
  std::optional<CrossValidation> done;
  std::string why_not;
};

template <class Run>
Validation validation(std::string name, Run const& run) {
  try {
    auto done = run();
    return {std::move(name), std::move(done), {}};
  } catch (InputError const& error) {
    return {std::move(name), std::nullopt, error.what()};
  }
}

struct Result {
  SavedPredictor saved;
  std::vector<Validation> validations;  ///< in-sample first
  std::vector<PredictionInterval> intervals;
};

Result evaluate(Table const& table, SavedPredictor saved) {
  Result result{std::move(saved), {}, {}};
  CrossValidation in_sample;
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    in_sample.predicted.push_back(result.saved.model.predict(table.row(i)));
    result.intervals.push_back(prediction_interval(result.saved.model, result.saved.spread, table.row(i)));
  }
  if (!table.target.empty()) {
    in_sample.score = prediction_score(in_sample.predicted, table.target);
    result.validations.push_back({"in_sample", std::move(in_sample), {}});
  } else {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    in_sample.score = {none, none, none};
    result.validations.push_back({"in_sample", std::move(in_sample), {}});
  }
  return result;
}

void print_json(Table const& table, Result const& result) {
  auto all = Node::map();
  all.add("target", Node::quote(result.saved.target))
      .add("rows", Node::plain(std::to_string(table.names.size())))
      .add("intercept", Node::number(result.saved.model.intercept));
  auto coefficients = Node::map();
  for (std::size_t i = 0; i < result.saved.model.features.size(); ++i)
    coefficients.add(result.saved.model.features[i], Node::number(result.saved.model.coefficients[i]));
  all.add("coefficients", std::move(coefficients));
  for (auto const& v : result.validations) {
    auto score = Node::map();
    if (v.done)
      score.add("r2", Node::number(v.done->score.r2)).add("rmse", Node::number(v.done->score.rmse)).add("spearman", Node::number(v.done->score.spearman));
    else
      score.add("note", Node::quote(v.why_not));
    all.add(v.name, std::move(score));
  }
  auto rows = Node::list();
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    auto row = Node::map();
    row.add("name", Node::quote(table.names[i]));
    if (!table.target.empty()) row.add("target", Node::number(table.target[i]));
    for (auto const& v : result.validations)
      if (v.done) row.add(v.name == "in_sample" || v.name == "applied" ? "predicted" : "predicted_" + v.name, Node::number(v.done->predicted[i]));
    auto const limit = [](double value) { return std::isfinite(value) ? Node::plain(rounded_text(value)) : Node(); };
    row.add("low", limit(result.intervals[i].low)).add("high", limit(result.intervals[i].high));
    rows.add(std::move(row));
  }
  all.add("predictions", std::move(rows));
  auto notes = Node::list();
  for (auto const& note : table.notes) notes.add(Node::quote(note));
  if (!table.notes.empty()) all.add("notes", std::move(notes));
  std::fputs(to_json(all).c_str(), stdout);
}

void print_report(Table const& table, Result const& result) {
  std::printf("%s = %s", result.saved.target.c_str(), rounded_text(result.saved.model.intercept).c_str());
  for (std::size_t i = 0; i < result.saved.model.features.size(); ++i) {
    double const c = result.saved.model.coefficients[i];
    std::printf(" %c %s %s", c < 0 ? '-' : '+', rounded_text(std::fabs(c)).c_str(), result.saved.model.features[i].c_str());
  }
  std::printf("   (%zu rows)\n\n%-34s %10s", table.names.size(), "row", result.saved.target.c_str());
  for (auto const& v : result.validations)
    if (v.done) std::printf(" %10s", v.name.c_str());
  std::printf("   95 %% of new rows\n");
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    std::printf("%-34s %10s", table.names[i].c_str(), table.target.empty() ? "-" : rounded_text(table.target[i], 4).c_str());
    for (auto const& v : result.validations)
      if (v.done) std::printf(" %10s", rounded_text(v.done->predicted[i], 4).c_str());
    std::printf("   [%s, %s]\n", rounded_text(result.intervals[i].low, 3).c_str(), rounded_text(result.intervals[i].high, 3).c_str());
  }
  std::printf("\n%-12s %8s %8s %9s\n", "", "R2", "RMSE", "Spearman");
  for (auto const& v : result.validations)
    if (v.done)
      std::printf("%-12s %8s %8s %9s\n", v.name.c_str(), rounded_text(v.done->score.r2, 4).c_str(), rounded_text(v.done->score.rmse, 4).c_str(),
                  rounded_text(v.done->score.spearman, 3).c_str());
    else
      std::printf("%-12s none: %s\n", v.name.c_str(), v.why_not.c_str());
  for (auto const& note : table.notes) std::printf("note: %s\n", note.c_str());
}

}  // namespace

void predict_options(po::options_description& options) {
  options.add_options()("target", po::value<std::string>()->value_name("COLUMN"), "what to predict, e.g. pfi or loss_20; rows without it are left out");
  options.add_options()("features", po::value<std::string>()->value_name("F,F,..."), "columns, products a*b and ratios a/b, of the uncapped run");
  options.add_options()("cluster", po::value<std::string>()->value_name("COLUMN,..."), "leave these groups out one at a time (LOCO), e.g. architecture,task");
  options.add_options()("out", po::value<std::string>()->value_name("FILE"), "writes the model as YAML");
  options.add_options()("model", po::value<std::string>()->value_name("FILE"), "apply this saved model to the table instead of fitting one");
  options.add_options()("json", "as JSON");
}

int predict(std::vector<std::string> const& operands, po::variables_map const& given) {
  expect_operands(operands, 1, 1, "TELEMETRY.csv");
  auto const& file = operands.front();
  auto const text_of = [&](char const* option) {
    if (given.count(option) == 0) throw InputError({{}, "--" + std::string(option), "is missing; see wattfill predict --help"});
    return given[option].as<std::string>();
  };
  Table table;
  std::optional<Result> result;
  if (given.count("model") > 0) {
    for (auto const* option : {"target", "features", "cluster", "out"})
      if (given.count(option) > 0)
        throw InputError({{}, "--" + std::string(option), "says how to fit, --model applies what was fitted; leave one of them out"});
    auto saved = read_predictor(given["model"].as<std::string>());
    table = read_table(file, saved.target, TargetIs::welcome, saved.model.features, std::nullopt);
    if (table.names.empty()) throw InputError({{file}, {}, "there is no row to predict; add one"});
    result = evaluate(table, std::move(saved));
    result->validations.front().name = "applied";
  } else {
    auto const target = text_of("target");
    auto const cluster = given.count("cluster") > 0 ? std::optional(given["cluster"].as<std::string>()) : std::nullopt;
    table = read_table(file, target, TargetIs::needed, split(text_of("features")), cluster);
    auto fit = [&] {
      try {
        return fit_linear(table.features, table.target);
      } catch (InputError const& error) {
        throw InputError({{file}, {}, error.what()});
      }
    }();
    result = evaluate(table, {target, std::move(fit.model), std::move(fit.spread), fit.r2, fit.rmse, file});
    result->validations.push_back(validation("loo", [&] { return leave_one_out(table.features, table.target); }));
    if (cluster) result->validations.push_back(validation("loco", [&] { return leave_one_cluster_out(table.features, table.target, table.clusters); }));
    if (given.count("out") > 0) write_file(given["out"].as<std::string>(), predictor_text(result->saved));
  }
  if (given.count("json") > 0)
    print_json(table, *result);
  else
    print_report(table, *result);
  return 0;
}

}  // namespace wattfill::cli
