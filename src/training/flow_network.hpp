#pragma once
#include <cstdint>
#include <vector>

#include "wattfill/training/project.hpp"

namespace wattfill::training {

__extension__ using Wide = __int128;  ///< sums of products of flows and times, exactly

/// A project as a network of events: a computation is an arc from its start to its end, and what flows through it is a price of time [energy units
/// per time step]. A computation through which `f` flows wants the duration that minimises energy + f x duration: the more flows, the shorter.
///
/// Energies are whole numbers of units of 2^-exponent J, so that equal prices are equal and no tolerance is needed anywhere.
struct FlowNetwork {
  static constexpr std::int64_t unbounded = std::int64_t{1} << 62;
  static constexpr std::int64_t most_flow = std::int64_t{1} << 60;  ///< no finite sum of prices may exceed it
  static constexpr std::int32_t never = std::int32_t{1} << 30;      ///< longer than any time

  /// The duration a computation wants while its flow is in a range of this width. The first of a cost curve has width 0 and stands for "without end",
  /// the last is unbounded: nothing is shorter than the shortest.
  struct Segment {
    std::int64_t width;     ///< flow
    std::int32_t duration;  ///< time steps
  };
  /// One direction of an arc: forward, more may flow; backward, less. Here what searches read, sorted by the vertex it leaves.
  struct Link {
    std::int32_t to;
    std::int32_t length;   ///< duration of its segment, negative if backward; slack = time[to] - time[from] - length, never negative
    std::int32_t back;     ///< length of the other direction
    std::int32_t reverse;  ///< index of the other direction
  };
  /// Of each link, what augmentations read as well.
  struct Room {
    std::int64_t capacity;  ///< flow that fits into its segment
    std::int32_t segment;   ///< index
    std::int32_t step;      ///< to the segment after this one: +1 forward, -1 backward
  };

  /// The finest unit to try: 2^-48 J (2000 steps of 200 computations are rounded by less than 1e-9 J), or what the largest energy leaves room for.
  /// Where all prices together pass most_flow, try again `coarser` powers of two above.
  static int finest_unit(Project const& project);
  static constexpr int coarser = 8;

  FlowNetwork(Project const& project, std::vector<std::size_t> const& order, int exponent);

  /// Sends `amount` <= capacity through a link; true if it is used up and the link moved on to its next segment.
  bool push(std::int32_t h, std::int64_t amount) {
    auto& link = links[static_cast<std::size_t>(h)];
    auto& reverse = links[static_cast<std::size_t>(link.reverse)];
    auto& room = rooms[static_cast<std::size_t>(h)];
    auto& behind = rooms[static_cast<std::size_t>(link.reverse)];
    if (behind.segment == room.segment) {
      behind.capacity += amount;
    } else {
      behind.segment = room.segment;
      behind.capacity = amount;
      reverse.length = link.back = -link.length;
    }
    room.capacity -= amount;
    if (room.capacity > 0) return false;
    room.segment += room.step;
    auto const& next = segments[static_cast<std::size_t>(room.segment)];
    room.capacity = next.width;
    link.length = reverse.back = room.step * next.duration;
    return true;
  }
  std::int32_t from(std::int32_t h) const { return links[static_cast<std::size_t>(links[static_cast<std::size_t>(h)].reverse)].to; }

  /// Earliest times of all events, every computation taking its longest (or shortest) duration; the sink's is the critical path.
  std::vector<std::int32_t> earliest(bool longest) const;

  int exponent;
  std::int32_t source = 0, sink = 0, vertices = 0;
  std::vector<Segment> segments;
  std::vector<std::int32_t> first_segment;  ///< of each cost curve, then of the waits; the one "without end"
  std::vector<Link> links;
  std::vector<Room> rooms;                 ///< of each link
  std::vector<std::int32_t> first_link;    ///< of each vertex, and one beyond
  std::vector<std::int32_t> start, end;    ///< vertices of each computation
  std::vector<std::int32_t> arc_of;        ///< forward link of each computation
  std::vector<std::int32_t> waits;         ///< forward links of the edges that are left
  std::vector<std::size_t> curve_of;       ///< of each computation
  std::vector<std::size_t> order;          ///< of the computations
  std::vector<std::int64_t> least_energy;  ///< of each cost curve: at its longest duration [units]
};

}  // namespace wattfill::training
