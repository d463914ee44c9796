#pragma once
#include <cstdint>
#include <vector>

#include "training/flow_network.hpp"
#include "wattfill/training/frontier.hpp"

namespace wattfill::training {

/// Successive longest paths in a network of prices, from the longest schedule down to the shortest. Two trees of tight arcs, one from the source and one to
/// the sink, survive from one augmentation to the next. src/training/README.md explains it.
class ParametricFlow {
 public:
  ParametricFlow(FlowNetwork& network, std::int32_t range);

  /// Shortens the schedule at the present price of time until the trees meet: the price goes up here. Stops at `limit` steps below the longest time if
  /// that is before; false then.
  bool shorten(std::int32_t limit);
  /// Sends what fits along the path on which the trees have met; false when nothing bounds it (the time is the shortest).
  bool augment();

  std::int32_t offset() const { return offset_; }  ///< steps below the longest time
  std::int64_t flow() const { return flow_; }      ///< price of one more step [units]
  std::vector<std::int32_t> const& longest_times() const { return longest_times_; }
  /// Times of all events now; `moves`, if given, says which of them move with the sink when the schedule goes on shortening.
  void times(std::vector<std::int32_t>& times) const;
  bool moves(std::int32_t v) const { return node(v).side != Side::source; }
  Frontier::Effort const& effort() const { return effort_; }

 private:
  enum class Side : std::int32_t { none, source, sink };
  struct Node {
    std::int32_t time;         ///< in the source's tree: its time; elsewhere its time + offset, which stays while it moves with the sink
    Side side = Side::none;    ///< whose tree
    std::int32_t parent = -1;  ///< half from the parent (source's tree) or to the parent (sink's tree); -1 for roots and orphans
    std::int32_t first_child = -1, next = -1, previous = -1;
    std::int32_t stamp = 0, depth = 0;  ///< distance to the root, if found since the last augmentation
  };
  struct Place {
    std::int32_t key = -1, next = -1, previous = -1;
  };
  Node& node(std::int32_t v) { return nodes_[static_cast<std::size_t>(v)]; }
  Node const& node(std::int32_t v) const { return nodes_[static_cast<std::size_t>(v)]; }
  FlowNetwork::Half& half(std::int32_t h) { return network_.halves[static_cast<std::size_t>(h)]; }
  std::int32_t begin(std::int32_t v) const { return network_.first_half[static_cast<std::size_t>(v)]; }
  std::int32_t end(std::int32_t v) const { return network_.first_half[static_cast<std::size_t>(v) + 1]; }
  std::int32_t above(Node const& child) { return child.side == Side::source ? half(child.parent).from : half(child.parent).to; }

  void queue(std::int32_t h);
  void link(std::int32_t v, std::int32_t parent);
  void unlink(std::int32_t v);
  void enter_source_tree(std::int32_t v, std::int32_t parent);
  void enter_sink_tree(std::int32_t v, std::int32_t parent);
  void grow_sink_tree();
  bool grow_source_tree();
  std::int32_t depth(std::int32_t v);
  void send(std::int64_t amount);
  void orphan(std::int32_t v);
  void adopt();
  bool adopted(std::int32_t v);
  void release(std::int32_t v);

  FlowNetwork& network_;
  std::int32_t range_;
  std::vector<std::int32_t> longest_times_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> bucket_;  ///< first half out of the source's tree that becomes tight at each offset
  std::vector<Place> places_;         ///< of each half, in its bucket
  std::vector<std::int32_t> ready_;   ///< halves out of the source's tree that are tight now, first come first served
  std::size_t next_ready_ = 0;
  std::vector<std::int32_t> joining_;  ///< tight halves into the sink's tree from vertices of neither
  std::size_t next_joining_ = 0;
  std::vector<std::int32_t> orphans_;
  std::int32_t bridge_ = -1;  ///< the half on which the trees have met
  std::int32_t offset_ = 0, stamp_ = 0;
  std::int64_t flow_ = 0;
  Frontier::Effort effort_;
};

}  // namespace wattfill::training
