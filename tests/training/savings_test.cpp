#include "wattfill/training/savings.hpp"

#include <filesystem>

#include "support/catch.hpp"
#include "support/skip.hpp"
#include "training/profiles.hpp"
#include "training/projects.hpp"
#include "wattfill/training/pipeline.hpp"

using namespace wattfill;
using namespace wattfill::test;

namespace {

/// One stage: 10 J at 1 s, 6 J at 1.5 s, 5 J at 2 s, effective; 4 W of waiting. In all 14, 12, 13 J: least at 1.5 s.
IterationEnergy small() { return {Frontier::of(project_of({{{2, 10}, {3, 6}, {4, 5}}}, {})), 0.5, 4}; }

}  // namespace

TEST_CASE("The time of least energy lies before the frontier's end, and beyond the end one waits") {
  auto const energy = small();
  CHECK(energy.shortest_s() == 1);
  CHECK(energy.best_s() == 1.5);
  CHECK(energy.at(1) == 14);
  CHECK(energy.at(1.25) == 13);
  CHECK(energy.at(3) == 17);
  CHECK_THROWS_AS(energy.at(0.9), InputError);
}

TEST_CASE("Savings of one pipeline and of a straggler's neighbours") {
  auto const energy = small();
  CHECK(intrinsic_saving(energy, 20) == Approx(1 - 14.0 / 20));
  CHECK(straggler_saving(energy, 20, 5, 1) == Approx(intrinsic_saving(energy, 20)));
  // Straggler 2 s: before 2 x 20 + 3 (20 + 4 x 1) = 112 J; after 2 x 14 + 3 (12 + 4 x 0.5) = 70 J.
  CHECK(straggler_saving(energy, 20, 4, 2) == Approx(1 - 70.0 / 112));
  // Straggler 1.25 s, before T*: 2 pipelines, 25 + 21 = 46 J; after 17.5 + 13 J.
  CHECK(straggler_saving(energy, 20, 2, 1.25) == Approx(1 - 30.5 / 46));
  CHECK_THROWS_AS(straggler_saving(energy, 20, 2, 0.9), InputError);
  CHECK_THROWS_AS(straggler_saving(energy, 20, 0, 1.5), InputError);
}

TEST_CASE("Everything at its fastest: measured energies at the highest knob, and waiting for the rest") {
  std::vector<std::vector<ProfilePoint>> const profiles{{{900, 1.2, 8}, {1000, 1, 10}}, {{1000, 2, 30}}};
  // 3 x (10 + 30) J, and 5 W x (2 stages x 8 s - 3 x (1 + 2) s).
  CHECK(fastest_energy_j(profiles, 3, 2, 5, 8) == 120 + 5 * 7);
}

TEST_CASE("GPT-3 175B, 8 stages: intrinsic and straggler savings of the published emulation") {
  struct Row {
    int microbatches;
    double time_s, baseline_j, intrinsic, best;  ///< time x 10 and energy x 80: the profile holds a tenth of the layers, of one of 8 GPUs
    std::vector<double> saving;                  ///< % at slowdowns 1.05, 1.1, 1.2, 1.3, 1.4, 1.5
  };
  struct Gpu {
    char const* profile;
    double tau_s, blocking_w;
    std::vector<Row> rows;
  };
  std::vector<Gpu> const table{{"gpt3-175b+a100_sxm_bf16",
                                1e-3,
                                83.64,
                                {{12, 28.180, 586129, 15.20, 1.131, {21.65, 24.38, 24.80, 24.21, 23.64, 23.10}},
                                 {24, 46.420, 1119049, 14.19, 1.139, {21.74, 25.55, 26.41, 25.85, 25.32, 24.81}},
                                 {48, 82.900, 2184890, 13.62, 1.144, {21.18, 25.49, 27.07, 26.54, 26.02, 25.53}},
                                 {96, 155.860, 4316572, 13.32, 1.148, {20.59, 24.98, 27.01, 26.48, 25.96, 25.47}}}},
                               {"gpt3-175b+a40_bf16",
                                1e-4,
                                70.38,
                                {{12, 75.438, 1005742, 11.81, 1.092, {19.83, 21.65, 20.96, 20.32, 19.71, 19.15}},
                                 {96, 412.698, 7186482, 8.88, 1.112, {18.73, 23.72, 23.58, 22.97, 22.39, 21.85}}}}};
  std::vector<double> const slowdowns{1.05, 1.1, 1.2, 1.3, 1.4, 1.5};
  for (auto const& gpu : table) {
    auto const file = testing::public_data("perseus-sosp24/stage_profile/" + std::string(gpu.profile) + ".csv");
    if (!testing::is_there(file, "its savings are not compared")) continue;
    auto const profiles = read_profiles(file);
    auto const costs = fitted_costs(profiles, gpu.tau_s, gpu.blocking_w);
    std::vector<std::vector<ProfilePoint>> points;
    for (auto const& [kind, profile] : profiles) points.push_back(profile);
    for (auto const& row : gpu.rows) {
      INFO(gpu.profile << " x " << row.microbatches);
      auto const project = make_project(make_pipeline({.stages = 8, .microbatches = row.microbatches}), costs);
      IterationEnergy const energy(Frontier::of(project, Frontier::Proof::none), gpu.tau_s, 8 * gpu.blocking_w);
      auto const baseline = fastest_energy_j(points, row.microbatches, 8, gpu.blocking_w, energy.shortest_s());
      CHECK(energy.shortest_s() * 10 == Approx(row.time_s).margin(5e-4));
      CHECK(baseline * 80 == Approx(row.baseline_j).margin(0.6));
      CHECK(100 * intrinsic_saving(energy, baseline) == Approx(row.intrinsic).margin(0.03));
      CHECK(energy.best_s() / energy.shortest_s() == Approx(row.best).margin(6e-4));
      for (std::size_t i = 0; i < slowdowns.size(); ++i)
        CHECK(100 * straggler_saving(energy, baseline, 1536 / row.microbatches, slowdowns[i]) == Approx(row.saving[i]).margin(0.03));
    }
  }
}
