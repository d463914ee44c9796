#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace wattfill {

/// A double-ended priority queue of jobs by the reading of their class's progress clock at which they finish: a min-max heap (Atkinson, Sack, Santoro and
/// Strothotte 1986) of 16-byte entries. Push and both pops cost O(log n). Equal readings come in the order of the jobs' numbers.
class JobHeap {
 public:
  struct Entry {
    double finish;        ///< reading of the clock [s of work at full speed]
    std::uint32_t job;    ///< number of the job
    std::uint32_t stamp;  ///< which stay of the job at a clock this is; entries of earlier stays are void
    bool operator<(Entry const& other) const { return finish < other.finish || (finish == other.finish && job < other.job); }
  };
  static_assert(sizeof(Entry) == 16);

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  Entry const& min() const { return entries_.front(); }
  Entry const& max() const { return entries_[max_place()]; }

  void push(Entry const& entry) {
    entries_.push_back(entry);
    rise(entries_.size() - 1);
  }
  void pop_min() { remove(0); }
  void pop_max() { remove(max_place()); }

  /// Drops every entry for which `is_void` holds.
  template <class IsVoid>
  void compact(IsVoid is_void) {
    std::erase_if(entries_, is_void);
    auto kept = std::move(entries_);
    entries_.clear();
    entries_.reserve(kept.size());
    for (auto const& entry : kept) push(entry);
  }
  void swap(JobHeap& other) { entries_.swap(other.entries_); }

 private:
  static bool on_min_level(std::size_t i) { return std::bit_width(i + 1) % 2 == 1; }
  static std::size_t parent(std::size_t i) { return (i - 1) / 2; }
  std::size_t max_place() const { return entries_.size() < 3 ? entries_.size() - 1 : entries_[1] < entries_[2] ? 2 : 1; }

  void rise(std::size_t i) {
    if (i == 0) return;
    auto const entry = entries_[i];
    bool downwards = on_min_level(i);  // towards smaller entries
    if (auto const p = parent(i); downwards ? entries_[p] < entry : entry < entries_[p]) {
      entries_[i] = entries_[p];
      i = p;
      downwards = !downwards;
    }
    while (i > 2) {
      auto const g = parent(parent(i));
      if (!(downwards ? entry < entries_[g] : entries_[g] < entry)) break;
      entries_[i] = entries_[g];
      i = g;
    }
    entries_[i] = entry;
  }

  void remove(std::size_t i) {
    entries_[i] = entries_.back();
    entries_.pop_back();
    if (i < entries_.size()) on_min_level(i) ? sink<true>(i) : sink<false>(i);
  }

  template <bool to_min>
  void sink(std::size_t i) {
    auto const before = [&](std::size_t a, std::size_t b) { return to_min ? entries_[a] < entries_[b] : entries_[b] < entries_[a]; };
    for (auto const n = entries_.size(); 2 * i + 1 < n;) {
      auto best = 2 * i + 1;  // of children and grandchildren
      if (2 * i + 2 < n && before(2 * i + 2, best)) best = 2 * i + 2;
      for (auto g = 4 * i + 3; g < 4 * i + 7 && g < n; ++g)
        if (before(g, best)) best = g;
      if (!before(best, i)) return;
      std::swap(entries_[best], entries_[i]);
      if (best < 4 * i + 3) return;  // a child
      if (auto const p = parent(best); before(p, best)) std::swap(entries_[best], entries_[p]);
      i = best;
    }
  }

  std::vector<Entry> entries_;
};

}  // namespace wattfill
