#include "wattfill/scenario/training_case.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/document.hpp"
#include "wattfill/training/cost_model.hpp"

namespace wattfill {
namespace {

constexpr double exact_integers = 9e15;

using Kind = std::pair<long long, std::string>;  // stage, instruction

long long whole(CsvTable const& table, std::size_t row, std::size_t column) {
  auto const value = table.number(row, column);
  if (value != std::floor(value) || std::fabs(value) > exact_integers)
    throw InputError(Problem{table.at(row, column), table.header()[column], quotation(table.text(row, column)) + " is not a whole number"});
  return static_cast<long long>(value);
}

/// Runs `make` and adds the place to what it refuses.
template <class Make>
auto located(Location const& at, Make const& make) {
  try {
    return make();
  } catch (InputError const& error) {
    auto problems = error.problems();
    for (auto& problem : problems) problem.at = at;
    throw InputError(std::move(problems));
  }
}

double positive(Node const& document, std::string const& file, char const* key, bool zero_too) {
  auto const* const node = document.find(key);
  if (node == nullptr) throw InputError(Problem{{file, 1, 1}, key, "is missing; give it"});
  auto const value = node->kind == Node::Kind::scalar && !node->quoted ? spelled_number(node->text) : std::nullopt;
  if (!value || !std::isfinite(*value) || !(zero_too ? *value >= 0 : *value > 0))
    throw InputError(Problem{node->at, key, "is " + described(*node) + "; give a " + (zero_too ? "number of 0 or more" : "positive number")});
  return *value;
}

class CaseReader {
 public:
  explicit CaseReader(std::filesystem::path folder) : folder_(std::move(folder)) {}

  TrainingCase read(CaseCosts costs) {
    auto const meta_file = folder_ / "meta.json";
    auto const meta = read_document(meta_file);
    case_.tau_s = positive(meta, meta_file.string(), "unit_time_s", false);
    case_.blocking_w = positive(meta, meta_file.string(), "p_blocking_W", true);
    case_.stages = static_cast<int>(std::min(positive(meta, meta_file.string(), "stages", false), 1e6));
    if (costs == CaseCosts::given && std::filesystem::exists(folder_ / "cost_model.csv")) {
      read_models();
    } else {
      read_options(costs == CaseCosts::measured);
    }
    read_nodes();
    read_edges();
    return std::move(case_);
  }

 private:
  void add_curve(Kind const& kind, CostCurve curve, CsvTable const& table, std::size_t row) {
    if (!curves_.emplace(kind, case_.project.curves.size()).second)
      throw InputError(Problem{table.at(row, 0), "", kind.second + " of stage " + std::to_string(kind.first) + " has two cost models; keep one"});
    case_.project.curves.push_back(std::move(curve));
  }

  void read_models() {
    auto const table = CsvTable::read(folder_ / "cost_model.csv");
    auto const stage = table.column("stage"), instruction = table.column("instruction");
    auto const a = table.column("a"), b = table.column("b"), c = table.column("c"), least = table.column("min_duration"), most = table.column("max_duration");
    for (std::size_t row = 0; row < table.rows(); ++row) {
      auto curve = located(table.at(row, a), [&] {
        return cost_curve({table.number(row, a), table.number(row, b), table.number(row, c)}, whole(table, row, least), whole(table, row, most));
      });
      add_curve({whole(table, row, stage), table.text(row, instruction)}, std::move(curve), table, row);
    }
    file_of_costs_ = table.file();
  }

  void read_options(bool as_measured) {
    auto const table = CsvTable::read(folder_ / "options.csv");
    auto const stage = table.column("stage"), instruction = table.column("instruction");
    auto const steps = table.column("quant_time"), energy = table.column("effective_energy_J");
    std::map<Kind, std::pair<std::size_t, std::vector<CostOption>>> options;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      auto& [first_row, of_kind] = options.try_emplace({whole(table, row, stage), table.text(row, instruction)}, row, std::vector<CostOption>{}).first->second;
      of_kind.push_back({0, 0, whole(table, row, steps), 0, table.number(row, energy)});
    }
    for (auto const& [kind, rows] : options) {
      auto const& of_kind = rows.second;
      add_curve(kind, located(table.at(rows.first, 0), [&] { return as_measured ? measured_cost_curve(of_kind) : fitted_cost_curve(of_kind); }), table,
                rows.first);
    }
    file_of_costs_ = table.file();
  }

  void read_nodes() {
    auto& project = case_.project;
    auto const nothing = project.curves.size();
    project.curves.emplace_back(std::vector<CostCurve::Knot>{{0, 0.0}});
    auto const table = CsvTable::read(folder_ / "nodes.csv");
    auto const id = table.column("node_id"), kind = table.column("kind"), stage = table.column("stage"), microbatch = table.column("microbatch");
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (!nodes_.emplace(whole(table, row, id), row).second)
        throw InputError(
            Problem{table.at(row, id), "node_id", quotation(table.text(row, id)) + " is there twice (which one is meant?); remove or renumber one"});
      auto const& what = table.text(row, kind);
      auto const ends = what == "source" || what == "sink";
      auto const curve = ends ? curves_.end() : curves_.find({whole(table, row, stage), what});
      if (!ends && curve == curves_.end())
        throw InputError(
            Problem{table.at(row, kind), "kind",
                    what + " of stage " + table.text(row, stage) + " has no cost model (its duration and energy are unknown); add it to " + file_of_costs_});
      project.curve_of.push_back(ends ? nothing : curve->second);
      project.names.push_back(ends ? what : what + " of stage " + table.text(row, stage) + ", microbatch " + table.text(row, microbatch));
    }
  }

  void read_edges() {
    auto const table = CsvTable::read(folder_ / "edges.csv");
    auto const u = table.column("u"), v = table.column("v");
    auto const node = [&](std::size_t row, std::size_t column) {
      auto const found = nodes_.find(whole(table, row, column));
      if (found == nodes_.end())
        throw InputError(Problem{table.at(row, column), table.header()[column],
                                 "there is no node " + quotation(table.text(row, column)) + " in nodes.csv; add it or remove the edge"});
      return found->second;
    };
    for (std::size_t row = 0; row < table.rows(); ++row) case_.project.edges.push_back({node(row, u), node(row, v)});
    located({table.file(), 0, 0}, [&] { return topological_order(case_.project); });
  }

  std::filesystem::path folder_;
  TrainingCase case_;
  std::map<Kind, std::size_t> curves_;
  std::map<long long, std::size_t> nodes_;
  std::string file_of_costs_;
};

}  // namespace

TrainingCase read_training_case(std::filesystem::path const& folder, CaseCosts costs) { return CaseReader(folder).read(costs); }

}  // namespace wattfill
