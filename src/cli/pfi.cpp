#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/job_figures.hpp"
#include "cli/libraries.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/flexibility/rank_statistics.hpp"
#include "wattfill/scenario/node.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill::cli {
namespace {

struct Row {
  JobFigures job;
  PfiInterval interval;
  std::vector<std::string> notes;
  std::string job_class;
};

struct Class {
  std::string name;
  std::vector<double> pfi, loss_20;  ///< of the curves that have them
};

/// What is reported of the classes for one figure.
struct ClassTest {
  std::string figure;
  std::vector<std::string> names;
  std::vector<std::string> left_out;  ///< classes of one curve, which say nothing of their spread
  KruskalWallis difference;
  std::vector<DunnPair> pairs;
};

/// --noise: the stated one; nothing: the curve's own repeats where it has enough, else between runs.
std::optional<MeasurementNoise> stated_noise(po::variables_map const& given) {
  if (given.count("noise") == 0) return std::nullopt;
  auto const word = given["noise"].as<std::string>();
  if (word == "within") return within_run;
  if (word == "between") return between_runs;
  throw InputError({{}, "--noise", quotation(word) + " is no noise; write within (one run: power 0.04 %, speed 0.05 %) or between (runs: 0.4 %, 0.5 %)"});
}

std::string class_of(Curve const& curve, std::vector<std::string> const& pooled) {
  auto const architecture = curve.architecture.empty() ? std::string("not stated") : curve.architecture;
  if (std::ranges::find(pooled, curve.architecture) != pooled.end() || curve.task.empty()) return architecture;
  return curve.architecture.empty() ? curve.task : architecture + " " + curve.task;
}

std::vector<Row> rows_of(std::vector<JobFigures> jobs, std::vector<double> const& caps, po::variables_map const& given) {
  auto const stated = stated_noise(given);
  auto const seed = whole_number(given, "seed", 0, UINT64_MAX).value_or(1);
  auto const pooled = given.count("pool") > 0 ? given["pool"].as<std::vector<std::string>>() : std::vector<std::string>{};
  std::vector<Row> rows;
  for (auto& job : jobs) {
    auto const& curve = job.curve->curve;
    auto notes = job.figures.notes;
    auto const own = stated ? std::nullopt : noise_of_repeats(curve, caps);
    auto const interval = pfi_interval(curve, caps, stated ? *stated : own.value_or(between_runs), seed, job.curve->id());
    if (own)
      notes.push_back("interval from its repeated points: " + rounded_text(100 * own->power, 3) + " % in power, " + rounded_text(100 * own->speed, 3) +
                      " % in speed");
    if (std::isfinite(job.figures.pfi) && std::isinf(interval.high))
      notes.push_back("the interval has no upper end: in " + rounded_text(100 * interval.unbounded_share, 3) +
                      " % of draws a loss of speed vanishes in the noise");
    auto name = class_of(*job.curve, pooled);
    rows.push_back({std::move(job), interval, std::move(notes), std::move(name)});
  }
  return rows;
}

std::vector<Class> classes_of(std::vector<Row> const& rows) {
  std::vector<Class> classes;
  for (auto const& row : rows) {
    auto found = std::ranges::find(classes, row.job_class, &Class::name);
    if (found == classes.end()) found = classes.insert(classes.end(), {row.job_class, {}, {}});
    auto const& f = row.job.figures;
    if (!std::isnan(f.pfi)) found->pfi.push_back(f.pfi);
    if (!std::isnan(f.loss[1])) found->loss_20.push_back(f.loss[1]);
  }
  return classes;
}

std::vector<ClassTest> tests_of(std::vector<Class> const& classes) {
  std::vector<ClassTest> tests;
  for (auto const& [figure_name, values] : {std::pair("pfi", &Class::pfi), std::pair("loss_20", &Class::loss_20)}) {
    std::vector<std::vector<double>> groups;
    std::vector<std::string> names, left_out;
    for (auto const& c : classes)
      if ((c.*values).size() == 1) {
        left_out.push_back(c.name);
      } else if (!(c.*values).empty()) {
        std::ranges::transform(c.*values, std::back_inserter(groups.emplace_back()), for_ranking);
        names.push_back(c.name);
      }
    if (groups.size() > 1) tests.push_back({figure_name, names, left_out, kruskal_wallis(groups), dunn_holm(groups)});
  }
  return tests;
}

std::string joined(std::vector<std::string> const& notes) {
  std::string all;
  for (auto const& note : notes) all += (all.empty() ? "" : "; ") + note;
  return all;
}

/// A number that JSON has: null where there is no finite value.
Node json_p(double value) { return std::isfinite(value) ? Node::plain(rounded_text(value)) : Node(); }

void print_json(std::vector<Row> const& rows, std::string const& warning) {
  auto curves = Node::list();
  for (auto const& row : rows) {
    auto const& curve = *row.job.curve;
    auto node = Node::map();
    node.add("name", Node::quote(curve.name)).add("library", Node::quote(curve.library)).add("class", Node::quote(row.job_class));
    node.add("pfi", Node::number(row.job.figures.pfi)).add("pfi_low", Node::number(row.interval.low)).add("pfi_high", Node::number(row.interval.high));
    node.add("n_used", Node::plain(std::to_string(row.job.figures.n_used)));
    for (auto const& name : figure_names())
      if (name != "pfi") node.add(name, Node::number(figure(row.job.figures, name)));
    auto caps = Node::list();
    for (double const cap : row.job.caps) caps.add(Node::plain(number_text(cap)));
    node.add("caps_w", std::move(caps));
    if (!row.notes.empty()) node.add("note", Node::quote(joined(row.notes)));
    curves.add(std::move(node));
  }
  auto const classes = classes_of(rows);
  auto class_list = Node::list();
  for (auto const& c : classes)
    class_list.add(Node::map()
                       .add("class", Node::quote(c.name))
                       .add("n", Node::plain(std::to_string(c.pfi.size())))
                       .add("pfi_median", Node::number(median(c.pfi)))
                       .add("pfi_mean", Node::number(mean(c.pfi)))
                       .add("loss_20_median", Node::number(median(c.loss_20)))
                       .add("loss_20_mean", Node::number(mean(c.loss_20))));
  auto tests = Node::list();
  for (auto const& test : tests_of(classes)) {
    auto pairs = Node::list(), left_out = Node::list();
    for (auto const& name : test.left_out) left_out.add(Node::quote(name));
    for (auto const& p : test.pairs)
      pairs.add(Node::map()
                    .add("first", Node::quote(test.names[p.first]))
                    .add("second", Node::quote(test.names[p.second]))
                    .add("z", Node::number(p.z))
                    .add("p", json_p(p.p))
                    .add("p_holm", json_p(p.p_holm)));
    tests.add(Node::map()
                  .add("figure", Node::quote(test.figure))
                  .add("h", Node::number(test.difference.h))
                  .add("freedom", Node::number(test.difference.freedom))
                  .add("p", json_p(test.difference.p))
                  .add("dunn", std::move(pairs))
                  .add("left_out", std::move(left_out)));
  }
  auto all = Node::map();
  all.add("curves", std::move(curves)).add("classes", std::move(class_list)).add("kruskal_wallis", std::move(tests));
  if (!warning.empty()) all.add("warnings", Node::list().add(Node::quote(warning)));
  std::fputs(to_json(all).c_str(), stdout);
}

/// One row per curve, with its telemetry: what `predict` reads.
void print_csv(std::vector<Row> const& rows) {
  std::map<std::string, bool> features;
  for (auto const& row : rows)
    for (auto const& [name, value] : row.job.curve->telemetry) features[name] = true;
  std::string out = "library,name,architecture,task,model,gpus,class,pfi,pfi_low,pfi_high,n_used";
  for (auto const& name : figure_names())
    if (name != "pfi") out += "," + name;
  out += ",note";
  for (auto const& [feature, known] : features) out += "," + csv_cell(feature);
  out += "\n";
  auto const cell = [](double value) { return std::isfinite(value) ? number_text(value) : std::string(); };
  for (auto const& row : rows) {
    auto const& c = *row.job.curve;
    out += csv_cell(c.library) + "," + csv_cell(c.name) + "," + csv_cell(c.architecture) + "," + csv_cell(c.task) + "," + csv_cell(c.model) + "," +
           number_text(c.gpus) + "," + csv_cell(row.job_class);
    out += "," + cell(row.job.figures.pfi) + "," + cell(row.interval.low) + "," + cell(row.interval.high) + "," + std::to_string(row.job.figures.n_used);
    for (auto const& name : figure_names())
      if (name != "pfi") out += "," + cell(figure(row.job.figures, name));
    out += "," + csv_cell(joined(row.notes));
    for (auto const& [feature, known] : features) {
      auto const found = c.telemetry.find(feature);
      out += "," + (found == c.telemetry.end() ? std::string() : number_text(found->second));
    }
    out += "\n";
  }
  std::fputs(out.c_str(), stdout);
}

std::string fixed_text(double value, int decimals) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return "inf";
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

void print_table(std::vector<Row> const& rows) {
  std::string library;
  for (auto const& row : rows) {
    auto const& curve = *row.job.curve;
    if (curve.library != library) {
      std::printf("%s%s (%s)\n", library.empty() ? "" : "\n", curve.library.c_str(), std::string(to_string(curve.provenance)).c_str());
      std::printf("%-34s %7s %7s %7s  %7s %7s %7s  %7s %7s %8s  %6s %6s %6s %4s\n", "curve", "loss10", "loss20", "loss30", "PFI", "low", "high", "area",
                  "elast.", "pooled", "b", "a", "R2", "n");
      library = curve.library;
    }
    auto const& f = row.job.figures;
    auto const text = [](double value) { return fixed_text(value, std::fabs(value) < 1000 ? 3 : 0); };
    std::printf("%-34s %7s %7s %7s  %7s %7s %7s  %7s %7s %8s  %6s %6s %6s %4zu\n", curve.name.c_str(), text(f.loss[0]).c_str(), text(f.loss[1]).c_str(),
                text(f.loss[2]).c_str(), text(f.pfi).c_str(), text(row.interval.low).c_str(), text(row.interval.high).c_str(), text(f.area).c_str(),
                text(f.elasticity).c_str(), text(f.pooled).c_str(), text(f.response.b).c_str(), text(f.response.a).c_str(), text(f.r2).c_str(), f.n_used);
  }
  std::puts("");
  for (auto const& row : rows)
    for (auto const& note : row.notes) std::printf("note: %s: %s\n", row.job.curve->id().c_str(), note.c_str());
  auto const classes = classes_of(rows);
  std::printf("\n%-34s %4s %10s %10s %13s %13s\n", "class", "n", "median PFI", "mean PFI", "median loss20", "mean loss20");
  for (auto const& c : classes)
    std::printf("%-34s %4zu %10s %10s %13s %13s\n", c.name.c_str(), c.pfi.size(), fixed_text(median(c.pfi), 3).c_str(), fixed_text(mean(c.pfi), 3).c_str(),
                fixed_text(median(c.loss_20), 3).c_str(), fixed_text(mean(c.loss_20), 3).c_str());
  for (auto const& test : tests_of(classes)) {
    std::printf("%s: Kruskal-Wallis H %s, p %s\n", test.figure.c_str(), fixed_text(test.difference.h, 2).c_str(), rounded_text(test.difference.p, 2).c_str());
    if (!test.left_out.empty()) std::printf("  without classes of one curve: %s\n", listed(test.left_out).c_str());
    for (auto const& p : test.pairs)
      std::printf("  %s / %s: Dunn z %s, p (Holm) %s\n", test.names[p.first].c_str(), test.names[p.second].c_str(), fixed_text(p.z, 2).c_str(),
                  rounded_text(p.p_holm, 4).c_str());
  }
}

}  // namespace

void pfi_options(po::options_description& options) {
  add_curve_options(options);
  options.add_options()("grid", po::value<std::string>()->value_name("W,W,..."), "only these caps [W], or common: the caps that all curves share");
  options.add_options()("noise", po::value<std::string>()->value_name("within|between"),
                        "what the intervals assume: noise within a run (0.04 %, 0.05 %) or between runs (0.4 %, 0.5 %); default: repeated points "
                        "where a curve has enough, else between");
  options.add_options()("pool", po::value<std::vector<std::string>>()->value_name("ARCHITECTURE"), "one class for all tasks of this architecture (repeatable)");
  options.add_options()("seed", po::value<std::string>()->value_name("N"), "seed of the intervals (default 1)");
  options.add_options()("json", "as JSON")("csv", "as CSV, one row per curve with its telemetry: what predict reads");
}

int pfi(std::vector<std::string> const& operands, po::variables_map const& given) {
  expect_operands(operands, 1, 1000, "LIBRARY");
  if (given.count("json") + given.count("csv") > 1) throw InputError("--json and --csv are two forms of one output; choose one");
  auto shelf = library_shelf(given);
  std::vector<CurveLibrary const*> libraries;
  for (auto const& name : operands) {
    auto const* library = &take(shelf, name);
    if (std::ranges::find(libraries, library) == libraries.end()) libraries.push_back(library);
  }
  auto const common = given.count("grid") > 0 && given["grid"].as<std::string>() == "common";
  auto const caps = common ? shared_caps(libraries) : caps_option(given, "grid");
  auto jobs = job_figures(libraries, caps);
  auto const warning = grid_warning(jobs);
  auto const rows = rows_of(std::move(jobs), caps, given);
  if (given.count("json") > 0)
    print_json(rows, warning);
  else if (given.count("csv") > 0)
    print_csv(rows);
  else
    print_table(rows);
  if (!warning.empty()) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  return 0;
}

}  // namespace wattfill::cli
