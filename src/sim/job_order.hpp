#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace wattfill {

/// The jobs of a progress clock in the order of the readings at which they finish; equal readings come in the order of the jobs' numbers. Both ends are taken
/// from.
///
/// Only the ends are sorted. What lies between stands in stretches, each of jobs that all come before those of the next, in any order inside; towards either
/// end stretches get shorter by halves. A stretch is halved when it comes to an end of the order, and sorted when it is short: the idea of quickheaps (Navarro
/// and Paredes 2010) for both ends. A push costs a search among O(log n) bounds, a pop amortised O(log n) by halving, which walks memory in order; jobs that go
/// to and fro between the ends of two orders cost a few entries' move each.
class JobOrder {
 public:
  struct Entry {
    double finish;        ///< reading of the clock [s of work at full speed]
    std::uint32_t job;    ///< number of the job
    std::uint32_t stamp;  ///< which stay of the job at a clock this is; entries of earlier stays are void
    bool operator<(Entry const& other) const { return (finish < other.finish) | ((finish == other.finish) & (job < other.job)); }
  };
  static_assert(sizeof(Entry) == 16);

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Entry const& min() const { return stretches_.front().entries[stretches_.front().begin]; }
  Entry const& max() const { return stretches_.back().entries.back(); }

  void push(Entry const& entry) {
    ++size_;
    if (stretches_.empty()) stretches_.emplace_back();
    auto const at = place_of(entry);
    auto& stretch = stretches_[at];
    if (at > 0 && at + 1 < stretches_.size()) {
      stretch.sorted = false;
      return stretch.entries.push_back(entry);
    }
    stretch.insert_sorted(entry);
    if (stretch.size() > longest_end) cut(at);
  }
  void pop_min() {
    --size_;
    auto& first = stretches_.front();
    if (++first.begin < first.entries.size()) return;
    stretches_.erase(stretches_.begin());
    if (!bounds_.empty()) bounds_.erase(bounds_.begin());
    settle_first();
  }
  void pop_max() {
    --size_;
    auto& last = stretches_.back();
    last.entries.pop_back();
    if (last.size() > 0) return;
    stretches_.pop_back();
    if (!bounds_.empty()) bounds_.pop_back();
    settle_last();
  }
  /// The one after the first, if it is known already; else the first. For fetching it early.
  Entry const& soon() const {
    auto const& first = stretches_.front();
    return first.entries[std::min(first.begin + 1, first.entries.size() - 1)];
  }

  /// Drops every entry for which `is_void` holds.
  template <class IsVoid>
  void compact(IsVoid is_void) {
    for (std::size_t i = 0; i < stretches_.size();) {
      auto& s = stretches_[i];
      s.entries.erase(s.entries.begin(), s.entries.begin() + static_cast<std::ptrdiff_t>(s.begin));
      s.begin = 0;
      size_ -= std::erase_if(s.entries, is_void);
      if (!s.entries.empty()) {
        ++i;
        continue;
      }
      if (!bounds_.empty()) bounds_.erase(bounds_.begin() + static_cast<std::ptrdiff_t>(std::min(i, bounds_.size() - 1)));
      stretches_.erase(stretches_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    settle_first();
    settle_last();
  }
  void swap(JobOrder& other) noexcept {
    std::swap(size_, other.size_);
    stretches_.swap(other.stretches_);
    bounds_.swap(other.bounds_);
  }

 private:
  static constexpr std::size_t longest_end = 128, sorted_at = 64;
  struct Stretch {
    std::vector<Entry> entries;
    std::size_t begin = 0;  // of what is left of them; 0 inside the order
    bool sorted = true;

    std::size_t size() const { return entries.size() - begin; }
    void insert_sorted(Entry const& entry);
  };

  std::size_t place_of(Entry const& entry) const {  // the ends first: most of those who come back go there
    if (bounds_.empty() || entry < bounds_.front()) return 0;
    if (!(entry < bounds_.back())) return bounds_.size();
    return static_cast<std::size_t>(std::upper_bound(bounds_.begin(), bounds_.end(), entry) - bounds_.begin());
  }
  void cut(std::size_t at);
  void halve(std::size_t at);
  void settle_first();
  void settle_last();
  void grow_towards_middle(std::size_t at, bool from_first);

  std::size_t size_ = 0;
  std::vector<Stretch> stretches_;
  std::vector<Entry> bounds_;  // [i]: nobody of stretch i + 1 and after comes before it, all of stretch i and before do
};

}  // namespace wattfill
