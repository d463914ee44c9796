#include "sim/racks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>

namespace wattfill {
namespace {

constexpr std::size_t top = 0;  // of the tree; then PDUs, then racks

/// Watts that come in at the top for each that a GPU draws.
double weight_of(RackSpec const& racks) { return (1 + racks.loss) * (racks.pdu_racks > 0 ? 1 + racks.pdu_loss : 1); }

PowerTree tree_of(RackSpec const& racks, RackedJobs const& placed, double limit_w) {
  std::vector<PowerNode> nodes(1 + placed.pdus + placed.racks);
  nodes[top].name = "all";
  nodes[top].limit_w = limit_w * weight_of(racks);
  for (std::size_t p = 0; p < placed.pdus; ++p)
    nodes[1 + p] = {.name = "pdu" + std::to_string(p), .parent = top, .limit_w = racks.pdu_limit_w, .loss = racks.pdu_loss};
  for (std::size_t r = 0; r < placed.racks; ++r)
    nodes[1 + placed.pdus + r] = {.name = "rack" + std::to_string(r),
                                  .parent = placed.pdus > 0 ? 1 + static_cast<std::size_t>(static_cast<double>(r) / racks.pdu_racks) : top,
                                  .limit_w = racks.limit_w,
                                  .loss = racks.loss};
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
  if (racks.pdu_racks > 0) placed.pdus = static_cast<std::size_t>(std::ceil(static_cast<double>(placed.racks) / racks.pdu_racks));
  for (auto& job : placed.jobs)
    for (auto& piece : job.pieces) piece.node += placed.pdus;
  return placed;
}

RackedDraws fill_racks(RackSpec const& racks, RackedJobs const& placed, FillPlan const& plan, std::span<Demand const> demands, double limit_w, bool optimal) {
  auto const tree = tree_of(racks, placed, limit_w);
  RackedDraws draws;
  auto best = optimal ? best_in_tree(tree, demands, placed.jobs) : std::nullopt;
  if (best) {
    draws.draw_w = std::move(best->draw_w);
    draws.bound = best->objective;
  } else {  // a fair fill; also where floors alone break a limit
    auto fill = fill_tree(tree, plan, placed.jobs);
    draws.draw_w = std::move(fill.draw_w);
    draws.shortfall_w = fill.shortfall_w / weight_of(racks);
  }
  for (std::size_t j = 0; j < placed.jobs.size(); ++j) draws.power_w += demands[placed.jobs[j].cls].gpus * draws.draw_w[j];
  return draws;
}

}  // namespace wattfill
