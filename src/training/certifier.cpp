#include "training/certifier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace wattfill::training {
namespace {

Wide distance(Wide a, Wide b) { return a < b ? b - a : a - b; }

}  // namespace

Certifier::Certifier(FlowNetwork const& network) : network_(network), net_(static_cast<std::size_t>(network.vertices)) {
  found_.checked = true;
  found_.unit_j = std::ldexp(1.0, -network.exponent);
  auto const classes = network.first_segment.size();
  last_bend_.resize(network.segments.size());
  for (std::size_t c = 0; c < classes; ++c) {
    auto const first = static_cast<std::size_t>(network.first_segment[c]);
    auto const last = c + 1 < classes ? static_cast<std::size_t>(network.first_segment[c + 1]) : network.segments.size();
    Bend bend{0, c < network.least_energy.size() ? network.least_energy[c] : 0, network.segments[first + 1].duration};
    bends_.push_back({0, 0, FlowNetwork::never});
    for (auto s = first + 1; s < last; ++s) {
      auto const& segment = network.segments[s];
      bend.energy += bend.price * (bend.duration - segment.duration);
      bend.duration = segment.duration;
      bends_.push_back(bend);
      if (s + 1 < last) bend.price += segment.width;
    }
    for (auto s = first; s < last; ++s) last_bend_[s] = static_cast<std::int32_t>(last) - 1;
  }
  // In the order in which their links lie in memory.
  auto const n = network.arc_of.size();
  std::vector<std::size_t> order(n + network.waits.size());
  auto const link_of = [&](std::size_t a) { return a < n ? network.arc_of[a] : network.waits[a - n]; };
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, link_of);
  for (auto a : order) add(link_of(a), a < n ? network.curve_of[a] : classes - 1, a < n);
}

void Certifier::add(std::int32_t link, std::size_t curve, bool work) {
  auto const from = network_.from(link), to = network_.links[static_cast<std::size_t>(link)].to;
  auto const first = network_.first_segment[curve] + 1;
  Through arc;
  arc.from = from;
  arc.to = to;
  arc.work = work;
  enter(first, arc);
  if (work) {
    value_ += arc.energy;
    works_.push_back({from, to});
    costs_.push_back({0, first, last_bend_[static_cast<std::size_t>(first)], first});
  } else {
    waits_.push_back({from, to});
  }
  seen_.push_back({network_.segments[static_cast<std::size_t>(first)].width, first, link});
  arcs_.push_back(arc);
}

void Certifier::moved(std::int32_t vertex, std::int64_t by) {
  if (vertex == network_.source) return;
  auto& net = net_[static_cast<std::size_t>(vertex)];
  auto const before = net;
  net += by;
  if (vertex == network_.sink) return;
  unbalanced_ += static_cast<std::size_t>(net != 0);
  unbalanced_ -= static_cast<std::size_t>(before != 0);
}

/// The flow through an arc has come into another segment.
void Certifier::enter(std::int32_t segment, Through& arc) const {
  auto const s = static_cast<std::size_t>(segment);
  auto const& bend = bends_[s];
  arc.price = bend.price;
  arc.next_price = segment < last_bend_[s] ? bends_[s + 1].price : std::numeric_limits<std::int64_t>::max();
  arc.full = bend.price + network_.segments[s].width;
  arc.energy = bend.energy;
  arc.duration = bend.duration;
}

/// So much flows through an arc now.
void Certifier::through(std::int64_t flow, Through& arc) {
  moved(arc.from, arc.flow - flow);
  moved(arc.to, flow - arc.flow);
  arc.flow = flow;
  // The best duration for a price is where the cost curve's slopes on both sides enclose it.
  bool const impossible = flow < arc.price || flow > arc.next_price;
  impossible_flows_ += static_cast<std::size_t>(impossible);
  impossible_flows_ -= static_cast<std::size_t>(arc.impossible);
  arc.impossible = impossible;
}

void Certifier::look(FlowNetwork const& network) {
  for (std::size_t a = 0; a < seen_.size(); ++a) {
    auto& seen = seen_[a];
    auto const& room = network.rooms[static_cast<std::size_t>(seen.link)];
    if (room.capacity == seen.capacity && room.segment == seen.segment) continue;
    auto& arc = arcs_[a];
    seen.capacity = room.capacity;
    if (room.segment == seen.segment) {
      auto const before = arc.flow;
      through(arc.full - room.capacity, arc);
      if (arc.work) value_ += static_cast<Wide>(arc.flow - before) * arc.duration;
      continue;
    }
    if (arc.work) value_ -= arc.energy + static_cast<Wide>(arc.flow) * arc.duration;
    seen.segment = room.segment;
    enter(room.segment, arc);
    through(arc.full - room.capacity, arc);
    if (arc.work) value_ += arc.energy + static_cast<Wide>(arc.flow) * arc.duration;
  }
}

/// What a computation costs that takes all the time between its events, up to its longest duration.
void Certifier::cost(std::int32_t available, Cost& work) {
  auto const bend = [&](std::int32_t b) -> Bend const& { return bends_[static_cast<std::size_t>(b)]; };
  auto const duration = std::min(available, bend(work.first).duration);
  bool const impossible = duration < bend(work.last).duration;
  impossible_times_ += static_cast<std::size_t>(impossible);
  impossible_times_ -= static_cast<std::size_t>(work.impossible);
  work.impossible = impossible;
  while (work.bend < work.last && bend(work.bend).duration > duration) ++work.bend;
  while (work.bend > work.first && bend(work.bend - 1).duration <= duration) --work.bend;
  auto const& at = bend(work.bend);
  auto const energy = at.energy - at.price * (duration - at.duration);
  spent_ += static_cast<Wide>(energy) - work.energy;
  work.energy = energy;
}

void Certifier::look(std::vector<std::int32_t> const& times) {
  auto const at = [&](std::int32_t v) { return times[static_cast<std::size_t>(v)]; };
  for (std::size_t i = 0; i < works_.size(); ++i) {
    auto& work = works_[i];
    auto const available = at(work.end) - at(work.start);
    if (available == work.available) continue;
    work.available = available;
    cost(available, costs_[i]);
  }
  broken_waits_ = 0;
  for (auto const& wait : waits_) broken_waits_ += static_cast<std::size_t>(at(wait.to) < at(wait.from));
}

void Certifier::begin(std::vector<std::int32_t> const& times, Wide energy) {
  energy_ = energy;
  time_ = times[static_cast<std::size_t>(network_.sink)];
  look(times);
  found_.refuted += impossible_times_ + broken_waits_;
  gap_ = distance(spent_, energy);
}

void Certifier::piece(FlowNetwork const& network, std::vector<std::int32_t> const& times, Wide energy) {
  ++found_.pieces;
  look(network);
  look(times);
  found_.refuted += impossible_times_ + broken_waits_ + impossible_flows_ + unbalanced_;
  Wide const flow = net_[static_cast<std::size_t>(network.sink)];
  auto const time = times[static_cast<std::size_t>(network.sink)];
  gap_ = std::max({gap_, distance(spent_, energy), distance(value_ - flow * time, energy), distance(value_ - flow * time_, energy_)});
  energy_ = energy;
  time_ = time;
}

Certificate Certifier::result() const {
  auto result = found_;
  result.gap_j = std::ldexp(static_cast<double>(gap_), -network_.exponent);
  return result;
}

}  // namespace wattfill::training
