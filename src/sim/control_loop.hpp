#pragma once
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>

#include "sim/meter.hpp"
#include "wattfill/core/normal_random.hpp"
#include "wattfill/sim/control_spec.hpp"

namespace wattfill {

/// Corrections beyond which nothing changes: all at their floors, all uncapped [W].
struct CorrectionReach {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

/// The integral controller of a run and its sensor: told what is drawn, it says by how many watts the budget is to be corrected.
///
/// The error of a reading is against the mean limit over the same window, so that a limit that moves is no error. While there is no limit nothing is
/// corrected. Anti-windup: a correction that could have no effect, since all jobs are at their floors or uncapped, does not grow further. Random numbers are
/// addressed by reading, so that what a run does changes none of them.
class ControlLoop {
 public:
  /// All policies of a replication have the same sensor. Throws InputError if there would be more than five million readings until `end_s`.
  ControlLoop(SensorSpec const& sensor, CorrectionSpec const& correction, std::uint64_t seed, std::uint64_t replication,
              double end_s = std::numeric_limits<double>::infinity());

  using Reach = CorrectionReach;
  /// From t on. Infinity: no limit.
  void set(double t, double power_w, double limit_w, Reach reach = {});
  /// When it looks or reads next.
  double next() const { return reads_next() ? read_at() : window_at(); }
  bool reads_next() const { return looking_; }
  double read_at() const { return static_cast<double>(reading_) * sensor_.period_s; }

  enum class Told { nothing, reading, lost, fail_safe, back };
  /// The window opens, or a reading is taken, at exactly next(). `limit_w`: the limit now.
  Told act(double t, double limit_w, Reach reach);

  double correction_w() const { return correction_; }
  bool fails_safe() const { return safe_; }

 private:
  double window_at() const { return (static_cast<double>(reading_) - sensor_.duty) * sensor_.period_s; }
  struct Totals {
    double power, limit, unlimited;
  };
  Totals totals(double t) const { return {power_.at(t), limit_.at(t), unlimited_.at(t)}; }
  bool is_lost(double t);

  SensorSpec sensor_;
  CorrectionSpec spec_;
  NormalRandom noise_;
  CounterRandom losses_;
  Integral power_, limit_, unlimited_;
  std::uint64_t reading_ = 1;
  bool looking_ = false;
  Totals since_{};
  Reach reach_;
  double opened_ = 0;
  struct Reading {
    std::optional<double> error;  // nothing: there was no limit
    bool lost, at_floors, uncapped;
  };
  std::deque<Reading> under_way_;
  std::uint32_t missing_ = 0;
  bool safe_ = false;
  double correction_ = 0;
};

}  // namespace wattfill
