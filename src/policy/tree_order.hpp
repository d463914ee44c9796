#pragma once
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "wattfill/facility/power_tree.hpp"
#include "wattfill/policy/tree_fill.hpp"

namespace wattfill {

/// The pieces of all jobs in the order of a walk over the tree: what is below a node stands together.
class TreeOrder {
 public:
  struct Piece {
    std::size_t job, cls;
    double weight;  ///< GPUs x watts at the top per watt drawn there
  };

  TreeOrder(PowerTree const& tree, std::span<PlacedJob const> jobs) : begin_(tree.size()), end_(tree.size()) {
    auto const size = tree.size();
    std::vector<std::size_t> own(size), all(size);  // pieces at the node, and below it
    for (auto const& job : jobs)
      for (auto const& piece : job.pieces) ++own[piece.node];
    all = own;
    for (std::size_t n = size; n-- > 0;)
      if (tree[n].parent != PowerNode::no_parent) all[tree[n].parent] += all[n];
    std::vector<std::size_t> free(size), place(size);  // where the next child, and the next own piece, may begin
    std::size_t tops = 0;
    for (std::size_t n = 0; n < size; ++n) {
      auto& at = tree[n].parent == PowerNode::no_parent ? tops : free[tree[n].parent];
      begin_[n] = place[n] = at;
      at += all[n];
      end_[n] = at;
      free[n] = begin_[n] + own[n];
    }
    pieces_.resize(tops);
    for (std::size_t j = 0; j < jobs.size(); ++j)
      for (auto const& piece : jobs[j].pieces) pieces_[place[piece.node]++] = {j, jobs[j].cls, piece.gpus * tree.weight(piece.node)};
  }

  std::span<Piece const> below(std::size_t node) const { return std::span(pieces_).subspan(begin_[node], end_[node] - begin_[node]); }

 private:
  std::vector<Piece> pieces_;
  std::vector<std::size_t> begin_, end_;
};

}  // namespace wattfill
