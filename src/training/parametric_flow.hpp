#pragma once
#include <cstdint>
#include <vector>

#include "training/flow_network.hpp"
#include "wattfill/training/frontier.hpp"

namespace wattfill::training {

/// Successive longest paths in a network of prices: from the longest schedule down to the shortest. src/training/README.md explains it.
class ParametricFlow {
 public:
  /// An event outside the tree from one offset to another: there it moved with the end.
  struct Move {
    std::int32_t vertex, from, to;
  };

  ParametricFlow(FlowNetwork& network, std::int32_t range);

  /// Grows the tree until the sink is in it; the offset becomes that at which the price of time next goes up.
  void grow();
  /// Sends what fits along the tree; false when nothing bounds it (the time is the shortest).
  bool augment();

  std::int32_t offset() const { return offset_; }
  std::int64_t flow() const { return flow_; }
  /// Times of all events now.
  void times(std::vector<std::int32_t>& times) const;
  /// All moves; those that last are ended at the present offset.
  std::vector<Move> take_moves();
  std::vector<std::int32_t> const& longest_times() const { return longest_times_; }
  Frontier::Effort const& effort() const { return effort_; }

 private:
  struct Node {
    std::int32_t time;  ///< inside the tree: its time; outside: its time + offset, which stays while both move
    std::int32_t parent = -1;
    std::int32_t first_child = -1, next = -1, previous = -1;
    std::int32_t left_at = 0;
    bool inside = false;
  };
  Node& node(std::int32_t v) { return nodes_[static_cast<std::size_t>(v)]; }
  Node const& node(std::int32_t v) const { return nodes_[static_cast<std::size_t>(v)]; }
  FlowNetwork::Half& half(std::int32_t h) { return network_.halves[static_cast<std::size_t>(h)]; }

  void queue(std::int32_t h, std::int32_t key);
  void unqueue(std::int32_t h);
  void enter(std::int32_t v, std::int32_t parent);
  void scan(std::int32_t v);
  void detach(std::int32_t v);

  FlowNetwork& network_;
  std::int32_t range_;
  std::vector<std::int32_t> longest_times_;
  std::vector<Node> nodes_;
  struct Place {
    std::int32_t key = -1, next = -1, previous = -1;
  };
  std::vector<std::int32_t> bucket_;  ///< first half that becomes tight at each offset
  std::vector<Place> places_;         ///< of each half
  std::vector<std::int32_t> out_;     ///< scratch: the vertices that left
  std::vector<Move> moves_;
  std::int32_t offset_ = 0;
  std::int64_t flow_ = 0;
  Frontier::Effort effort_;
};

}  // namespace wattfill::training
