#include "wattfill/study/moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "wattfill/core/error.hpp"
#include "wattfill/core/hostdevice.hpp"

namespace wattfill {
namespace {

WATTFILL_CLONES void add_about(double const* x, double const* first, double* sum, double* squares, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double const d = x[i] - first[i];
    sum[i] += d;
    squares[i] += d * d;
  }
}

WATTFILL_CLONES void add_difference_about(double const* x, double const* other, double const* first, double* sum, double* squares, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double const d = (x[i] - other[i]) - first[i];
    sum[i] += d;
    squares[i] += d * d;
  }
}

}  // namespace

void ChunkSums::add(std::span<double const> row) {
  WATTFILL_ASSERT(row.size() == first_.size());
  if (rows_++ == 0) {
    std::ranges::copy(row, first_.begin());
    std::ranges::fill(sum_, 0.0);
    std::ranges::fill(squares_, 0.0);
  }
  add_about(row.data(), first_.data(), sum_.data(), squares_.data(), row.size());
}

void ChunkSums::add_difference(std::span<double const> row, std::span<double const> other) {
  WATTFILL_ASSERT(row.size() == first_.size() && row.size() % other.size() == 0);
  auto const n = other.size();
  bool const is_first = rows_++ == 0;
  for (std::size_t from = 0; from < row.size(); from += n) {
    if (is_first)
      for (std::size_t i = 0; i < n; ++i) {
        first_[from + i] = row[from + i] - other[i];
        sum_[from + i] = squares_[from + i] = 0;
      }
    add_difference_about(row.data() + from, other.data(), first_.data() + from, sum_.data() + from, squares_.data() + from, n);
  }
}

void Moments::fold(ChunkSums const& chunk) {
  WATTFILL_ASSERT(chunk.first_.size() == mean_.size());
  if (chunk.rows_ == 0) return;
  auto const before = static_cast<double>(count_), added = static_cast<double>(chunk.rows_);
  auto const total = before + added;
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    auto const shift = chunk.sum_[i] / added;
    auto const mean = chunk.first_[i] + shift;
    auto const squares = std::max(chunk.squares_[i] - chunk.sum_[i] * shift, 0.0);
    auto const delta = mean - mean_[i];
    mean_[i] = count_ == 0 ? mean : mean_[i] + delta * (added / total);
    squares_[i] += squares + (count_ == 0 ? 0 : delta * delta * (before * added / total));
  }
  count_ += chunk.rows_;
}

double Moments::half_width(std::size_t column) const {
  if (count_ < 2 || std::isnan(mean_[column])) return std::numeric_limits<double>::quiet_NaN();
  constexpr double z95 = 1.959963984540054;  // 97.5 % point of the normal distribution
  auto const n = static_cast<double>(count_);
  return z95 * std::sqrt(squares_[column] / (n - 1) / n);
}

}  // namespace wattfill
