#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "wattfill/study/study.hpp"

namespace wattfill {

/// How often values occur, exactly while they are few, then in bins: a value's bin is its double without the last bits of the mantissa. All bits are kept while
/// there are at most most_bins different values; beyond that one bit after another is dropped, until there are. What is kept is a function of the set of values
/// alone, whatever the order in which values and counts are added: sums of parts are the same bits as the whole (after Epicoco et al. 2020, who widen bins as
/// here, and the bins of DDSketch, Masson et al. 2019, but without a logarithm). A quantile is off by at most relative_error() of itself, and by nothing while
/// that is 0.
class ValueCounts {
 public:
  static constexpr std::size_t most_bins = 4096;

  void add(double x, std::uint64_t times = 1);
  void add(ValueCounts const& others);
  std::uint64_t count() const { return count_; }
  /// The smallest value that at least a share q of the values do not exceed; of a bin its middle. NaN if there is none or one was NaN.
  double quantile(double q) const;
  double relative_error() const;

  void save(ByteWriter& to) const;
  /// False where the bytes hold none.
  bool load(ByteReader& from);

 private:
  void widen();

  std::map<std::int64_t, std::uint64_t> bins_;
  unsigned dropped_ = 0;  // last bits of a double that do not count
  std::uint64_t count_ = 0;
  bool has_nan_ = false;
};

/// Counts of every score of every policy at every target, as replications are computed. Memory is bounded whatever the replications.
class Quantiles final : public RowSink {
 public:
  /// `next` gets every row, too; nullptr: nobody. `study` must outlive it.
  Quantiles(StudySpec const& study, RowSink* next = nullptr);

  void format(std::size_t mix, std::uint64_t first, std::uint64_t count, std::span<double const> scores, RowText& text) const override;
  void write(std::string_view aside, std::string_view rows) override;

  ValueCounts const& of(std::size_t mix, std::size_t policy, std::size_t target, std::size_t score) const {
    return counts_[mix][(policy * targets_ + target) * scores_ + score];
  }
  std::size_t scores() const { return scores_; }

 private:
  RowSink* next_;
  std::size_t policies_, targets_, scores_;
  std::vector<std::vector<ValueCounts>> counts_;  // [mix][policy][target][score]
};

}  // namespace wattfill
