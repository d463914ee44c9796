#include "wattfill/training/kareus.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "training/jobs.hpp"
#include "training/projects.hpp"

using namespace wattfill;
using namespace wattfill::test;

TEST_CASE("The microbatch frontier is that of trying every combination of clock and settings") {
  Dice dice(11);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<PartitionKind> kinds;
    for (int k = 0; k < 3; ++k) {
      PartitionKind kind{"kind", 1.0 + dice.upto(3), {}, {}};
      for (double clock : {1000.0, 1200.0})
        for (int i = 0; i <= dice.upto(5); ++i) {
          kind.settings.push_back({clock, 0, 0, i + 1, 512});
          kind.costs.push_back({1.0 + dice.upto(20), 100.0 + dice.upto(400)});
        }
      kinds.push_back(std::move(kind));
    }
    std::vector<OutsideCost> const outside{{1000, {3, 50}}, {1200, {2, 60}}};
    constexpr double static_w = 5;
    auto const found = microbatch_frontier(kinds, outside, static_w);
    std::vector<TwoObjectives> all;
    for (auto const& o : outside)
      for (std::size_t a = 0; a < kinds[0].settings.size(); ++a)
        for (std::size_t b = 0; b < kinds[1].settings.size(); ++b)
          for (std::size_t c = 0; c < kinds[2].settings.size(); ++c) {
            PartitionCost sum = o.cost;
            bool same = true;
            for (auto const& [k, i] : {std::pair{0U, a}, {1U, b}, {2U, c}}) {
              same = same && kinds[k].settings[i].clock_mhz == o.clock_mhz;
              sum.time_s += kinds[k].count * kinds[k].costs[i].time_s;
              sum.energy_j += kinds[k].count * kinds[k].costs[i].energy_j;
            }
            if (same) all.push_back({sum.time_s, sum.dynamic_j(static_w)});
          }
    auto const expected = unbeaten(all);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].cost.time_s == all[expected[i]].first);
      CHECK(found[i].cost.dynamic_j(static_w) == Approx(all[expected[i]].second));
      for (std::size_t k = 0; k < 3; ++k) CHECK(kinds[k].settings[found[i].setting[k]].clock_mhz == found[i].clock_mhz);
    }
    CHECK(profile_of(found)[0].knob == found[0].clock_mhz);
  }
}

TEST_CASE("Without a common clock there is no microbatch") {
  PartitionKind const kind{"attention", 1, {{1000, 0, 0, 1, 512}}, {{1, 1}}};
  CHECK(message([&] {
          microbatch_frontier({kind}, {{1200, {1, 1}}}, 0);
        }) == "no clock has a setting for every kind of partition (no microbatch could be run); give settings at a common clock");
}

TEST_CASE("Gains at equal time and at equal energy") {
  auto faster = small_job();
  for (auto& p : faster.profiles)
    for (auto& point : p.points) point = {point.knob, point.time_s * 0.5, point.energy_j * 0.8};
  auto const base = JobModel(small_job()).iteration(), other = JobModel(faster).iteration();
  auto const g = gain(base, other);
  CHECK(g.iso_time == Approx(1 - other.at(std::min(base.shortest_s(), other.best_s())) / base.at(base.shortest_s())));
  CHECK(g.iso_time > 0.2);
  CHECK(g.iso_energy == Approx(0.5));  // its fastest plan costs less already
  CHECK(gain(base, base).iso_time == Approx(0).margin(1e-12));
  CHECK(std::isnan(gain(other, base).iso_time));
}
