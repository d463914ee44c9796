#pragma once
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace wattfill {

/// A feed, transformer, PDU, rack or node: power comes in from its parent and goes out to its children or its jobs.
struct PowerNode {
  static constexpr std::size_t no_parent = static_cast<std::size_t>(-1);

  std::string name;
  std::size_t parent = no_parent;                            ///< index of the node that feeds it; comes before it
  double limit_w = std::numeric_limits<double>::infinity();  ///< on what comes in [W], >= 0; infinity: none
  double loss = 0;                                           ///< comes in beyond what goes out, as a share of what goes out, >= 0
  double fixed_loss_w = 0;                                   ///< the same whatever goes out [W], >= 0
};

/// Some GPUs of a job below a node.
struct JobPiece {
  std::size_t node;
  double gpus;
};

/// How power is delivered: a tree (or several: one per feed) of limits with losses. Losses are linear, so that every limit can be read in watts at the
/// top of its tree: a watt drawn below node n is `weight(n)` watts there, and what runs below n may draw `room_w(n)` of them. Fills compose in these watts as
/// min(limit, sum of children), whatever the losses.
class PowerTree {
 public:
  /// Throws InputError that names the node if a parent does not come before its child, two nodes share a name, or a value is out of its range.
  explicit PowerTree(std::vector<PowerNode> nodes);

  std::size_t size() const { return nodes_.size(); }
  PowerNode const& operator[](std::size_t node) const { return nodes_[node]; }
  /// Watts at the top for each watt drawn by a job at this node, losses of the node itself included.
  double weight(std::size_t node) const { return weight_[node]; }
  /// Watts at the top for each watt that comes into this node.
  double weight_in(std::size_t node) const;
  /// What jobs below the node may draw, in watts at the top; infinity without a limit, negative if fixed losses alone are above the limit.
  double room_w(std::size_t node) const { return room_w_[node]; }

  /// What comes into every node when `draw_w[j]` is the draw of one GPU of job j [W], whose GPUs are `pieces[j]`.
  std::vector<double> flows_w(std::span<std::vector<JobPiece> const> pieces, std::span<double const> draw_w) const;

 private:
  std::vector<PowerNode> nodes_;
  std::vector<double> weight_, room_w_;
};

}  // namespace wattfill
