#pragma once
#include <chrono>
#include <cstdint>

namespace wattfill::cli {

/// Says on stderr how far a run is: one line that is rewritten on a terminal, a line every 30 s elsewhere.
class Progress {
 public:
  /// `what` is counted.
  Progress(std::uint64_t total, bool quiet, char const* what = "mixes");
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  void add(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t total_, done_ = 0;
  char const* what_;
  bool quiet_, terminal_, shown_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace wattfill::cli
