#pragma once
#include <deque>
#include <string>
#include <vector>

#include "support/curves.hpp"
#include "support/draws.hpp"
#include "wattfill/policy/demand.hpp"
#include "wattfill/policy/tree_fill.hpp"

namespace wattfill::testing {

inline PowerNode node(std::string name, std::size_t parent, double limit_w) { return {.name = std::move(name), .parent = parent, .limit_w = limit_w}; }

/// Demands of random curves, floors above the lowest draw now and then.
struct RandomDemands {
  std::deque<Curve> curves;
  std::vector<Demand> demands;

  RandomDemands(Draws& draw, std::size_t count) : curves(random_curves(draw, count)) {
    for (auto& curve : curves) {
      curve.gpus = 1;
      Demand d;
      d.believed = &curve;
      d.uncapped_w = curve.curve.max_draw();
      d.floor_w = curve.curve.min_draw() + (draw.chance(0.5) ? 0 : draw.share() * 0.5 * (d.uncapped_w - curve.curve.min_draw()));
      d.value = draw.between(0.5, 3);
      d.pfi = draw.between(1, 3);
      d.a = draw.between(0.1, 1);
      d.b = draw.between(0.1, 1);
      demands.push_back(d);
    }
  }
};

/// Three levels: a feed, PDUs, racks; limits that sometimes bind and sometimes not; losses; up to `most_jobs` jobs, of which a share spans.
struct RandomTree {
  std::vector<PowerNode> nodes;
  std::vector<std::size_t> racks;
  std::vector<PlacedJob> jobs;

  RandomTree(Draws& draw, RandomDemands const& of, std::size_t most_jobs, double spanning, double least_share) {
    auto const pdus = 1 + draw.below(3);
    nodes.push_back({.name = "feed", .loss = draw.chance(0.5) ? 0 : draw.between(0, 0.1), .fixed_loss_w = draw.chance(0.5) ? 0 : draw.between(0, 50)});
    for (std::size_t p = 0; p < pdus; ++p)
      nodes.push_back({.name = "pdu" + std::to_string(p), .parent = 0, .loss = draw.chance(0.5) ? 0 : draw.between(0, 0.1)});
    for (std::size_t p = 0; p < pdus; ++p)
      for (std::size_t r = 0; r <= draw.below(3); ++r) {
        racks.push_back(nodes.size());
        nodes.push_back({.name = "rack" + std::to_string(nodes.size()), .parent = p + 1});
      }
    for (std::size_t j = 0; j <= draw.below(most_jobs); ++j) {
      PlacedJob job{draw.below(of.demands.size()), {{racks[draw.below(racks.size())], static_cast<double>(1 + draw.below(16))}}};
      while (draw.chance(spanning)) job.pieces.push_back({racks[draw.below(racks.size())], static_cast<double>(1 + draw.below(16))});
      jobs.push_back(job);
    }
    // Limits as shares of what everyone uncapped would bring in, floors aside.
    std::vector<std::vector<JobPiece>> pieces;
    std::vector<double> most, least;
    for (auto const& job : jobs) {
      pieces.push_back(job.pieces);
      most.push_back(of.demands[job.cls].uncapped_w);
      least.push_back(of.demands[job.cls].floor_w);
    }
    PowerTree const unlimited(nodes);
    auto const high = unlimited.flows_w(pieces, most), low = unlimited.flows_w(pieces, least);
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (draw.chance(0.75)) nodes[n].limit_w = low[n] * 1.000001 + draw.between(least_share, 1.2) * (high[n] - low[n]);
    for (auto& n : nodes) n.limit_w = std::max(0.0, n.limit_w);
  }
  std::vector<std::vector<JobPiece>> pieces() const {
    std::vector<std::vector<JobPiece>> all;
    for (auto const& job : jobs) all.push_back(job.pieces);
    return all;
  }
};

}  // namespace wattfill::testing
