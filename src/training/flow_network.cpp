#include "training/flow_network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "wattfill/core/error.hpp"

namespace wattfill::training {
namespace {

/// Union-find over events that may as well happen at once.
class Merged {
 public:
  explicit Merged(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t root(std::size_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void merge(std::size_t a, std::size_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<std::size_t> parent_;
};

/// Adds the segments of a cost curve; returns its least energy in units.
std::int64_t add_segments(std::vector<FlowNetwork::Segment>& segments, CostCurve const& curve, int exponent) {
  segments.push_back({0, FlowNetwork::never});
  auto const knots = curve.knots();
  std::int64_t flow = 0;
  for (std::size_t i = knots.size(); i-- > 1;) {
    auto const slope = (knots[i - 1].energy_j - knots[i].energy_j) / static_cast<double>(knots[i].duration - knots[i - 1].duration);
    auto const price = std::llround(std::ldexp(slope, exponent));
    if (price <= flow) continue;  // the same price as the piece before, once in whole units
    segments.push_back({price - flow, static_cast<std::int32_t>(knots[i].duration)});
    flow = price;
  }
  segments.push_back({FlowNetwork::unbounded, static_cast<std::int32_t>(curve.shortest())});
  return std::llround(std::ldexp(knots.back().energy_j, exponent));
}

}  // namespace

int FlowNetwork::finest_unit(Project const& project) {
  constexpr int finest = 48, most_bits = 59;  // of one computation's energy
  double largest = 0;
  for (auto const& curve : project.curves)
    for (auto const& knot : curve.knots()) largest = std::max(largest, std::fabs(knot.energy_j));
  return std::min(finest, most_bits - (largest > 0 ? std::ilogb(largest) + 1 : 0));
}

FlowNetwork::FlowNetwork(Project const& project, std::vector<std::size_t> const& order_of_work, int unit_exponent)
    : exponent(unit_exponent), curve_of(project.curve_of), order(order_of_work) {
  for (auto const& curve : project.curves) {
    first_segment.push_back(static_cast<std::int32_t>(segments.size()));
    least_energy.push_back(add_segments(segments, curve, exponent));
  }
  first_segment.push_back(static_cast<std::int32_t>(segments.size()));
  segments.push_back({0, never});
  segments.push_back({unbounded, 0});

  // Events: 0 the source, 1 the sink, 2 + 2i the start and 3 + 2i the end of computation i. An end with one follower, and a start with one
  // predecessor, may coincide with it: whoever waits there waits at no cost.
  auto const n = curve_of.size();
  std::vector<std::size_t> before(n, 0), after(n, 0);
  for (auto const& edge : project.edges) {
    ++after[edge.before];
    ++before[edge.after];
  }
  Merged events(2 + 2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    if (before[i] == 0) events.merge(2 + 2 * i, 0);
    if (after[i] == 0) events.merge(3 + 2 * i, 1);
  }
  for (auto const& edge : project.edges)
    if (after[edge.before] == 1 || before[edge.after] == 1) events.merge(3 + 2 * edge.before, 2 + 2 * edge.after);

  // Vertices are numbered as they come in the order of the work, so that neighbours lie near each other.
  std::vector<std::int32_t> number(2 + 2 * n, -1);
  auto const vertex = [&](std::size_t event) {
    auto& v = number[events.root(event)];
    if (v < 0) v = vertices++;
    return v;
  };
  source = vertex(0);
  start.resize(n);
  end.resize(n);
  std::vector<std::size_t> next(n, n);  // of each computation, who waits for it first
  for (auto const& edge : project.edges)
    if (next[edge.before] == n) next[edge.before] = edge.after;
  start.assign(n, -1);
  end.resize(n);
  for (auto i : order)
    for (; i < n && start[i] < 0; i = next[i]) {
      start[i] = vertex(2 + 2 * i);
      end[i] = vertex(3 + 2 * i);
    }
  sink = vertex(1);

  struct Direction {
    std::int32_t from;
    Link link;
    Room room;
  };
  std::vector<Direction> unsorted;
  auto const add_arc = [&](std::int32_t from, std::int32_t to, std::size_t curve) {
    auto const none = first_segment[curve];
    auto const h = static_cast<std::int32_t>(unsorted.size());
    auto const& first = segments[static_cast<std::size_t>(none) + 1];
    unsorted.push_back({from, {to, first.duration, -never, h + 1}, {first.width, none + 1, 1}});
    unsorted.push_back({to, {from, -never, first.duration, h}, {0, none, -1}});
    return h;
  };
  for (std::size_t i = 0; i < n; ++i) arc_of.push_back(add_arc(start[i], end[i], curve_of[i]));
  for (auto const& edge : project.edges)
    if (end[edge.before] != start[edge.after]) waits.push_back(add_arc(end[edge.before], start[edge.after], project.curves.size()));

  std::vector<std::int32_t> by_from(unsorted.size()), place(unsorted.size());
  std::iota(by_from.begin(), by_from.end(), 0);
  std::ranges::stable_sort(by_from, {}, [&](std::int32_t h) { return unsorted[static_cast<std::size_t>(h)].from; });
  for (std::size_t i = 0; i < by_from.size(); ++i) place[static_cast<std::size_t>(by_from[i])] = static_cast<std::int32_t>(i);
  first_link.assign(static_cast<std::size_t>(vertices) + 1, 0);
  for (auto h : by_from) {
    auto const& direction = unsorted[static_cast<std::size_t>(h)];
    links.push_back(direction.link);
    links.back().reverse = place[static_cast<std::size_t>(direction.link.reverse)];
    rooms.push_back(direction.room);
    ++first_link[static_cast<std::size_t>(direction.from) + 1];
  }
  std::partial_sum(first_link.begin(), first_link.end(), first_link.begin());
  for (auto& h : arc_of) h = place[static_cast<std::size_t>(h)];
  for (auto& h : waits) h = place[static_cast<std::size_t>(h)];
}

std::vector<std::int32_t> FlowNetwork::earliest(bool longest) const {
  // Every wait leads to the start of a computation, and a computation is reached only after all that end where it starts: one pass in order.
  std::vector<std::int64_t> time(static_cast<std::size_t>(vertices), 0);
  for (auto i : order) {
    auto const s = static_cast<std::size_t>(start[i]), e = static_cast<std::size_t>(end[i]);
    auto const shortest_at = static_cast<std::size_t>(first_segment[curve_of[i] + 1]) - 1;
    auto const duration = segments[longest ? static_cast<std::size_t>(first_segment[curve_of[i]]) + 1 : shortest_at].duration;
    time[e] = std::max(time[e], time[s] + duration);
    for (auto h = static_cast<std::size_t>(first_link[e]); h < static_cast<std::size_t>(first_link[e + 1]); ++h) {
      auto const wait = rooms[h].step > 0 && rooms[h].segment > first_segment.back();
      auto const to = static_cast<std::size_t>(links[h].to);
      if (wait) time[to] = std::max(time[to], time[e]);
    }
  }
  if (time[static_cast<std::size_t>(sink)] > CostCurve::longest_duration)
    throw InputError("the iteration takes " + std::to_string(time[static_cast<std::size_t>(sink)]) +
                     " time steps (allowed: " + std::to_string(CostCurve::longest_duration) + "); choose a longer time step");
  std::vector<std::int32_t> result;
  for (auto t : time) result.push_back(static_cast<std::int32_t>(t));
  return result;
}

}  // namespace wattfill::training
