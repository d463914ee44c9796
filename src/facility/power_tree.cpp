#include "wattfill/facility/power_tree.hpp"

#include <set>

#include "wattfill/core/error.hpp"

namespace wattfill {

PowerTree::PowerTree(std::vector<PowerNode> nodes) : nodes_(std::move(nodes)), weight_(nodes_.size()), room_w_(nodes_.size()) {
  std::set<std::string> names;
  std::vector<double> fixed_w(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    auto const& node = nodes_[n];
    auto const refuse = [&](std::string const& key, std::string const& what) { throw InputError({{}, "tree." + node.name + key, what}); };
    if (!names.insert(node.name).second) refuse("", "two nodes have this name (jobs are placed by name); rename one");
    if (node.parent != PowerNode::no_parent && node.parent >= n) refuse(".parent", "a node must come after the one that feeds it; put it below");
    if (!(node.limit_w >= 0)) refuse(".limit_w", "must be 0 or more");
    if (!(0 <= node.loss && node.loss <= 1e3)) refuse(".loss", "is out of range (0 to 1000 is possible)");
    if (!(0 <= node.fixed_loss_w && node.fixed_loss_w <= 1e15)) refuse(".fixed_loss_w", "is out of range (0 or more is possible)");
    weight_[n] = weight_in(n) * (1 + node.loss);
  }
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    fixed_w[n] += nodes_[n].fixed_loss_w * weight_in(n);
    room_w_[n] = nodes_[n].limit_w * weight_in(n) - fixed_w[n];
    if (nodes_[n].parent != PowerNode::no_parent) fixed_w[nodes_[n].parent] += fixed_w[n];
  }
}

double PowerTree::weight_in(std::size_t node) const {
  auto const parent = nodes_[node].parent;
  return parent == PowerNode::no_parent ? 1 : weight_[parent];
}

std::vector<double> PowerTree::flows_w(std::span<std::vector<JobPiece> const> pieces, std::span<double const> draw_w) const {
  std::vector<double> out(nodes_.size());
  for (std::size_t j = 0; j < pieces.size(); ++j)
    for (auto const& piece : pieces[j]) out[piece.node] += piece.gpus * draw_w[j];
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    out[n] = nodes_[n].fixed_loss_w + out[n] * (1 + nodes_[n].loss);  // what comes in
    if (nodes_[n].parent != PowerNode::no_parent) out[nodes_[n].parent] += out[n];
  }
  return out;
}

}  // namespace wattfill
