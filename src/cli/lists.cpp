#include <cmath>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/libraries.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/flexibility/pfi.hpp"
#include "wattfill/policy/policy.hpp"
#include "wattfill/scenario/schema.hpp"

namespace wattfill::cli {
namespace {

void print_curves(CurveLibrary const& library) {
  std::printf("%s: %s, TDP %s W, %s%s%s\n", library.name.c_str(), library.gpu_model.c_str(), number_text(library.tdp_w).c_str(),
              std::string(to_string(library.provenance)).c_str(), library.speed_unit.empty() ? ", speed unit not stated" : ", speed in ",
              library.speed_unit.c_str());
  auto const licence = library.source.licence.empty() ? "" : " (" + library.source.licence + ")";
  std::printf("source: %s%s\n\n", library.source.citation.c_str(), licence.c_str());
  std::printf("%-34s %-8s %-14s %5s %6s %9s %9s %7s\n", "curve", "arch", "task", "GPUs", "points", "floor W", "full W", "PFI");
  for (auto const& c : library.curves) {
    auto const pfi = measured_pfi(c.curve);
    auto const shown = std::isnan(pfi) ? std::string("none") : std::isinf(pfi) ? std::string("inf") : number_text(std::round(pfi * 1000) / 1000);
    std::printf("%-34s %-8s %-14s %5s %6zu %9.1f %9.1f %7s\n", c.name.c_str(), c.architecture.c_str(), c.task.c_str(), number_text(c.gpus).c_str(),
                c.curve.points().size(), c.curve.min_draw(), c.curve.max_draw(), shown.c_str());
  }
  for (auto const& assumption : library.assumptions) std::printf("assumed: %s\n", assumption.c_str());
}

}  // namespace

int schema(std::vector<std::string> const& operands, po::variables_map const&) {
  expect_operands(operands, 0, 1, "a format");
  std::fputs(schema_text(operands.empty() ? "scenario" : operands.front()).c_str(), stdout);
  return 0;
}

int policies(std::vector<std::string> const& operands, po::variables_map const&) {
  expect_operands(operands, 0, 0, "");
  for (auto const& entry : policy_registry()) {
    std::printf("%-15s %s", std::string(entry.name).c_str(), std::string(entry.summary).c_str());
    std::printf(entry.options.empty() ? "\n" : " [%s]\n", std::string(entry.options).c_str());
  }
  std::printf("in timelines also replay, deadline, least-laxity, pause-greedy and cap-and-pause: scenarios/README.md\n");
  return 0;
}

int curves(std::vector<std::string> const& operands, po::variables_map const& given) {
  expect_operands(operands, 0, 1, "");
  auto shelf = library_shelf(given);
  if (!operands.empty()) {
    print_curves(take(shelf, operands.front()));
    return 0;
  }
  auto const names = shelf.names();
  for (auto const& name : names) {
    auto const& library = take(shelf, name);
    std::printf("%-24s %-8s TDP %4s W  %3zu curves  %s\n", name.c_str(), library.gpu_model.c_str(), number_text(library.tdp_w).c_str(), library.curves.size(),
                std::string(to_string(library.provenance)).c_str());
  }
  if (names.empty()) std::fputs("no curve library found; name a folder with --curves DIR or $WATTFILL_CURVES\n", stderr);
  return 0;
}

}  // namespace wattfill::cli
