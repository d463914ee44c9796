#include "sim/job_order.hpp"

#include <array>

namespace wattfill {

void JobOrder::Stretch::insert_sorted(Entry const& entry) {
  if (begin >= longest_end) {  // what was taken from the front makes room at the back
    entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(begin));
    begin = 0;
  }
  auto const first = entries.begin() + static_cast<std::ptrdiff_t>(begin);
  auto const at = std::upper_bound(first, entries.end(), entry);
  if (begin > 0 && at - first <= entries.end() - at) {  // the shorter side moves
    std::move(first, at, first - 1);
    *(at - 1) = entry;
    --begin;
  } else {
    entries.insert(at, entry);
  }
}

/// A sorted end that has become long is cut in the middle.
void JobOrder::cut(std::size_t at) {
  auto& stretch = stretches_[at];
  auto const middle = stretch.entries.begin() + static_cast<std::ptrdiff_t>(stretch.begin + stretch.size() / 2);
  Stretch upper;
  upper.entries.assign(middle, stretch.entries.end());
  stretch.entries.erase(middle, stretch.entries.end());
  auto const bound = upper.entries.front();
  auto const was_first = at == 0;
  stretches_.insert(stretches_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(upper));
  bounds_.insert(bounds_.begin() + static_cast<std::ptrdiff_t>(at), bound);
  grow_towards_middle(was_first ? 1 : stretches_.size() - 2, was_first);
}

/// Stretches between the ends that are not half as long as the next one towards the middle join it: however jobs come, there are O(log n) of them.
void JobOrder::grow_towards_middle(std::size_t at, bool from_first) {
  for (;;) {
    auto const other = from_first ? at + 1 : at - 1;
    if (at == 0 || at + 1 >= stretches_.size() || other == 0 || other + 1 >= stretches_.size()) return;
    if (2 * stretches_[at].size() <= stretches_[other].size()) return;
    auto const lower = std::min(at, other);
    auto &a = stretches_[lower], &b = stretches_[lower + 1];
    if (a.entries.capacity() - a.entries.size() < b.entries.size() && b.entries.capacity() > a.entries.capacity())
      a.entries.swap(b.entries);  // any order will do
    a.entries.insert(a.entries.end(), b.entries.begin(), b.entries.end());
    a.sorted = false;
    stretches_.erase(stretches_.begin() + static_cast<std::ptrdiff_t>(lower) + 1);
    bounds_.erase(bounds_.begin() + static_cast<std::ptrdiff_t>(lower));
    at = lower;
  }
}

/// Splits a stretch about in half, without a branch that depends on the readings; sorts it instead if that fails.
void JobOrder::halve(std::size_t at) {
  auto& entries = stretches_[at].entries;
  std::array<Entry, 15> sample;
  for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = entries[i * (entries.size() - 1) / (sample.size() - 1)];
  std::sort(sample.begin(), sample.end());
  auto const pivot = sample[sample.size() / 2];
  std::size_t below = 0;
  for (auto const& e : entries) below += e < pivot ? 1 : 0;
  if (below == 0 || below == entries.size()) {  // void entries that are all alike
    std::sort(entries.begin(), entries.end());
    stretches_[at].sorted = true;
    return;
  }
  Stretch lower, upper;
  lower.entries.resize(below + 1);
  upper.entries.resize(entries.size() - below + 1);
  auto *low = lower.entries.data(), *high = upper.entries.data();
  for (auto const& e : entries) {
    auto const is_below = e < pivot;
    *low = *high = e;
    low += is_below ? 1 : 0;
    high += is_below ? 0 : 1;
  }
  lower.entries.pop_back();
  upper.entries.pop_back();
  lower.sorted = upper.sorted = false;
  stretches_[at] = std::move(upper);
  stretches_.insert(stretches_.begin() + static_cast<std::ptrdiff_t>(at), std::move(lower));
  bounds_.insert(bounds_.begin() + static_cast<std::ptrdiff_t>(at), pivot);
}

void JobOrder::settle_first() {
  if (stretches_.empty()) return;
  while (!stretches_.front().sorted && stretches_.front().size() > sorted_at) halve(0);
  if (auto& first = stretches_.front(); !first.sorted) {
    std::sort(first.entries.begin(), first.entries.end());
    first.sorted = true;
  }
}

void JobOrder::settle_last() {
  if (stretches_.empty()) return;
  while (!stretches_.back().sorted && stretches_.back().size() > sorted_at) halve(stretches_.size() - 1);
  if (auto& last = stretches_.back(); !last.sorted) {
    std::sort(last.entries.begin(), last.entries.end());
    last.sorted = true;
  }
}

}  // namespace wattfill
