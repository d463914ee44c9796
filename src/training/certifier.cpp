#include "training/certifier.hpp"

#include <algorithm>
#include <cmath>

namespace wattfill::training {
namespace {

Wide distance(Wide a, Wide b) { return a < b ? b - a : a - b; }

}  // namespace

Certifier::Certifier(FlowNetwork const& network) : network_(network), net_(static_cast<std::size_t>(network.vertices)) {
  found_.checked = true;
  found_.unit_j = std::ldexp(1.0, -network.exponent);
  auto const classes = network.first_segment.size();
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
  }
}

/// Energy of the schedule, each computation taking all the time between its events up to its longest duration.
Wide Certifier::energy_of(std::vector<std::int32_t> const& times) {
  Wide sum = 0;
  for (std::size_t i = 0; i < network_.start.size(); ++i) {
    auto const first = static_cast<std::size_t>(network_.first_segment[network_.curve_of[i]]) + 1;
    auto const last = static_cast<std::size_t>(network_.first_segment[network_.curve_of[i] + 1]) - 1;
    auto const available = times[static_cast<std::size_t>(network_.end[i])] - times[static_cast<std::size_t>(network_.start[i])];
    auto const duration = std::min(available, bends_[first].duration);
    if (duration < bends_[last].duration) ++found_.refuted;
    auto b = static_cast<std::size_t>(network_.rooms[static_cast<std::size_t>(network_.arc_of[i])].segment);  // a place to search from
    while (b < last && bends_[b].duration > duration) ++b;
    while (b > first && bends_[b - 1].duration <= duration) --b;
    sum += bends_[b].energy - bends_[b].price * (duration - bends_[b].duration);
  }
  for (auto h : network_.waits) {
    auto const from = static_cast<std::size_t>(network_.from(h)), to = static_cast<std::size_t>(network_.links[static_cast<std::size_t>(h)].to);
    if (times[to] < times[from]) ++found_.refuted;
  }
  return sum;
}

/// Whether the flows are a flow; `value` becomes the sum over computations of min over durations d of energy(d) + flow x d.
bool Certifier::conserves(FlowNetwork const& network, Wide& value) {
  bool fine = true;
  std::ranges::fill(net_, 0);
  value = 0;
  auto const through = [&](std::int32_t h) {
    auto const& room = network.rooms[static_cast<std::size_t>(h)];
    auto const s = static_cast<std::size_t>(room.segment);
    auto const flow = bends_[s].price + network.segments[s].width - room.capacity;
    net_[static_cast<std::size_t>(network.from(h))] -= flow;
    net_[static_cast<std::size_t>(network.links[static_cast<std::size_t>(h)].to)] += flow;
    return flow;
  };
  for (std::size_t i = 0; i < network.arc_of.size(); ++i) {
    auto const flow = through(network.arc_of[i]);
    // The best duration for a price is where the cost curve's slopes on both sides enclose it.
    auto const s = static_cast<std::size_t>(network.rooms[static_cast<std::size_t>(network.arc_of[i])].segment);
    auto const last = static_cast<std::size_t>(network_.first_segment[network_.curve_of[i] + 1]) - 1;
    if (flow < bends_[s].price || (s < last && flow > bends_[s + 1].price)) fine = false;
    value += bends_[s].energy + static_cast<Wide>(flow) * bends_[s].duration;
  }
  for (auto h : network.waits) fine = through(h) >= 0 && fine;
  for (std::int32_t v = 0; v < network.vertices; ++v)
    if (v != network.source && v != network.sink && net_[static_cast<std::size_t>(v)] != 0) fine = false;
  return fine;
}

void Certifier::begin(std::vector<std::int32_t> const& times, Wide energy) {
  energy_ = energy;
  time_ = times[static_cast<std::size_t>(network_.sink)];
  gap_ = distance(energy_of(times), energy);
}

void Certifier::piece(FlowNetwork const& network, std::vector<std::int32_t> const& times, Wide energy) {
  ++found_.pieces;
  Wide value = 0;
  if (!conserves(network, value)) ++found_.refuted;
  Wide const flow = net_[static_cast<std::size_t>(network.sink)];
  auto const time = times[static_cast<std::size_t>(network.sink)];
  gap_ = std::max({gap_, distance(energy_of(times), energy), distance(value - flow * time, energy), distance(value - flow * time_, energy_)});
  energy_ = energy;
  time_ = time;
}

Certificate Certifier::result() const {
  auto result = found_;
  result.gap_j = std::ldexp(static_cast<double>(gap_), -network_.exponent);
  return result;
}

}  // namespace wattfill::training
