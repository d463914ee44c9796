#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wattfill/core/bytes.hpp"
#include "wattfill/core/lanes.hpp"

namespace wattfill {

/// Sums of one chunk of replications, column by column, about the chunk's first row: no digits are lost where the spread is small beside the mean.
class ChunkSums {
 public:
  explicit ChunkSums(std::size_t columns) : first_(columns), sum_(columns), squares_(columns) {}

  void clear() { rows_ = 0; }
  /// Adds whole rows, one after the other.
  void add(std::span<double const> rows);
  /// Adds row - other for each row, where `other` is the stretch [from, from + length) of the row's own columns, against which every stretch of this length
  /// stands.
  void add_difference(std::span<double const> rows, std::size_t from, std::size_t length);
  /// What `rows` rows were added up to elsewhere: of every column the first, then of every column the sum, then the squares about the first.
  void assign(std::uint64_t rows, std::span<double const> first_sum_squares);

 private:
  void begin();

  friend class Moments;
  std::uint64_t rows_ = 0;
  LaneVector first_, sum_, squares_;
};

/// Count, mean and spread of every column, folded chunk by chunk in a fixed order (Chan, Golub and LeVeque 1979). A column that ever was NaN stays NaN.
class Moments {
 public:
  explicit Moments(std::size_t columns = 0) : mean_(columns), squares_(columns) {}

  void fold(ChunkSums const& chunk);
  /// What `others` were folded from comes after what was folded here.
  void fold(Moments const& others);

  void save(ByteWriter& to) const;
  /// Of as many columns as these; false if the bytes end too early.
  bool load(ByteReader& from);

  std::uint64_t count() const { return count_; }
  double mean(std::size_t column) const { return mean_[column]; }
  /// Half the width of the 95 % interval of the mean, 1.96 standard errors; NaN with fewer than two rows.
  double half_width(std::size_t column) const;

 private:
  void fold(std::size_t column, double mean, double squares, double before, double added);

  std::uint64_t count_ = 0;
  std::vector<double> mean_, squares_;
};

}  // namespace wattfill
