#pragma once
#include <cstdint>
#include <vector>

#include "training/flow_network.hpp"
#include "wattfill/training/frontier.hpp"

namespace wattfill::training {

/// Successive longest paths in a network of prices, from the longest schedule down to the shortest. Two trees of tight arcs, one from the source and
/// one to the sink, survive from one augmentation to the next. src/training/README.md explains it.
class ParametricFlow {
 public:
  ParametricFlow(FlowNetwork& network, std::int32_t range);

  /// Shortens the schedule at the present price of time until the trees meet: the price goes up here. Stops at `limit` steps below the longest time
  /// if that is before; false then.
  bool shorten(std::int32_t limit);
  /// Sends what fits along the path on which the trees have met; false when nothing bounds it (the time is the shortest).
  bool augment();

  std::int32_t offset() const { return offset_; }  ///< steps below the longest time
  std::int64_t flow() const { return flow_; }      ///< price of one more step [units]
  std::vector<std::int32_t> const& longest_times() const { return longest_times_; }
  /// Times of all events now.
  void times(std::vector<std::int32_t>& times) const;
  /// Whether an event moves with the sink while the schedule goes on shortening to the next whole step.
  bool moves(std::int32_t v) const { return events_[static_cast<std::size_t>(v)].side != Side::source; }
  Frontier::Effort const& effort() const { return effort_; }

 private:
  enum class Side : std::int32_t { none, source, sink };
  /// What searches read of a vertex.
  struct Event {
    std::int32_t time;       ///< in the source's tree: its time; elsewhere its time + offset, which stays while it moves with the sink
    Side side = Side::none;  ///< whose tree
  };
  /// Its place in a tree.
  struct Branch {
    std::int32_t parent = -1;  ///< link to the parent; -1 for roots and orphans
    std::int32_t above = -1;   ///< the vertex there
    std::int32_t first_child = -1, next = -1, previous = -1;
    std::int32_t stamp = 0, depth = 0;  ///< distance to the root, if found since the last augmentation
  };
  /// A link in a list of those that become tight at the same offset.
  struct Note {
    std::int32_t link, next;
  };
  /// A vertex and a link at it.
  struct Step {
    std::int32_t vertex, link;
  };
  Event& event(std::int32_t v) { return events_[static_cast<std::size_t>(v)]; }
  Branch& branch(std::int32_t v) { return branches_[static_cast<std::size_t>(v)]; }
  FlowNetwork::Link& link(std::int32_t h) { return network_.links[static_cast<std::size_t>(h)]; }
  std::int32_t first(std::int32_t v) const { return network_.first_link[static_cast<std::size_t>(v)]; }
  std::int32_t last(std::int32_t v) const { return network_.first_link[static_cast<std::size_t>(v) + 1]; }
  std::int32_t above(std::int32_t v) { return branch(v).above; }

  void queue(std::int32_t h, std::int32_t key);
  void hang(std::int32_t v, std::int32_t parent);
  void take_down(std::int32_t v);
  void enter_source_tree(std::int32_t v, std::int32_t parent);
  void enter_sink_tree(std::int32_t v, std::int32_t parent);
  void grow_sink_tree();
  bool grow_source_tree();
  std::int32_t depth(std::int32_t v);
  void send(std::int64_t amount);
  void adopt();
  bool may_hang(std::int32_t h, Event const& self, Side side);
  bool adopted(std::int32_t v);
  bool turned(std::int32_t v);
  void turn(std::int32_t v, std::int32_t parent);
  void release();

  FlowNetwork& network_;
  std::int32_t range_;
  std::vector<std::int32_t> longest_times_;
  std::vector<Event> events_;
  std::vector<Branch> branches_;
  std::vector<std::int32_t> noted_;  ///< of each offset, the first note of a link out of the source's tree that becomes tight there
  std::vector<std::int32_t> key_;    ///< of each link, the offset it was noted at last
  std::vector<Note> notes_;
  std::int32_t free_note_ = -1;
  std::vector<std::int32_t> ready_;  ///< links out of the source's tree that are tight now, first come first served
  std::size_t next_ready_ = 0;
  std::vector<Step> joining_;  ///< tight links into the sink's tree from vertices of neither
  std::size_t next_joining_ = 0;
  std::vector<Step> path_;  ///< from the bridge to the source, then from the bridge to the sink: each vertex, and the link between it and its parent
  std::size_t middle_ = 0;
  std::vector<std::int32_t> orphans_;
  std::vector<std::int32_t> limb_;  ///< an orphan and what hangs on it by arcs that its tree can walk both ways
  std::int32_t bridge_ = -1;        ///< the link on which the trees have met
  std::int32_t offset_ = 0, stamp_ = 0;
  std::int64_t flow_ = 0;
  Frontier::Effort effort_;
};

}  // namespace wattfill::training
