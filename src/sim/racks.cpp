#include "sim/racks.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

namespace wattfill {
namespace {

constexpr std::size_t top = 0;  // of the tree; rack r is node r + 1

PowerTree tree_of(RackSpec const& racks, std::size_t count, double limit_w) {
  std::vector<PowerNode> nodes(count + 1);
  nodes[top].name = "all";
  nodes[top].limit_w = limit_w * (1 + racks.loss);  // what comes in for so many GPU watts
  for (std::size_t r = 0; r < count; ++r) {
    auto& node = nodes[r + 1];
    node.name = "rack" + std::to_string(r);
    node.parent = top;
    node.limit_w = racks.limit_w;
    node.loss = racks.loss;
  }
  return PowerTree(std::move(nodes));
}

}  // namespace

RackedJobs place_jobs(RackSpec const& racks, std::span<double const> counts, std::span<double const> gpus) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t l, std::size_t r) { return gpus[l] > gpus[r]; });
  RackedJobs placed;
  std::map<double, std::set<std::size_t>> free;  // racks by the GPUs that are left in them
  auto const open = [&](double used) {
    auto const rack = placed.racks++;
    if (racks.gpus - used > 0) free[racks.gpus - used].insert(rack);
    return rack + 1;
  };
  for (auto const c : order)
    for (double k = 0; k < counts[c]; ++k) {
      PlacedJob job{c, {}};
      auto left = gpus[c];
      for (; left > racks.gpus; left -= racks.gpus) job.pieces.push_back({open(racks.gpus), racks.gpus});
      auto first = free.end();
      for (auto fits = free.lower_bound(left); job.pieces.empty() && fits != free.end(); ++fits)
        if (first == free.end() || *fits->second.begin() < *first->second.begin()) first = fits;
      if (first == free.end()) {
        job.pieces.push_back({open(left), left});
      } else {
        auto const [room, rack] = std::pair(first->first, *first->second.begin());
        first->second.erase(first->second.begin());
        if (first->second.empty()) free.erase(first);
        if (room - left > 0) free[room - left].insert(rack);
        job.pieces.push_back({rack + 1, left});
      }
      placed.jobs.push_back(std::move(job));
    }
  std::ranges::stable_sort(placed.jobs, {}, &PlacedJob::cls);
  return placed;
}

RackedDraws fill_racks(RackSpec const& racks, RackedJobs const& placed, FillPlan const& plan, std::span<Demand const> demands, double limit_w, bool optimal) {
  auto const tree = tree_of(racks, placed.racks, limit_w);
  RackedDraws draws;
  auto best = optimal ? best_in_tree(tree, demands, placed.jobs) : std::nullopt;
  if (best) {
    draws.draw_w = std::move(best->draw_w);
    draws.bound = best->objective;
  } else {  // a fair fill; also where floors alone break a limit
    auto fill = fill_tree(tree, plan, placed.jobs);
    draws.draw_w = std::move(fill.draw_w);
    draws.shortfall_w = fill.shortfall_w / (1 + racks.loss);
  }
  for (std::size_t j = 0; j < placed.jobs.size(); ++j) draws.power_w += demands[placed.jobs[j].cls].gpus * draws.draw_w[j];
  return draws;
}

}  // namespace wattfill
