#include "wattfill/sim/device_kernel.hpp"

#include <cmath>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/snapshots.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

/// Replications by the lanes of a device as loops on the host.
std::vector<double> by_lanes(DeviceTables const& tables, std::uint64_t first, std::uint64_t count, bool backwards) {
  DeviceView const view{tables.header, tables.image.data()};
  HostLanes const lanes(backwards);
  std::vector<double> scores(count * tables.scores_per_replication), scratch(device_scratch(tables.header.stride));
  for (std::uint64_t r = 0; r < count; ++r) {
    std::ranges::fill(scratch, std::nan(""));
    DeviceReplication<HostLanes>(view, lanes, scratch.data(), scores.data() + r * tables.scores_per_replication).run(first + r);
  }
  return scores;
}

std::vector<double> directly(Snapshot const& snapshot, std::uint64_t first, std::uint64_t count) {
  Snapshot::Worker worker(snapshot);
  std::vector<double> scores(count * snapshot.scores_per_replication());
  for (std::uint64_t r = 0; r < count; ++r)
    snapshot.replicate(first + r, 1, worker, std::span(scores).subspan(r * snapshot.scores_per_replication(), snapshot.scores_per_replication()));
  return scores;
}

}  // namespace

TEST_CASE("the device's kernel gives the bits of the host's: random mixes, every policy, objective and kind of belief, lanes in either order") {
  constexpr Objective objectives[] = {Objective::gpu_speed, Objective::tokens, Objective::normalized, Objective::weighted, Objective::flops};
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    auto const curves = random_curves(draws, 1 + draws.below(seed % 10 == 0 ? 60 : 12));
    auto const spec = random_mix(draws, curves);
    BeliefSpec belief;
    if (draws.chance(0.4)) belief.source = PfiSource::class_median;
    auto const objective = objectives[draws.below(5)];
    auto targets = cuts({0, draws.between(0, 0.3), draws.between(0, 0.6), draws.between(0.5, 1)});
    targets.push_back({Target::Kind::limit_w, draws.between(0, 50000)});
    auto policies = every_policy();
    if (draws.chance(0.3)) policies.erase(policies.begin() + 1);  // proportional is only a reference then
    if (draws.chance(0.5)) policies.back().knows = Knowledge::perfect;
    Snapshot const snapshot(spec, policies, targets, belief, objective, seed);
    REQUIRE(snapshot.why_not_on_device().empty());
    auto const tables = snapshot.device_tables();
    auto const first = draws.below(2) * 5'000'000'000U;  // replications beyond 32 bits have words of their own
    auto const expected = directly(snapshot, first, 3);
    REQUIRE(same_bits(by_lanes(tables, first, 3, false), expected));
    REQUIRE(same_bits(by_lanes(tables, first, 3, true), expected));
  }
}
