#include "wattfill/policy/tree_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "policy/fills.hpp"
#include "policy/linear_program.hpp"

namespace wattfill {
namespace {

/// A stretch of a job's hull.
struct Segment {
  std::size_t job;
  double gain;   ///< objective per watt of the whole job
  double width;  ///< watts of the whole job
  double worth;  ///< objective per watt at the top; below one leaf every watt of a job weighs the same in all limits above it
};

double gpus_of(PlacedJob const& job) {
  double gpus = 0;
  for (auto const& piece : job.pieces) gpus += piece.gpus;
  return gpus;
}

/// Watts at the top per watt of the whole job below node n, for one piece.
double share(PowerTree const& tree, PlacedJob const& job, JobPiece const& piece) { return piece.gpus * tree.weight(piece.node) / gpus_of(job); }

bool spans(PlacedJob const& job) {
  return std::ranges::any_of(job.pieces, [&](JobPiece const& piece) { return piece.node != job.pieces.front().node; });
}

class TreeProblem {
 public:
  TreeProblem(PowerTree const& tree, std::span<Demand const> demands, std::span<PlacedJob const> jobs) : tree_(tree), jobs_(jobs), room_(tree.size()) {
    for (std::size_t n = 0; n < tree.size(); ++n) room_[n] = tree.room_w(n);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      auto const& demand = demands[jobs[j].cls];
      auto const& curve = demand.believed->curve;
      auto const gpus = gpus_of(jobs[j]);
      optimum_.draw_w.push_back(demand.floor_w);
      take(j, gpus * demand.floor_w);
      if (!demand.adjustable()) {
        optimum_.objective += demand.value * curve.speed(demand.floor_w) / curve.max_speed();
        continue;
      }
      auto const hull = believed_hull(demand);
      auto const per_speed = demand.loss_scale * demand.value / curve.max_speed();
      optimum_.objective += demand.value - per_speed * (curve.max_speed() - hull.front().speed);
      auto last = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i + 1 < hull.size(); ++i) {
        auto const width = gpus * (hull[i + 1].draw_w - hull[i].draw_w);
        last = std::min(last, per_speed * (hull[i + 1].speed - hull[i].speed) / width);  // slopes fall; rounding may not say otherwise
        segments_.push_back({j, last, width, last / tree.weight(jobs[j].pieces.front().node)});
      }
    }
  }

  bool feasible() const {
    for (std::size_t n = 0; n < tree_.size(); ++n)
      if (room_[n] < -1e-9 * std::max(1.0, std::fabs(tree_.room_w(n)))) return false;
    return true;
  }

  TreeOptimum greedy() {
    std::ranges::stable_sort(segments_, [](Segment const& l, Segment const& r) { return l.worth > r.worth; });
    for (auto const& s : segments_) {
      auto const node = jobs_[s.job].pieces.front().node;
      double room = s.width * tree_.weight(node);
      for (auto n = node; n != PowerNode::no_parent; n = tree_[n].parent) room = std::min(room, room_[n]);
      if (room > 0) give(s, std::min(s.width, room / tree_.weight(node)));
    }
    return std::move(optimum_);
  }

  std::optional<TreeOptimum> program() {
    LinearProgram lp;
    std::vector<std::size_t> row(tree_.size(), std::numeric_limits<std::size_t>::max());
    for (auto const& s : segments_) {
      std::vector<std::pair<std::size_t, double>> below;  // node, watts at the top per watt
      for (auto const& piece : jobs_[s.job].pieces)
        for (auto n = piece.node; n != PowerNode::no_parent; n = tree_[n].parent)
          if (std::isfinite(room_[n])) {
            auto const at = std::ranges::find(below, n, &std::pair<std::size_t, double>::first);
            auto const w = share(tree_, jobs_[s.job], piece);
            if (at == below.end())
              below.emplace_back(n, w);
            else
              at->second += w;
          }
      for (auto const& [n, w] : below) {
        if (row[n] == std::numeric_limits<std::size_t>::max()) {
          row[n] = lp.limit.size();
          lp.limit.push_back(std::max(0.0, room_[n]));
        }
        lp.entries.push_back({row[n], lp.gain.size(), w});
      }
      lp.gain.push_back(s.gain);
      lp.most.push_back(s.width);
    }
    auto const x = maximum(lp);
    if (!x) return std::nullopt;
    for (std::size_t i = 0; i < segments_.size(); ++i) give(segments_[i], std::clamp((*x)[i], 0.0, segments_[i].width));
    return std::move(optimum_);
  }

 private:
  void take(std::size_t job, double watts) {
    for (auto const& piece : jobs_[job].pieces)
      for (auto n = piece.node; n != PowerNode::no_parent; n = tree_[n].parent) room_[n] -= watts * share(tree_, jobs_[job], piece);
  }
  void give(Segment const& s, double watts) {
    take(s.job, watts);
    optimum_.draw_w[s.job] += watts / gpus_of(jobs_[s.job]);
    optimum_.objective += s.gain * watts;
  }

  PowerTree const& tree_;
  std::span<PlacedJob const> jobs_;
  std::vector<double> room_;  // watts at the top that are left at each node
  std::vector<Segment> segments_;
  TreeOptimum optimum_;
};

}  // namespace

bool linear_programs_are_solved() { return have_solver(); }

std::optional<TreeOptimum> best_in_tree_by_program(PowerTree const& tree, std::span<Demand const> demands, std::span<PlacedJob const> jobs) {
  TreeProblem problem(tree, demands, jobs);
  return problem.feasible() ? problem.program() : std::nullopt;
}

std::optional<TreeOptimum> best_in_tree(PowerTree const& tree, std::span<Demand const> demands, std::span<PlacedJob const> jobs) {
  if (std::ranges::any_of(jobs, spans)) return best_in_tree_by_program(tree, demands, jobs);
  TreeProblem problem(tree, demands, jobs);
  return problem.feasible() ? std::optional(problem.greedy()) : std::nullopt;
}

}  // namespace wattfill
