#include "training/parametric_flow.hpp"

#include <algorithm>

namespace wattfill::training {

ParametricFlow::ParametricFlow(FlowNetwork& network, std::int32_t range)
    : network_(network),
      range_(range),
      longest_times_(network.earliest(true)),
      branches_(static_cast<std::size_t>(network.vertices)),
      noted_(static_cast<std::size_t>(range) + 1, -1),
      key_(network.links.size(), -1) {
  for (auto time : longest_times_) events_.push_back({time});
  enter_sink_tree(network_.sink, -1);
  enter_source_tree(network_.source, -1);
}

/// Notes that a link from the source's tree to outside of it becomes tight at offset `key`. Notes that have become false are found out when their
/// time comes.
void ParametricFlow::queue(std::int32_t h, std::int32_t key) {
  if (key > range_) return;  // not before the end
  if (key == offset_) {
    ready_.push_back(h);
    return;
  }
  auto& noted_at = key_[static_cast<std::size_t>(h)];
  if (noted_at == key) return;
  noted_at = key;
  auto& first_note = noted_[static_cast<std::size_t>(key)];
  if (free_note_ < 0) {
    notes_.push_back({h, first_note});
    first_note = static_cast<std::int32_t>(notes_.size()) - 1;
    return;
  }
  auto const note = free_note_;
  auto& reused = notes_[static_cast<std::size_t>(note)];
  free_note_ = reused.next;
  reused = {h, first_note};
  first_note = note;
}

void ParametricFlow::hang(std::int32_t v, std::int32_t parent) {
  auto& self = branch(v);
  self.parent = parent;
  self.above = link(parent).to;
  auto& root = branch(self.above);
  self.next = root.first_child;
  self.previous = -1;
  if (self.next >= 0) branch(self.next).previous = v;
  root.first_child = v;
}

void ParametricFlow::take_down(std::int32_t v) {
  auto const& self = branch(v);
  (self.previous >= 0 ? branch(self.previous).next : branch(above(v)).first_child) = self.next;
  if (self.next >= 0) branch(self.next).previous = self.previous;
}

void ParametricFlow::enter_source_tree(std::int32_t v, std::int32_t parent) {
  auto& self = event(v);
  self.side = Side::source;
  self.time -= offset_;
  branch(v).first_child = -1;
  if (parent >= 0) hang(v, parent);
  ++effort_.entries;
  for (auto h = first(v); h < last(v); ++h) {
    auto const& out = link(h);
    auto const& other = event(out.to);
    if (other.side != Side::source) queue(h, other.time - self.time - out.length);
  }
}

void ParametricFlow::enter_sink_tree(std::int32_t v, std::int32_t parent) {
  auto& self = event(v);
  self.side = Side::sink;
  branch(v).first_child = -1;
  if (parent >= 0) hang(v, parent);
  ++effort_.entries;
  for (auto h = first(v); h < last(v); ++h) {
    auto const& out = link(h);
    auto const& other = event(out.to);
    if (other.side == Side::none && self.time - other.time == out.back) joining_.push_back({out.to, out.reverse});
  }
}

void ParametricFlow::grow_sink_tree() {
  while (next_joining_ < joining_.size()) {
    auto const [v, h] = joining_[next_joining_++];
    auto const& self = event(v);
    if (self.side != Side::none) continue;
    auto const& out = link(h);
    auto const& other = event(out.to);
    if (other.side == Side::sink && other.time - self.time == out.length) enter_sink_tree(v, h);
  }
  joining_.clear();
  next_joining_ = 0;
}

/// True when it meets the sink's tree.
bool ParametricFlow::grow_source_tree() {
  while (next_ready_ < ready_.size()) {
    auto const h = ready_[next_ready_++];
    auto const& out = link(h);
    auto const& other = event(out.to);
    if (other.side == Side::source) continue;
    auto const& self = event(link(out.reverse).to);
    if (self.side != Side::source || other.time - offset_ - self.time != out.length) continue;
    if (other.side == Side::sink) {
      bridge_ = h;
      return true;
    }
    enter_source_tree(out.to, out.reverse);
  }
  ready_.clear();
  next_ready_ = 0;
  return false;
}

bool ParametricFlow::shorten(std::int32_t limit) {
  while (!grow_source_tree()) {
    grow_sink_tree();
    while (offset_ < limit && noted_[static_cast<std::size_t>(offset_)] < 0) ++offset_;
    auto& first_note = noted_[static_cast<std::size_t>(offset_)];
    if (first_note < 0) return false;
    for (auto n = first_note; n >= 0;) {
      auto& note = notes_[static_cast<std::size_t>(n)];
      ready_.push_back(note.link);
      auto const next = note.next;
      note.next = free_note_;
      free_note_ = n;
      n = next;
    }
    first_note = -1;
  }
  return true;
}

bool ParametricFlow::augment() {
  path_.clear();
  for (auto v = network_.from(bridge_); v != network_.source;) {
    auto const& self = branch(v);
    path_.push_back({v, link(self.parent).reverse});
    v = self.above;
  }
  middle_ = path_.size();
  for (auto v = link(bridge_).to; v != network_.sink; v = above(v)) path_.push_back({v, branch(v).parent});
  auto amount = network_.rooms[static_cast<std::size_t>(bridge_)].capacity;
  for (auto const& step : path_) amount = std::min(amount, network_.rooms[static_cast<std::size_t>(step.link)].capacity);
  if (amount > FlowNetwork::most_flow) return false;
  ++effort_.augmentations;
  flow_ += amount;
  send(amount);
  adopt();
  auto const& bridge = link(bridge_);
  auto const &from = event(link(bridge.reverse).to), &to = event(bridge.to);
  if (from.side == Side::source && to.side != Side::source) queue(bridge_, to.time - from.time - bridge.length);
  return true;
}

void ParametricFlow::send(std::int64_t amount) {
  ++stamp_;
  for (auto root : {network_.source, network_.sink}) branch(root).stamp = stamp_;
  network_.push(bridge_, amount);
  std::int32_t depth = 1;
  bool whole = true;  // the way to the root
  auto const pass = [&](Step const& step) {
    auto& self = branch(step.vertex);
    if (network_.push(step.link, amount)) {
      whole = false;
      take_down(step.vertex);
      self.parent = -1;
      orphans_.push_back(step.vertex);
    }
    if (!whole) return;
    self.stamp = stamp_;
    self.depth = depth++;
  };
  for (auto i = middle_; i-- > 0;) pass(path_[i]);  // nearest to the root first
  depth = 1;
  whole = true;
  for (auto i = path_.size(); i-- > middle_;) pass(path_[i]);
}

/// Steps to the root of its tree, -1 if it hangs on an orphan. Remembered until the next augmentation: should that orphan be adopted after all, its
/// descendants count as lost for now, which costs a way round and is not wrong.
std::int32_t ParametricFlow::depth(std::int32_t v) {
  auto top = v;
  std::int32_t steps = 0;
  for (; branch(top).stamp != stamp_; ++steps) {
    if (branch(top).parent < 0) {
      branch(top).stamp = stamp_;
      branch(top).depth = -1;
      break;
    }
    top = above(top);
  }
  auto const root = branch(top).depth;
  auto const found = root < 0 ? -1 : root + steps;
  for (auto d = found; v != top; d -= root < 0 ? 0 : 1) {
    branch(v).stamp = stamp_;
    branch(v).depth = d;
    v = above(v);
  }
  return found;
}

/// The trees have lost the ways to `orphans_`: each hangs on another tight arc, or the branch below it turns to hang by another vertex, or what
/// cannot turn leaves and orphans its children.
void ParametricFlow::adopt() {
  for (std::size_t i = 0; i < orphans_.size(); ++i)
    if (!adopted(orphans_[i]) && !turned(orphans_[i])) release();
  orphans_.clear();
}

/// Whether link `h` of `v` leads to a vertex from which the tree reaches `v`, other than its own child.
bool ParametricFlow::may_hang(std::int32_t h, Event const& self, Side side) {
  auto const& out = link(h);
  auto const& other = event(out.to);
  if (other.side != side || branch(out.to).parent == out.reverse) return false;
  return side == Side::source ? self.time - other.time == out.back : other.time - self.time == out.length;
}

bool ParametricFlow::adopted(std::int32_t v) {
  auto const self = event(v);
  std::int32_t best = -1, least = FlowNetwork::never;
  for (auto h = first(v); h < last(v); ++h) {
    if (!may_hang(h, self, self.side)) continue;
    auto const d = depth(link(h).to);
    if (d < 0 || d >= least) continue;
    least = d;
    best = h;
  }
  if (best < 0) return false;
  hang(v, best);
  branch(v).stamp = stamp_;
  branch(v).depth = least + 1;
  return true;
}

/// Looks below orphan `v`, along arcs that the tree can walk both ways, for a vertex with another way to the root; the arcs between it and `v` turn
/// round then, and all that hangs on them stays where it is. If there is none, `limb_` is what was looked through.
bool ParametricFlow::turned(std::int32_t v) {
  auto const side = event(v).side;
  limb_.assign(1, v);
  for (std::size_t i = 0; i < limb_.size(); ++i) {
    auto const u = limb_[i];
    auto const self = event(u);
    for (auto h = first(u); i > 0 && h < last(u); ++h) {
      if (h == branch(u).parent || !may_hang(h, self, side) || depth(link(h).to) < 0) continue;
      turn(u, h);
      return true;
    }
    for (auto c = branch(u).first_child; c >= 0; c = branch(c).next) {
      auto const& up = link(branch(c).parent);
      auto const time = event(c).time;
      if (side == Side::source ? self.time - time == up.length : time - self.time == up.back) limb_.push_back(c);
    }
  }
  return false;
}

/// Hangs `v` on `parent`, what was its parent on `v`, and so on up to the orphan.
void ParametricFlow::turn(std::int32_t v, std::int32_t parent) {
  while (branch(v).parent >= 0) {
    auto const old = branch(v).parent, above = branch(v).above;
    take_down(v);
    hang(v, parent);
    parent = link(old).reverse;
    v = above;
  }
  hang(v, parent);
}

/// `limb_` leaves its tree; what hangs on it is orphaned.
void ParametricFlow::release() {
  auto const from_source = event(limb_.front()).side == Side::source;
  for (auto v : limb_) {
    auto& self = event(v);
    self.side = Side::none;
    if (from_source) self.time += offset_;
  }
  for (auto v : limb_) {
    for (auto c = branch(v).first_child; c >= 0; c = branch(c).next) {
      if (event(c).side == Side::none) continue;
      branch(c).parent = -1;
      orphans_.push_back(c);
    }
    auto const time = event(v).time;
    for (auto h = first(v); h < last(v); ++h) {
      auto const& out = link(h);
      auto const& other = event(out.to);
      if (other.side == Side::source && from_source) queue(out.reverse, time - other.time - out.back);
      if (other.side == Side::sink && other.time - time == out.length) joining_.push_back({v, h});
    }
  }
}

void ParametricFlow::times(std::vector<std::int32_t>& times) const {
  times.resize(events_.size());
  for (std::size_t v = 0; v < events_.size(); ++v) times[v] = events_[v].time - (events_[v].side == Side::source ? 0 : offset_);
}

}  // namespace wattfill::training
