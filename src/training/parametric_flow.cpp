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
  enter_sink_tree(network_.sink, -1);
  enter_source_tree(network_.source, -1);
}

/// Notes when a half from the source's tree to outside of it becomes tight. Notes that have become false are found out when their time comes.
void ParametricFlow::queue(std::int32_t h) {
  auto const& out = half(h);
  auto const key = node(out.to).time - node(out.from).time - out.length;
  auto& place = places_[static_cast<std::size_t>(h)];
  if (place.key == key) return;
  if (place.key >= 0) {
    (place.previous >= 0 ? places_[static_cast<std::size_t>(place.previous)].next : bucket_[static_cast<std::size_t>(place.key)]) = place.next;
    if (place.next >= 0) places_[static_cast<std::size_t>(place.next)].previous = place.previous;
    place.key = -1;
  }
  if (key > range_) return;  // not before the end
  if (key == offset_) {
    ready_.push_back(h);
    return;
  }
  auto& first = bucket_[static_cast<std::size_t>(key)];
  place = {key, first, -1};
  if (first >= 0) places_[static_cast<std::size_t>(first)].previous = h;
  first = h;
}

void ParametricFlow::link(std::int32_t v, std::int32_t parent) {
  auto& self = node(v);
  self.parent = parent;
  auto& root = node(above(self));
  self.next = root.first_child;
  self.previous = -1;
  if (self.next >= 0) node(self.next).previous = v;
  root.first_child = v;
}

void ParametricFlow::unlink(std::int32_t v) {
  auto const& self = node(v);
  (self.previous >= 0 ? node(self.previous).next : node(above(self)).first_child) = self.next;
  if (self.next >= 0) node(self.next).previous = self.previous;
}

void ParametricFlow::enter_source_tree(std::int32_t v, std::int32_t parent) {
  auto& self = node(v);
  self.side = Side::source;
  self.time -= offset_;
  self.first_child = -1;
  if (parent >= 0) link(v, parent);
  ++effort_.entries;
  for (auto h = begin(v); h < end(v); ++h)
    if (node(half(h).to).side != Side::source) queue(h);
}

void ParametricFlow::enter_sink_tree(std::int32_t v, std::int32_t parent) {
  auto& self = node(v);
  self.side = Side::sink;
  self.first_child = -1;
  if (parent >= 0) link(v, parent);
  ++effort_.entries;
  for (auto h = begin(v); h < end(v); ++h) {
    auto const& other = node(half(h).to);
    if (other.side != Side::none) continue;
    auto const in = half(h).reverse;
    if (self.time - other.time == half(in).length) joining_.push_back(in);
  }
}

void ParametricFlow::grow_sink_tree() {
  while (next_joining_ < joining_.size()) {
    auto const h = joining_[next_joining_++];
    auto const& in = half(h);
    auto const& from = node(in.from);
    auto const& to = node(in.to);
    if (from.side == Side::none && to.side == Side::sink && to.time - from.time == in.length) enter_sink_tree(in.from, h);
  }
  joining_.clear();
  next_joining_ = 0;
}

/// True when it meets the sink's tree.
bool ParametricFlow::grow_source_tree() {
  while (next_ready_ < ready_.size()) {
    auto const h = ready_[next_ready_++];
    auto const& out = half(h);
    auto const& from = node(out.from);
    auto const& to = node(out.to);
    if (from.side != Side::source || to.side == Side::source || to.time - offset_ - from.time != out.length) continue;
    if (to.side == Side::sink) {
      bridge_ = h;
      return true;
    }
    enter_source_tree(out.to, h);
  }
  ready_.clear();
  next_ready_ = 0;
  return false;
}

bool ParametricFlow::shorten(std::int32_t limit) {
  grow_sink_tree();
  while (!grow_source_tree()) {
    while (offset_ < limit && bucket_[static_cast<std::size_t>(offset_)] < 0) ++offset_;
    auto& first = bucket_[static_cast<std::size_t>(offset_)];
    if (first < 0) return false;
    for (auto h = first; h >= 0; h = places_[static_cast<std::size_t>(h)].next) {
      ready_.push_back(h);
      places_[static_cast<std::size_t>(h)].key = -1;
    }
    first = -1;
  }
  return true;
}

bool ParametricFlow::augment() {
  auto amount = half(bridge_).capacity;
  for (auto v = half(bridge_).from; v != network_.source; v = half(node(v).parent).from) amount = std::min(amount, half(node(v).parent).capacity);
  for (auto v = half(bridge_).to; v != network_.sink; v = half(node(v).parent).to) amount = std::min(amount, half(node(v).parent).capacity);
  if (amount > FlowNetwork::most_flow) return false;
  ++effort_.augmentations;
  flow_ += amount;
  send(amount);
  adopt();
  if (node(half(bridge_).from).side == Side::source && node(half(bridge_).to).side != Side::source) queue(bridge_);
  return true;
}

void ParametricFlow::send(std::int64_t amount) {
  ++stamp_;
  node(network_.source).stamp = node(network_.sink).stamp = stamp_;
  network_.push(bridge_, amount);
  for (auto v = half(bridge_).from; v != network_.source;) {
    auto const in = node(v).parent;
    auto const next = half(in).from;
    if (network_.push(in, amount)) orphan(v);
    v = next;
  }
  std::ranges::reverse(orphans_);  // nearest to the root first, here and below
  auto const middle = orphans_.size();
  for (auto v = half(bridge_).to; v != network_.sink;) {
    auto const out = node(v).parent;
    auto const next = half(out).to;
    if (network_.push(out, amount)) orphan(v);
    v = next;
  }
  std::reverse(orphans_.begin() + static_cast<std::ptrdiff_t>(middle), orphans_.end());
}

void ParametricFlow::orphan(std::int32_t v) {
  unlink(v);
  node(v).parent = -1;
  orphans_.push_back(v);
}

/// Steps to the root of its tree, -1 if it hangs on an orphan. Remembered until the next augmentation: should that orphan be adopted after all, its
/// descendants count as lost for now, which costs a way round and is not wrong.
std::int32_t ParametricFlow::depth(std::int32_t v) {
  auto top = v;
  std::int32_t steps = 0;
  for (; node(top).stamp != stamp_; ++steps) {
    if (node(top).parent < 0) {
      node(top).stamp = stamp_;
      node(top).depth = -1;
      break;
    }
    top = above(node(top));
  }
  auto const root = node(top).depth;
  auto const found = root < 0 ? -1 : root + steps;
  for (auto d = found; v != top; d -= root < 0 ? 0 : 1) {
    node(v).stamp = stamp_;
    node(v).depth = d;
    v = above(node(v));
  }
  return found;
}

/// The trees have lost the ways to `orphans_`: each finds another tight one, or leaves and orphans its children.
void ParametricFlow::adopt() {
  for (std::size_t i = 0; i < orphans_.size(); ++i)
    if (!adopted(orphans_[i])) release(orphans_[i]);
  orphans_.clear();
}

bool ParametricFlow::adopted(std::int32_t v) {
  auto& self = node(v);
  std::int32_t best = -1, least = FlowNetwork::never;
  for (auto h = begin(v); h < end(v); ++h) {
    auto const& other = node(half(h).to);
    if (other.side != self.side) continue;
    auto const back = half(h).reverse;
    auto const way = self.side == Side::source ? back : h;
    if (other.parent == (way == h ? back : h)) continue;  // its own child
    if (node(half(way).to).time - node(half(way).from).time != half(way).length) continue;
    auto const d = depth(half(h).to);
    if (d < 0 || d >= least) continue;
    least = d;
    best = way;
  }
  if (best < 0) return false;
  link(v, best);
  self.stamp = stamp_;
  self.depth = least + 1;
  return true;
}

void ParametricFlow::release(std::int32_t v) {
  auto& self = node(v);
  auto const from_source = self.side == Side::source;
  for (auto c = self.first_child; c >= 0; c = node(c).next) {
    node(c).parent = -1;
    orphans_.push_back(c);
  }
  self.side = Side::none;
  if (from_source) self.time += offset_;
  for (auto h = begin(v); h < end(v); ++h) {
    auto const& other = node(half(h).to);
    if (other.side == Side::source && from_source) queue(half(h).reverse);
    if (other.side == Side::sink && other.time - self.time == half(h).length) joining_.push_back(h);
  }
}

void ParametricFlow::times(std::vector<std::int32_t>& times) const {
  times.resize(nodes_.size());
  for (std::size_t v = 0; v < nodes_.size(); ++v) times[v] = nodes_[v].time - (nodes_[v].side == Side::source ? 0 : offset_);
}

}  // namespace wattfill::training
