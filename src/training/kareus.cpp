#include "wattfill/training/kareus.hpp"

#include <algorithm>
#include <limits>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

TwoObjectives objectives(PartitionCost const& c, double static_w) { return {c.time_s, c.dynamic_j(static_w)}; }

std::vector<MicrobatchOption> kept(std::vector<MicrobatchOption> options, double static_w) {
  std::vector<TwoObjectives> points;
  for (auto const& o : options) points.push_back(objectives(o.cost, static_w));
  std::vector<MicrobatchOption> result;
  for (auto i : unbeaten(points)) result.push_back(std::move(options[i]));
  return result;
}

}  // namespace

std::vector<MicrobatchOption> microbatch_frontier(std::vector<PartitionKind> const& kinds, std::vector<OutsideCost> const& outside, double static_w) {
  std::vector<MicrobatchOption> all;
  for (auto const& o : outside) {
    std::vector<MicrobatchOption> sums{{o.clock_mhz, o.cost, {}}};
    for (auto const& kind : kinds) {
      std::vector<std::size_t> here;
      std::vector<TwoObjectives> points;
      for (std::size_t i = 0; i < kind.settings.size(); ++i)
        if (kind.settings[i].clock_mhz == o.clock_mhz) {
          here.push_back(i);
          points.push_back(objectives(kind.costs[i], static_w));
        }
      std::vector<MicrobatchOption> next;
      auto const useful = unbeaten(points);
      for (auto const& sum : sums)
        for (auto u : useful) {
          auto const& c = kind.costs[here[u]];
          next.push_back({sum.clock_mhz, {sum.cost.time_s + kind.count * c.time_s, sum.cost.energy_j + kind.count * c.energy_j}, sum.setting});
          next.back().setting.push_back(here[u]);
        }
      sums = kept(std::move(next), static_w);
    }
    for (auto& s : sums) all.push_back(std::move(s));
  }
  if (all.empty()) throw InputError("no clock has a setting for every kind of partition (no microbatch could be run); give settings at a common clock");
  return kept(std::move(all), static_w);
}

std::vector<ProfilePoint> profile_of(std::vector<MicrobatchOption> const& options) {
  std::vector<ProfilePoint> points;
  for (auto const& o : options) points.push_back({o.clock_mhz, o.cost.time_s, o.cost.energy_j});
  return points;
}

FrontierGain gain(IterationEnergy const& base, IterationEnergy const& other) {
  constexpr auto none = std::numeric_limits<double>::quiet_NaN();
  auto const time_s = base.shortest_s(), energy_j = base.at(time_s);
  FrontierGain result{none, none};
  if (other.shortest_s() <= time_s) result.iso_time = 1 - other.at(std::min(time_s, other.best_s())) / energy_j;
  if (other.at(other.best_s()) <= energy_j) result.iso_energy = 1 - other.time_for_energy(energy_j) / time_s;
  return result;
}

}  // namespace wattfill
