#include <cmath>

#include "sim/racks.hpp"
#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/policy/tree_oracle.hpp"

namespace wattfill {
namespace {

using namespace testing;

MixSpec listed(Curve const& curve, std::uint64_t count) {
  MixSpec mix;
  mix.name = "listed";
  ExplicitJobs jobs;
  jobs.curve = &curve;
  jobs.count = count;
  mix.listed = {jobs};
  return mix;
}

std::vector<PolicySpec> fair() {
  std::vector<PolicySpec> all;
  for (auto const& spec : every_policy())
    if (spec.name != "oracle") all.push_back(spec);
  return all;
}

}  // namespace

TEST_CASE("jobs go largest first into the first rack with room, and large ones over racks of their own") {
  std::vector<double> const counts{3, 1, 2}, gpus{8, 40, 4};
  auto const placed = place_jobs(RackSpec{16, 1, 0}, counts, gpus);
  // 40 = 16 + 16 + 8 in racks 0 to 2; 8 beside the last of it, 8 + 8 in rack 3; 4 + 4 in rack 4.
  CHECK(placed.racks == 5);
  std::string text;
  for (auto const& job : placed.jobs) {
    text += std::to_string(job.cls) + ":";
    for (auto const& piece : job.pieces) text += " " + std::to_string(piece.node - 1) + "/" + std::to_string(static_cast<int>(piece.gpus));
    text += "; ";
  }
  CHECK(text == "0: 2/8; 0: 3/8; 0: 3/8; 1: 0/16 1/16 2/8; 2: 4/4; 2: 4/4; ");
  std::vector<double> const many{200'000}, one{1};
  CHECK(place_jobs(RackSpec{32, 1, 0}, many, one).racks == 6250);
}

TEST_CASE("a rack that is full holds its jobs back, the others take what is left") {
  // Racks of 16 GPUs and 8000 W: two of the three 8-GPU jobs share the first one.
  auto const curve = make_curve("line", {{100, 0.2}, {600, 1}}, 8);
  Snapshot const snapshot(listed(curve, 3), std::vector{policy("proportional"), policy("oracle")},
                          {{Target::Kind::limit_w, 12'400}, {Target::Kind::limit_w, 9'000}}, {}, Objective::gpu_speed, 0, std::nullopt, RackSpec{16, 8000, 0});
  auto const s = replicate(snapshot, 0);
  for (std::size_t p = 0; p < 2; ++p) {
    CHECK(s.at(p, 0, score::power_w) == Approx(12'400));  // 8000 in the first rack, 4400 in the second
    CHECK(s.at(p, 1, score::power_w) == Approx(9'000));
    CHECK(s.at(p, 0, score::shortfall_w) == 0);
  }
  auto const allocations = snapshot.allocate(0, 0, 0);
  REQUIRE(allocations.size() == 2);
  CHECK(allocations[0].jobs == 2);
  CHECK(allocations[0].draw_w == Approx(500));
  CHECK(allocations[1].draw_w == Approx(550));
  CHECK(s.at(0, 0, score::speed_min) == Approx(0.2 + 0.8 * 0.8));
  CHECK(s.at(0, 0, score::speed_normalized) == Approx((2 * 0.84 + 0.92) / 3));
  CHECK(snapshot.allocate(0, 0, 1).at(0).draw_w == Approx(375));  // no rack is full: all alike
}

TEST_CASE("racks without a binding limit change no score, and losses count at the rack") {
  Draws draws(1);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto const curves = random_curves(draws, 5);
    auto const mix = random_mix(draws, curves);
    auto const policies = fair();
    auto const targets = cuts({0, 0.1, 0.35});
    auto const plain = replicate(Snapshot(mix, policies, targets, {}, Objective::gpu_speed, seed), 0);
    auto const racked = replicate(Snapshot(mix, policies, targets, {}, Objective::gpu_speed, seed, std::nullopt, RackSpec{64, 1e9, 0.05}), 0);
    for (std::size_t p = 0; p < policies.size(); ++p)
      for (std::size_t t = 0; t < 3; ++t)
        for (std::size_t s = 0; s < score::count; ++s) {
          CAPTURE(seed, policies[p].name, t, score_table()[s].column);
          auto const x = plain.at(p, t, s), y = racked.at(p, t, s);
          if (s == score::share_worse || s == score::share_below_min) continue;  // a job on the threshold may fall to either side
          REQUIRE(((std::isnan(x) && std::isnan(y)) || y == Approx(x).epsilon(1e-9).margin(1e-7)));
        }
  }
}

TEST_CASE("no policy beats the oracle under rack limits, and its gap is proven") {
  Draws draws(2);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto curves = random_curves(draws, 5);
    for (auto& curve : curves) curve.gpus = std::min(curve.gpus, 16.0);
    auto const mix = random_mix(draws, curves);
    auto const policies = every_policy();
    auto const oracle = static_cast<std::size_t>(std::ranges::find(policies, "oracle", &PolicySpec::name) - policies.begin());
    Snapshot const snapshot(mix, policies, cuts({0.05, 0.3}), {}, Objective::gpu_speed, seed, std::nullopt, RackSpec{16, 16 * draws.between(200, 500), 0.02});
    auto const s = replicate(snapshot, 0);
    for (std::size_t t = 0; t < 2; ++t)
      for (std::size_t p = 0; p < policies.size(); ++p) {
        if (s.at(oracle, t, score::shortfall_w) > 0 || std::isnan(s.at(oracle, t, score::hull_gap))) continue;
        REQUIRE(s.at(p, t, score::objective) <= (s.at(oracle, t, score::objective) + s.at(oracle, t, score::hull_gap)) * (1 + 1e-9));
        REQUIRE(s.at(p, t, score::power_w) <= s.at(p, t, score::target_w) * (1 + 1e-9));
      }
  }
}

TEST_CASE("jobs larger than a rack span racks; without a solver the oracle says so") {
  auto const curve = make_curve("line", {{100, 0.2}, {600, 1}}, 40);
  auto const make = [&] {
    return Snapshot(listed(curve, 2), std::vector{policy("oracle"), policy("equal-split")}, cuts({0.1}), {}, Objective::gpu_speed, 0, std::nullopt,
                    RackSpec{16, 16 * 450, 0});
  };
  if (linear_programs_are_solved()) {
    auto const s = replicate(make(), 0);
    for (std::size_t p = 0; p < 2; ++p) CHECK(s.at(p, 0, score::power_w) == Approx(2 * 40 * 450.0));  // every job has a full rack of 16
  } else {
    try {
      make();
      FAIL("accepted");
    } catch (InputError const& error) {
      CHECK(std::string(error.what()) ==
            "policies.oracle: jobs of 40 GPUs span racks of 16 (the optimum is then a linear program, and this build solves none); build with GLPK "
            "(libglpk-dev), "
            "leave the rule out, or make the racks larger");
    }
  }
}

}  // namespace wattfill
