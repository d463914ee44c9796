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

TEST_CASE("a PDU that is full holds all its racks back, and its losses count above it") {
  // Four 8-GPU jobs in racks of 8 GPUs, two racks a PDU of 7700 W with a tenth lost: 3500 W of GPUs a rack; at most 4000 W anyway.
  auto const curve = make_curve("line", {{100, 0.2}, {600, 1}}, 8);
  auto const draws_of = [&](double limit_w, double first_pdu_w, std::string const& rule) {
    Snapshot const snapshot(listed(curve, 4), std::vector{policy(rule)}, {{Target::Kind::limit_w, limit_w}}, {}, Objective::gpu_speed, 0, std::nullopt,
                            RackSpec{8, 4000, 0, 2, first_pdu_w, 0.1});
    auto const s = replicate(snapshot, 0);
    return std::pair(s.at(0, 0, score::power_w), s.at(0, 0, score::speed_min));
  };
  for (auto const* rule : {"proportional", "oracle"}) {
    CHECK(draws_of(1e6, 1e6, rule).first == Approx(4 * 4000.0));
    CHECK(draws_of(1e6, 7700, rule).first == Approx(4 * 3500.0));
    CHECK(draws_of(10'000, 7700, rule).first == Approx(10'000));
  }
  CHECK(draws_of(1e6, 7700, "proportional").second == Approx(0.2 + 0.8 * (437.5 - 100) / 500));
  std::vector<double> const five{5}, eight{8};
  auto const placed = place_jobs(RackSpec{8, 4000, 0, 2, 7700, 0}, five, eight);
  CHECK(placed.pdus == 3);
  CHECK(placed.jobs.front().pieces.front().node == 4);  // the top, three PDUs, then racks
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

TEST_CASE(
    "a limit at the meter holds together with those of racks: racks that never bind change nothing, those that do leave less, and more is never possible") {
  Draws draws(3);
  std::size_t bound = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    auto curves = random_curves(draws, 4);
    for (auto& curve : curves) curve.gpus = std::min(curve.gpus, 16.0);
    auto const mix = random_mix(draws, curves);
    std::vector const policies{policy("proportional"), policy("equal-split"), policy("oracle")};
    auto const at = seed % 3 == 0 ? LimitAt::gpu : seed % 3 == 1 ? LimitAt::it : LimitAt::meter;
    MeteringSpec const metering{h200_node(), at};
    auto const targets = cuts({0, 0.15, 0.9});
    auto const scores = [&](std::optional<RackSpec> const& racks) {
      Snapshot const snapshot(mix, policies, targets, {}, Objective::gpu_speed, seed, metering, racks);
      Snapshot::Worker worker(snapshot);
      std::vector<double> all(snapshot.scores_per_replication());
      REQUIRE(all.size() == 3 * 3 * score::metered_count);
      snapshot.replicate(0, 1, worker, all);
      return all;
    };
    auto const of = [&](std::vector<double> const& all, std::size_t p, std::size_t t, std::size_t s) { return all[(p * 3 + t) * score::metered_count + s]; };
    auto const plain = scores(std::nullopt), wide = scores(RackSpec{64, 1e9, 0.05}), tight = scores(RackSpec{16, 16 * draws.between(250, 450), 0.05});
    auto const where = at == LimitAt::gpu ? score::power_w : at == LimitAt::it ? score::it_w : score::meter_w;
    for (std::size_t p = 0; p < 3; ++p)
      for (std::size_t t = 0; t < 3; ++t) {
        CAPTURE(seed, p, t);
        for (auto const s : {score::target_w, score::shortfall_w, score::power_w, score::it_w, score::meter_w, score::speed_gpu}) {
          if (p == 2 && s != score::target_w) continue;  // the oracle splits a class elsewhere
          CHECK(of(wide, p, t, s) == Approx(of(plain, p, t, s)).epsilon(1e-9).margin(1e-6));
        }
        CHECK(of(tight, p, t, score::target_w) == of(wide, p, t, score::target_w));
        if (of(tight, p, t, score::shortfall_w) > 0) continue;
        CHECK(of(tight, p, t, where) <= of(tight, p, t, score::target_w) * (1 + 1e-12));
        CHECK(of(tight, p, t, score::meter_w) >= of(tight, p, t, score::it_w));
        bound += of(tight, p, t, where) < of(tight, p, t, score::target_w) * (1 - 1e-3);
        if (p < 2 && of(tight, p, t, where) > of(wide, p, t, where) * (1 + 1e-9)) FAIL("racks let more through");
      }
  }
  CHECK(bound > 20);
}

TEST_CASE("racks and the meter by hand: what a full rack cannot take goes to the others, up to what the meter leaves") {
  // As above, and as much again is lost on the way: 24,800 W at the meter are 12,400 W of the GPUs.
  auto const curve = make_curve("line", {{100, 0.2}, {600, 1}}, 8);
  FacilitySpec facility;
  facility.gpus = 4;
  facility.distribution_loss = 1;
  Snapshot const snapshot(listed(curve, 3), std::vector{policy("proportional"), policy("oracle")},
                          {{Target::Kind::limit_w, 24'800}, {Target::Kind::limit_w, 4'000}}, {}, Objective::gpu_speed, 0,
                          MeteringSpec{facility, LimitAt::meter}, RackSpec{16, 8000, 0});
  Snapshot::Worker worker(snapshot);
  std::vector<double> all(snapshot.scores_per_replication());
  snapshot.replicate(0, 1, worker, all);
  for (std::size_t p = 0; p < 2; ++p) {
    auto const* const s = all.data() + p * 2 * score::metered_count;
    CHECK(s[score::power_w] == Approx(12'400).epsilon(1e-10));
    CHECK(s[score::meter_w] == Approx(24'800).epsilon(1e-10));
    CHECK(s[score::meter_saved_per_gpu_w] == Approx(2).epsilon(1e-9));
    CHECK(s[score::metered_count + score::shortfall_w] == Approx(4'800 - 4'000));  // floors of 2400 W are 4800 at the meter
  }
  auto const allocations = snapshot.allocate(0, 0, 0);
  REQUIRE(allocations.size() == 2);
  CHECK(allocations[0].draw_w == Approx(500));
  CHECK(allocations[1].draw_w == Approx(550));
}

}  // namespace wattfill
