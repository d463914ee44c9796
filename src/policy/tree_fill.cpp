#include "wattfill/policy/tree_fill.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

#include "policy/tree_order.hpp"
#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

using Level = FillPlan::Place;

double draw_at(FillPlan const& plan, std::size_t cls, Level const& level) {
  auto const here = plan.draws(level.knot)[cls];
  if (!(level.theta > 0)) return here;
  auto const there = plan.draws(level.knot + 1)[cls];
  return std::min(here + level.theta * (there - here), there);
}

class Filling {
 public:
  Filling(PowerTree const& tree, FillPlan const& plan, std::span<PlacedJob const> jobs)
      : tree_(tree), plan_(plan), jobs_(jobs), order_(tree, jobs), weight_of_(plan.classes()), touched_(plan.classes()), stale_(tree.size()) {
    fill_.draw_w.resize(jobs.size());
    fill_.level.assign(jobs.size(), {plan.knots() - 1, 0});
    fill_.held_by.assign(jobs.size(), TreeFill::nobody);
    frozen_.resize(jobs.size());
  }

  TreeFill run() {
    for (std::size_t n = 0; n < tree_.size(); ++n)
      if (std::isfinite(tree_.room_w(n))) push(n);
    while (!next_.empty()) {
      auto const [level, node] = next_.top();
      next_.pop();
      if (stale_[node])
        push(node);
      else
        freeze(node, level);
    }
    for (std::size_t j = 0; j < jobs_.size(); ++j) fill_.draw_w[j] = draw_at(plan_, jobs_[j].cls, fill_.level[j]);
    return std::move(fill_);
  }

 private:
  struct Entry {
    Level level;
    std::size_t node;
    bool operator<(Entry const& other) const { return std::tie(other.level, other.node) < std::tie(level, node); }  // the lowest on top
  };

  /// Computes how far the jobs below a node that still rise can come under its limit; a node that holds nobody is done.
  void push(std::size_t node) {
    stale_[node] = false;
    double frozen_w = 0;
    classes_.clear();
    for (auto const& piece : order_.below(node)) {
      auto const cls = piece.cls;
      if (frozen_[piece.job]) {
        frozen_w += piece.weight * draw_at(plan_, cls, fill_.level[piece.job]);
        continue;
      }
      if (!touched_[cls]) {
        touched_[cls] = true;
        weight_of_[cls] = 0;
        classes_.push_back(cls);
      }
      weight_of_[cls] += piece.weight;
    }
    for (auto const cls : classes_) touched_[cls] = false;
    if (classes_.empty()) return;
    std::ranges::sort(classes_);  // one order of sums, wherever the jobs stand
    auto const room = tree_.room_w(node) - frozen_w;
    auto const floors = power(0);
    if (floors > room) fill_.shortfall_w = std::max(fill_.shortfall_w, (floors - room) / tree_.weight_in(node));
    if (auto const level = highest(room)) next_.push({*level, node});
  }

  double power(std::size_t knot) const {
    auto const draws = plan_.draws(knot);
    double total = 0;
    for (auto const cls : classes_) total += weight_of_[cls] * draws[cls];
    return total;
  }

  /// The highest level with power <= room; the lowest of all if there is none, nothing if the end of the path fits.
  std::optional<Level> highest(double room) const {
    auto high = plan_.knots() - 1;
    if (power(high) <= room) return std::nullopt;
    if (!(power(0) < room)) return Level{0, 0};
    std::size_t low = 0;  // power(low) < room < power(high)
    while (high - low > 1) {
      auto const middle = low + (high - low) / 2;
      (power(middle) < room ? low : high) = middle;
    }
    auto const below = power(low);
    auto const theta = (room - below) / (power(high) - below);
    return theta < 1 ? Level{low, theta} : Level{high, 0};
  }

  void freeze(std::size_t node, Level const& level) {
    for (auto const& piece : order_.below(node)) {
      if (frozen_[piece.job]) continue;
      frozen_[piece.job] = true;
      fill_.level[piece.job] = level;
      fill_.held_by[piece.job] = node;
      for (auto const& part : jobs_[piece.job].pieces)
        for (auto n = part.node; n != PowerNode::no_parent; n = tree_[n].parent) stale_[n] = true;
    }
  }

  PowerTree const& tree_;
  FillPlan const& plan_;
  std::span<PlacedJob const> jobs_;
  TreeOrder order_;
  std::vector<double> weight_of_;
  std::vector<std::size_t> classes_;
  std::vector<bool> touched_, stale_, frozen_;
  std::priority_queue<Entry> next_;
  TreeFill fill_;
};

}  // namespace

TreeFill fill_tree(PowerTree const& tree, FillPlan const& plan, std::span<PlacedJob const> jobs) {
  WATTFILL_ASSERT(plan.knots() > 0);
  return Filling(tree, plan, jobs).run();
}

}  // namespace wattfill
