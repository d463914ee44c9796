#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <tuple>

namespace wattfill {

/// Checkpoints that many jobs write and read at once share one storage: each would move `rate` [GB/s] alone, and all are slowed by the same factor while they
/// ask for more than there is. So they share a clock that goes at min(1, bandwidth / sum of rates); one that takes `length` alone ends when the clock has
/// grown by it. Anchored where the rate changed last.
class StorageClock {
 public:
  explicit StorageClock(double bandwidth) : bandwidth_(bandwidth) {}

  void add(std::uint32_t job, double length_s, double rate, double t) {
    turn(t);
    transfers_.insert({clock_ + length_s, job, rate});
    asked_ += rate;
    set_speed();
  }
  /// The job's transfer ends or is given up; nothing if it has none.
  void remove(std::uint32_t job, double t) {
    for (auto at = transfers_.begin(); at != transfers_.end(); ++at) {
      if (at->job != job) continue;
      turn(t);
      transfers_.erase(at);
      asked_ = 0;  // added up anew: nothing is left over of what has gone
      for (auto const& other : transfers_) asked_ += other.rate;
      return set_speed();
    }
  }
  /// When the first transfer ends, and whose it is.
  double next() const {
    return transfers_.empty() ? std::numeric_limits<double>::infinity() : std::max(since_, since_ + (transfers_.begin()->end - clock_) / speed_);
  }
  std::uint32_t first() const { return transfers_.begin()->job; }
  double speed() const { return speed_; }
  std::size_t size() const { return transfers_.size(); }

 private:
  void turn(double t) {
    clock_ = transfers_.empty() ? 0 : clock_ + speed_ * (t - since_);
    since_ = t;
  }
  void set_speed() { speed_ = asked_ > bandwidth_ ? bandwidth_ / asked_ : 1; }

  struct Transfer {
    double end;
    std::uint32_t job;
    double rate;
    bool operator<(Transfer const& o) const { return std::tie(end, job) < std::tie(o.end, o.job); }
  };
  double bandwidth_, clock_ = 0, since_ = 0, speed_ = 1, asked_ = 0;
  std::set<Transfer> transfers_;
};

}  // namespace wattfill
