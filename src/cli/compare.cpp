#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/job_figures.hpp"
#include "cli/libraries.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/flexibility/rank_statistics.hpp"
#include "wattfill/scenario/csv.hpp"
#include "wattfill/scenario/node.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill::cli {
namespace {

/// A job on one side of a comparison.
struct Side {
  std::string id, name;
};

struct Pair {
  Side a, b;
  double first, second;

  double difference() const { return second - first; }
  double relative() const { return second / first - 1; }
};

struct Matching {
  std::vector<Pair> pairs;
  std::vector<std::string> left_out;  ///< what was not compared, and why
  std::string warning;
};

std::vector<std::string> names_of(std::vector<JobFigures> const& jobs) {
  std::vector<std::string> names;
  for (auto const& job : jobs) names.push_back(job.curve->name);
  return names;
}

JobFigures const* find(std::vector<JobFigures> const& jobs, std::string const& name) {
  auto const found = std::ranges::find(jobs, name, [](JobFigures const& job) { return job.curve->name; });
  return found == jobs.end() ? nullptr : &*found;
}

/// Names to compare: those of the map file (columns a and b), or every name that both have.
std::vector<std::pair<std::string, std::string>> wanted(std::vector<JobFigures> const& a, std::vector<JobFigures> const& b, po::variables_map const& given) {
  std::vector<std::pair<std::string, std::string>> names;
  if (given.count("map") == 0) {
    for (auto const& job : a)
      if (find(b, job.curve->name) != nullptr) names.emplace_back(job.curve->name, job.curve->name);
    if (names.size() < 2)
      throw InputError("the libraries share " + std::to_string(names.size()) +
                       " curve names (a rank correlation needs two pairs or more); say which curve is which with --map FILE, a CSV with columns a and b");
    return names;
  }
  auto const table = CsvTable::read(given["map"].as<std::string>());
  auto const first = table.column("a"), second = table.column("b");
  std::vector<Problem> problems;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto const check = [&](std::vector<JobFigures> const& jobs, std::size_t column) {
      auto const& name = table.text(row, column);
      if (find(jobs, name) == nullptr)
        problems.push_back({table.at(row, column), table.header()[column],
                            quotation(name) + " is no curve of " + jobs.front().curve->library + suggestion(name, names_of(jobs))});
    };
    check(a, first);
    check(b, second);
    names.emplace_back(table.text(row, first), table.text(row, second));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  if (names.size() < 2) throw InputError({{table.file()}, {}, "a map needs two pairs or more (a rank correlation of fewer says nothing); add rows"});
  return names;
}

Matching match(std::vector<JobFigures> const& a, std::vector<JobFigures> const& b, std::string const& name, po::variables_map const& given) {
  Matching matching;
  std::vector<std::string> used_a, used_b;
  for (auto const& [first, second] : wanted(a, b, given)) {
    auto const *x = find(a, first), *y = find(b, second);
    used_a.push_back(first);
    used_b.push_back(second);
    double const fx = figure(x->figures, name), fy = figure(y->figures, name);
    if (std::isnan(fx) || std::isnan(fy)) {
      matching.left_out.push_back(x->curve->id() + " and " + y->curve->id() + ": no " + name + " of " + (std::isnan(fx) ? x : y)->curve->id());
    } else {
      matching.pairs.push_back({{x->curve->id(), x->curve->name}, {y->curve->id(), y->curve->name}, fx, fy});
      if (matching.warning.empty()) matching.warning = grid_warning({*x, *y});
    }
  }
  for (auto const& [jobs, used] : {std::pair(&a, &used_a), std::pair(&b, &used_b)})
    for (auto const& job : *jobs)
      if (std::ranges::find(*used, job.curve->name) == used->end()) matching.left_out.push_back(job.curve->id() + ": no partner");
  return matching;
}

/// Figures as printed somewhere, without curves: a CSV with a column `job` and a column for each side.
Matching printed(std::string const& file, std::string const& a, std::string const& b) {
  auto const table = CsvTable::read(file);
  auto const job = table.column("job"), first = table.column(a), second = table.column(b);
  Matching matching;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto const& name = table.text(row, job);
    matching.pairs.push_back({{a + "/" + name, name}, {b + "/" + name, name}, table.number(row, first), table.number(row, second)});
  }
  if (matching.pairs.size() < 2)
    throw InputError({{table.file()}, {}, "a comparison needs two jobs or more (a rank correlation of fewer says nothing); add rows"});
  return matching;
}

struct Summary {
  RankCorrelation rho, tau;
  double median_difference, mean_absolute, median_relative;
};

Summary summary_of(std::vector<Pair> const& pairs) {
  std::vector<double> first, second, differences, sizes, relatives;
  for (auto const& p : pairs) {
    first.push_back(for_ranking(p.first));
    second.push_back(for_ranking(p.second));
    if (std::isfinite(p.difference())) {
      differences.push_back(p.difference());
      sizes.push_back(std::fabs(p.difference()));
    }
    if (std::isfinite(p.relative())) relatives.push_back(p.relative());
  }
  return {spearman(first, second), kendall(first, second), median(differences), mean(sizes), median(relatives)};
}

Node json_number(double value) { return std::isfinite(value) ? Node::plain(number_text(value)) : Node(); }

void print_json(std::string const& name, Matching const& matching) {
  auto pairs = Node::list();
  for (auto const& p : matching.pairs)
    pairs.add(Node::map()
                  .add("a", Node::quote(p.a.id))
                  .add("b", Node::quote(p.b.id))
                  .add("figure_a", json_number(p.first))
                  .add("figure_b", json_number(p.second))
                  .add("difference", json_number(p.difference()))
                  .add("relative", json_number(p.relative())));
  auto const s = summary_of(matching.pairs);
  auto const correlation = [](RankCorrelation const& c) {
    auto p = std::isfinite(c.p) ? Node::plain(rounded_text(c.p)) : Node();
    return Node::map().add("r", json_number(c.r)).add("p", std::move(p)).add("exact", Node::plain(c.exact ? "true" : "false"));
  };
  auto all = Node::map();
  all.add("figure", Node::quote(name)).add("n", Node::plain(std::to_string(matching.pairs.size()))).add("pairs", std::move(pairs));
  all.add("spearman", correlation(s.rho)).add("kendall", correlation(s.tau));
  all.add("median_difference", json_number(s.median_difference)).add("mean_absolute_difference", json_number(s.mean_absolute));
  all.add("median_relative", json_number(s.median_relative));
  auto left_out = Node::list();
  for (auto const& why : matching.left_out) left_out.add(Node::quote(why));
  if (!matching.left_out.empty()) all.add("left_out", std::move(left_out));
  if (!matching.warning.empty()) all.add("warnings", Node::list().add(Node::quote(matching.warning)));
  std::fputs(to_json(all).c_str(), stdout);
}

void print_table(std::string const& name, Matching const& matching) {
  std::printf("%-34s %-34s %9s %9s %10s %10s\n", "a", "b", (name + " a").c_str(), (name + " b").c_str(), "b - a", "b / a - 1");
  for (auto const& p : matching.pairs)
    std::printf("%-34s %-34s %9s %9s %10s %9s%%\n", p.a.name.c_str(), p.b.name.c_str(), rounded_text(p.first, 4).c_str(), rounded_text(p.second, 4).c_str(),
                rounded_text(p.difference(), 3).c_str(), rounded_text(100 * p.relative(), 3).c_str());
  auto const s = summary_of(matching.pairs);
  auto const said = [](RankCorrelation const& c) { return rounded_text(c.r, 3) + ", p " + rounded_text(c.p, 2) + (c.exact ? " (exact)" : ""); };
  std::printf("\n%zu pairs: Spearman %s; Kendall %s\n", matching.pairs.size(), said(s.rho).c_str(), said(s.tau).c_str());
  std::printf("median difference %s, mean absolute difference %s, median relative difference %s %%\n", rounded_text(s.median_difference, 3).c_str(),
              rounded_text(s.mean_absolute, 3).c_str(), rounded_text(100 * s.median_relative, 3).c_str());
  for (auto const& why : matching.left_out) std::printf("left out: %s\n", why.c_str());
}

}  // namespace

void compare_options(po::options_description& options) {
  add_curve_options(options);
  options.add_options()("map", po::value<std::string>()->value_name("FILE"), "CSV with columns a and b: which curve of A is which of B (default: equal names)");
  options.add_options()("figures", po::value<std::string>()->value_name("FILE"),
                        "compare printed figures instead of libraries: A and B are columns of this CSV, with a column job");
  options.add_options()("figure", po::value<std::string>()->default_value("pfi")->value_name("NAME"),
                        "what to compare: pfi, loss_20, area, ... (see wattfill pfi --json)");
  options.add_options()("grid", po::value<std::string>()->value_name("W,W,..."), "only these caps [W], or common: those that all curves share");
  options.add_options()("grid-b", po::value<std::string>()->value_name("W,W,..."), "other caps for B: the effect of a grid, where A and B are one library");
  options.add_options()("json", "as JSON");
}

int compare(std::vector<std::string> const& operands, po::variables_map const& given) {
  auto const of_libraries = given.count("figures") == 0;
  expect_operands(operands, 2, 2, of_libraries ? "LIBRARY (two of them)" : "COLUMN (two of them)");
  auto const name = given["figure"].as<std::string>();
  static_cast<void>(figure({}, name));  // refuses an unknown one before any work
  Matching matching;
  if (of_libraries) {
    auto shelf = library_shelf(given);
    auto const *first = &take(shelf, operands[0]), *second = &take(shelf, operands[1]);
    auto const common = given.count("grid") > 0 && given["grid"].as<std::string>() == "common";
    auto const caps = common ? shared_caps({first, second}) : caps_option(given, "grid");
    auto const a = job_figures({first}, caps), b = job_figures({second}, given.count("grid-b") > 0 ? caps_option(given, "grid-b") : caps);
    matching = match(a, b, name, given);
  } else {
    for (auto const* option : {"map", "grid", "grid-b"})
      if (given.count(option) > 0)
        throw InputError("--" + std::string(option) + " is for curves, and printed figures have none; remove it, or name libraries without --figures");
    matching = printed(given["figures"].as<std::string>(), operands[0], operands[1]);
  }
  if (given.count("json") > 0)
    print_json(name, matching);
  else
    print_table(name, matching);
  if (!matching.warning.empty()) std::fprintf(stderr, "warning: %s\n", matching.warning.c_str());
  return 0;
}

}  // namespace wattfill::cli
