#include <iostream>
#include <vector>
#include <wattfill/policy/policy.hpp>
#include <wattfill/scenario/library_file.hpp>

/// What one A100 job of each kind draws when all of them together must do with 80 % of their power.
int main() {
  auto const library = wattfill::read_library(CURVES_DIR "/emerald-a100.yaml").library;
  std::vector<wattfill::Demand> demands;
  std::vector<double> gpus;
  double budget_w = 0;
  for (auto const& curve : library.curves) {
    auto const& points = curve.curve;
    demands.push_back({.believed = &curve, .gpus = curve.gpus, .floor_w = points.min_draw(), .uncapped_w = points.max_draw()});
    gpus.push_back(curve.gpus);
    budget_w += 0.8 * curve.gpus * points.max_draw();
  }
  auto const plan = wattfill::make_policy({.name = "proportional"})->prepare(demands);
  auto const draws = plan.draws_at(plan.locate(gpus, budget_w));
  double total_w = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    std::cout << library.curves[i].name << ' ' << draws[i] << " W\n";
    total_w += gpus[i] * draws[i];
  }
  std::cout << "total " << total_w << " W of " << budget_w << " W\n";
  return total_w > 0.999 * budget_w && total_w < 1.001 * budget_w ? 0 : 1;
}
