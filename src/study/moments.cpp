#include "wattfill/study/moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "wattfill/core/error.hpp"
#include "wattfill/core/hostdevice.hpp"
#include "wattfill/core/lanes.hpp"

namespace wattfill {
namespace {

/// Columns of some rows: sum and squares of x (less `other`) about `first`, a strip of columns at a time, whose sums stay in registers. Every column is added
/// row by row.
template <bool difference>
WATTFILL_INLINE void add_columns(double const* x, double const* other, std::size_t stride, std::size_t rows, double const* first, double* sum, double* squares,
                                 std::size_t columns) {
  std::size_t c = 0;
  for (; c + lane_count <= columns; c += lane_count) {
    auto const about = load<QuadPair>(first + c);
    auto s = load<QuadPair>(sum + c), q = load<QuadPair>(squares + c);
    for (std::size_t r = 0; r < rows; ++r) {
      auto d = load<QuadPair>(x + r * stride + c);
      if constexpr (difference) d = d - load<QuadPair>(other + r * stride + c);
      d = d - about;
      s += d;
      q += d * d;
    }
    store(sum + c, s);
    store(squares + c, q);
  }
  for (; c < columns; ++c)
    for (std::size_t r = 0; r < rows; ++r) {
      double const d = (difference ? x[r * stride + c] - other[r * stride + c] : x[r * stride + c]) - first[c];
      sum[c] += d;
      squares[c] += d * d;
    }
}
WATTFILL_CLONES void add_about(double const* x, std::size_t stride, std::size_t rows, double const* first, double* sum, double* squares, std::size_t columns) {
  add_columns<false>(x, nullptr, stride, rows, first, sum, squares, columns);
}
WATTFILL_CLONES void add_difference_about(double const* x, double const* other, std::size_t stride, std::size_t rows, double const* first, double* sum,
                                          double* squares, std::size_t columns) {
  add_columns<true>(x, other, stride, rows, first, sum, squares, columns);
}

}  // namespace

void ChunkSums::begin() {
  std::ranges::fill(sum_, 0.0);
  std::ranges::fill(squares_, 0.0);
}

void ChunkSums::add(std::span<double const> rows) {
  auto const columns = first_.size();
  WATTFILL_ASSERT(columns > 0 && rows.size() % columns == 0);
  auto const count = rows.size() / columns;
  if (count == 0) return;
  if (rows_ == 0) {
    begin();
    std::ranges::copy(rows.first(columns), first_.begin());
  }
  rows_ += count;
  add_about(rows.data(), columns, count, first_.data(), sum_.data(), squares_.data(), columns);
}

void ChunkSums::add_difference(std::span<double const> rows, std::size_t from, std::size_t length) {
  auto const columns = first_.size();
  WATTFILL_ASSERT(length > 0 && columns % length == 0 && from + length <= columns && rows.size() % columns == 0);
  auto const count = rows.size() / columns;
  if (count == 0) return;
  bool const is_first = rows_ == 0;
  if (is_first) begin();
  rows_ += count;
  auto const* const other = rows.data() + from;
  for (std::size_t at = 0; at < columns; at += length) {
    if (is_first)
      for (std::size_t i = 0; i < length; ++i) first_[at + i] = rows[at + i] - other[i];
    add_difference_about(rows.data() + at, other, columns, count, first_.data() + at, sum_.data() + at, squares_.data() + at, length);
  }
}

void ChunkSums::assign(std::uint64_t rows, std::span<double const> first_sum_squares) {
  auto const columns = first_.size();
  WATTFILL_ASSERT(first_sum_squares.size() == 3 * columns);
  rows_ = rows;
  std::ranges::copy(first_sum_squares.first(columns), first_.begin());
  std::ranges::copy(first_sum_squares.subspan(columns, columns), sum_.begin());
  std::ranges::copy(first_sum_squares.last(columns), squares_.begin());
}

void Moments::fold(std::size_t column, double mean, double squares, double before, double added) {
  auto const total = before + added, delta = mean - mean_[column];
  mean_[column] = count_ == 0 ? mean : mean_[column] + delta * (added / total);
  squares_[column] += squares + (count_ == 0 ? 0 : delta * delta * (before * added / total));
}

void Moments::fold(ChunkSums const& chunk) {
  WATTFILL_ASSERT(chunk.first_.size() == mean_.size());
  if (chunk.rows_ == 0) return;
  auto const before = static_cast<double>(count_), added = static_cast<double>(chunk.rows_);
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    auto const shift = chunk.sum_[i] / added;
    fold(i, chunk.first_[i] + shift, std::max(chunk.squares_[i] - chunk.sum_[i] * shift, 0.0), before, added);
  }
  count_ += chunk.rows_;
}

void Moments::fold(Moments const& others) {
  WATTFILL_ASSERT(others.mean_.size() == mean_.size());
  if (others.count_ == 0) return;
  auto const before = static_cast<double>(count_), added = static_cast<double>(others.count_);
  for (std::size_t i = 0; i < mean_.size(); ++i) fold(i, others.mean_[i], others.squares_[i], before, added);
  count_ += others.count_;
}

void Moments::save(ByteWriter& to) const {
  to.number(count_);
  to.doubles(mean_);
  to.doubles(squares_);
}

bool Moments::load(ByteReader& from) { return from.number(count_) && from.doubles(mean_) && from.doubles(squares_); }

double Moments::half_width(std::size_t column) const {
  if (count_ < 2 || std::isnan(mean_[column])) return std::numeric_limits<double>::quiet_NaN();
  constexpr double z95 = 1.959963984540054;  // 97.5 % point of the normal distribution
  auto const n = static_cast<double>(count_);
  return z95 * std::sqrt(squares_[column] / (n - 1) / n);
}

}  // namespace wattfill
