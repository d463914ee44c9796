#include "training/parametric_flow.hpp"

#include <algorithm>

#include "wattfill/core/error.hpp"

namespace wattfill::training {

ParametricFlow::ParametricFlow(FlowNetwork& network, std::int32_t range)
    : network_(network),
      range_(range),
      longest_times_(network.earliest(true)),
      bucket_(static_cast<std::size_t>(range) + 1, -1),
      places_(network.halves.size()) {
  nodes_.resize(static_cast<std::size_t>(network.vertices));
  for (std::size_t v = 0; v < nodes_.size(); ++v) nodes_[v].time = longest_times_[v];
  enter(network_.source, -1);
}

void ParametricFlow::unqueue(std::int32_t h) {
  auto& place = places_[static_cast<std::size_t>(h)];
  if (place.previous >= 0) {
    places_[static_cast<std::size_t>(place.previous)].next = place.next;
  } else {
    bucket_[static_cast<std::size_t>(place.key)] = place.next;
  }
  if (place.next >= 0) places_[static_cast<std::size_t>(place.next)].previous = place.previous;
  place.key = -1;
}

void ParametricFlow::queue(std::int32_t h, std::int32_t key) {
  auto& place = places_[static_cast<std::size_t>(h)];
  if (place.key == key) return;
  if (place.key >= 0) unqueue(h);
  if (key > range_) return;  // never tight before the end
  auto& first = bucket_[static_cast<std::size_t>(key)];
  place = {key, first, -1};
  if (first >= 0) places_[static_cast<std::size_t>(first)].previous = h;
  first = h;
}

void ParametricFlow::scan(std::int32_t v) {
  auto const t = node(v).time;
  auto const last = network_.first_half[static_cast<std::size_t>(v) + 1];
  for (auto h = network_.first_half[static_cast<std::size_t>(v)]; h < last; ++h) {
    auto const& out = half(h);
    auto const& other = node(out.to);
    if (!other.inside) queue(h, other.time - t - out.length);
  }
}

void ParametricFlow::enter(std::int32_t v, std::int32_t parent) {
  auto& self = node(v);
  self.inside = true;
  self.time -= offset_;
  if (offset_ > self.left_at) moves_.push_back({v, self.left_at, offset_});
  self.parent = parent;
  self.first_child = -1;
  if (parent >= 0) {
    auto& above = node(half(parent).from);
    self.next = above.first_child;
    self.previous = -1;
    if (self.next >= 0) node(self.next).previous = v;
    above.first_child = v;
  }
  ++effort_.entries;
  if (v != network_.sink) scan(v);
}

void ParametricFlow::grow() {
  for (;;) {
    auto const h = bucket_[static_cast<std::size_t>(offset_)];
    if (h < 0) {
      WATTFILL_ASSERT(offset_ < range_);
      ++offset_;
      continue;
    }
    unqueue(h);
    auto const& out = half(h);
    if (!node(out.from).inside || node(out.to).inside) continue;  // queued before one of them changed sides
    enter(out.to, h);
    if (out.to == network_.sink) return;
  }
}

/// Takes the subtree of `v` out of the tree and queues the ways back in.
void ParametricFlow::detach(std::int32_t v) {
  auto const& self = node(v);
  if (self.previous >= 0) {
    node(self.previous).next = self.next;
  } else {
    node(half(self.parent).from).first_child = self.next;
  }
  if (self.next >= 0) node(self.next).previous = self.previous;
  out_.assign(1, v);
  for (std::size_t i = 0; i < out_.size(); ++i) {
    auto& left = node(out_[i]);
    left.inside = false;
    left.time += offset_;
    left.left_at = offset_;
    for (auto c = left.first_child; c >= 0; c = node(c).next) out_.push_back(c);
  }
  for (auto x : out_) {
    auto const t = node(x).time;
    auto const last = network_.first_half[static_cast<std::size_t>(x) + 1];
    for (auto h = network_.first_half[static_cast<std::size_t>(x)]; h < last; ++h) {
      auto const& other = node(half(h).to);
      if (!other.inside) continue;
      auto const in = half(h).reverse;
      queue(in, t - other.time - half(in).length);
    }
  }
}

bool ParametricFlow::augment() {
  auto amount = FlowNetwork::unbounded;
  for (auto v = network_.sink; v != network_.source;) {
    auto const& in = half(node(v).parent);
    amount = std::min(amount, in.capacity);
    v = in.from;
  }
  if (amount > FlowNetwork::most_flow) return false;
  flow_ += amount;
  ++effort_.augmentations;
  auto cut = network_.sink;
  for (auto v = network_.sink; v != network_.source;) {
    auto const in = node(v).parent;
    if (network_.push(in, amount)) cut = v;
    v = half(in).from;
  }
  detach(cut);
  return true;
}

void ParametricFlow::times(std::vector<std::int32_t>& times) const {
  times.resize(nodes_.size());
  for (std::size_t v = 0; v < nodes_.size(); ++v) times[v] = nodes_[v].time - (nodes_[v].inside ? 0 : offset_);
}

std::vector<ParametricFlow::Move> ParametricFlow::take_moves() {
  for (std::size_t v = 0; v < nodes_.size(); ++v)
    if (!nodes_[v].inside && offset_ > nodes_[v].left_at) moves_.push_back({static_cast<std::int32_t>(v), nodes_[v].left_at, offset_});
  return std::move(moves_);
}

}  // namespace wattfill::training
