#pragma once
#include <optional>
#include <vector>

#include "wattfill/contract/civil_time.hpp"

namespace wattfill {

/// What a meter saw of a stretch of time.
struct Metered {
  double mean_w = 0;    ///< over the part that was seen; 0 if none was
  double coverage = 0;  ///< the part that was seen, in [0, 1]; 1 for a stretch without length
};

/// Power over time as a step function: a reading holds from its time on until the next one, or for `reading_s` if that is shorter; what lies between is a gap.
class MeterSeries {
 public:
  struct Reading {
    Instant at;
    double watts;
  };

  /// Readings in ascending order of time, no two at one time. `reading_s`: seconds that one reading stands for, > 0; absent: until the next, and the last one
  /// as long as the one before it.
  explicit MeterSeries(std::vector<Reading> readings, std::optional<double> reading_s = std::nullopt);

  bool empty() const { return readings_.empty(); }
  Instant begin() const { return readings_.front().at; }
  Instant end() const { return end_of(readings_.size() - 1); }

  /// Summed from the readings in the stretch, in order: no digits are lost to what lies outside.
  Metered mean(Instant from, Instant to) const;

 private:
  Instant end_of(std::size_t i) const;

  std::vector<Reading> readings_;
  std::optional<double> reading_s_;
};

}  // namespace wattfill
