#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wattfill {

/// Most batches of a metric that a baseline keeps.
inline constexpr std::size_t most_batches = 20;

/// One metric of one row of a result (a policy at a cut, say) over all replications, small enough to be kept in a repository.
struct MetricRecord {
  std::vector<std::string> key;  ///< cells of the key columns: mix, policy, cut, sweep columns
  std::string metric;
  std::uint64_t count = 0;      ///< replications
  double mean = 0;              ///< NaN if a replication has no such number
  std::string digest;           ///< 16 hexadecimal digits of the SHA-256 of all values as written: differs as soon as one bit of one of them does
  std::vector<double> batches;  ///< mean of each batch; replication i is in batch i mod 20
};

/// Collects the values of one record, replication by replication.
class MetricRecorder {
 public:
  /// `text` as it stands in the result file; `value` is NaN for an empty cell.
  void add(std::string_view text, double value);
  MetricRecord record(std::vector<std::string> key, std::string metric) const;

 private:
  std::string texts_;
  std::vector<double> values_;
};

/// How far a metric may move. A metric has moved if it moved further than absolute + relative x |baseline|, and, where `significance` is given, the paired
/// difference is significant besides (where that cannot be told, with a single replication, it counts as significant). Nothing given, or zero: not one bit of
/// one replication may change.
struct Tolerance {
  std::optional<double> absolute;      ///< >= 0, in the metric's unit
  std::optional<double> relative;      ///< >= 0
  std::optional<double> significance;  ///< in (0, 1): chance of one false alarm in all the rows of the metric together (Bonferroni)
};

struct MetricTolerance {
  std::string metric;
  Tolerance tolerance;
};

/// Something that is no longer what the baseline says.
struct Move {
  enum class Kind { changed, missing, added };

  Kind kind;
  std::vector<std::string> key;
  std::string metric;
  double before, after;  ///< means; NaN where there is none
  double p;              ///< of the paired difference, before Bonferroni; NaN where it cannot be told
};

/// Student's t on the differences of the batches (the method of batch means): both sides met the same replications, so that what differs from mix to mix
/// cancels. NaN for fewer than two batches, other numbers of batches, or batches without a number; 0 where all batches moved by the same amount.
double paired_p(std::span<double const> before, std::span<double const> after);

/// What moved, in the order of the baseline, then what is new. Metrics without a tolerance are not looked at.
std::vector<Move> moves(std::span<MetricRecord const> baseline, std::span<MetricRecord const> now, std::span<MetricTolerance const> tolerances);

}  // namespace wattfill
