#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "support/mixes.hpp"
#include "wattfill/sim/snapshot.hpp"

namespace wattfill::testing {

inline std::vector<Target> cuts(std::vector<double> const& values) {
  std::vector<Target> targets;
  for (double v : values) targets.push_back({Target::Kind::cut, v});
  return targets;
}

/// Scores of one replication with a way to name them.
struct Scored {
  std::vector<double> all;
  std::size_t targets;
  double at(std::size_t policy, std::size_t target, std::size_t s) const { return all[(policy * targets + target) * score::count + s]; }
  std::span<double const> of(std::size_t policy) const { return std::span(all).subspan(policy * targets * score::count, targets * score::count); }
};
inline Scored replicate(Snapshot const& snapshot, std::uint64_t replication) {
  Snapshot::Worker worker(snapshot);
  Scored scored{std::vector<double>(snapshot.scores_per_replication()), snapshot.targets()};
  snapshot.replicate(replication, 1, worker, scored.all);
  return scored;
}

/// The jobs of an allocation one by one: T/T_max, ascending.
inline std::vector<double> job_speeds(std::vector<Allocation> const& allocations) {
  std::vector<double> speeds;
  for (auto const& a : allocations)
    speeds.insert(speeds.end(), static_cast<std::size_t>(a.jobs), a.cls.curve->curve.speed(a.draw_w) / a.cls.curve->curve.max_speed());
  std::ranges::sort(speeds);
  return speeds;
}

}  // namespace wattfill::testing
