#include "wattfill/study/moments.hpp"

#include <cmath>
#include <limits>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/draws.hpp"

using namespace wattfill;
using testing::Draws;
using testing::same_bits;

namespace {

using Rows = std::vector<std::vector<double>>;

Moments folded(Rows const& rows, std::size_t chunk) {
  Moments moments(rows.front().size());
  ChunkSums sums(rows.front().size());
  for (std::size_t from = 0; from < rows.size(); from += chunk) {
    sums.clear();
    for (auto i = from; i < std::min(rows.size(), from + chunk); ++i) sums.add(rows[i]);
    moments.fold(sums);
  }
  return moments;
}

struct TwoPass {
  double mean = 0, half_width = 0;
};
TwoPass two_pass(Rows const& rows, std::size_t column) {
  long double sum = 0, squares = 0;
  auto const n = static_cast<long double>(rows.size());
  for (auto const& row : rows) sum += row[column];
  for (auto const& row : rows) squares += (row[column] - sum / n) * (row[column] - sum / n);
  return {static_cast<double>(sum / n), static_cast<double>(1.959963984540054L * std::sqrt(squares / (n - 1) / n))};
}

}  // namespace

TEST_CASE("1, 2, 3, 4: mean 2.5, standard error sqrt(5/3) / 2") {
  auto const moments = folded({{1}, {2}, {3}, {4}}, 3);
  CHECK(moments.count() == 4);
  CHECK(moments.mean(0) == Approx(2.5));
  CHECK(moments.half_width(0) == Approx(1.959963984540054 * std::sqrt(5.0 / 3) / 2));
}

TEST_CASE("mean and interval are those of two passes in long double, also where the spread is small beside the mean") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Draws draws(seed);
    Rows rows(2 + draws.below(500));
    for (auto& row : rows) row = {draws.share(), 1e9 + draws.share(), -1e6 + 1e-3 * draws.share(), 5};
    for (std::size_t chunk : {1, 7, 32, 1000}) {
      CAPTURE(seed, chunk);
      auto const moments = folded(rows, chunk);
      for (std::size_t c = 0; c < 4; ++c) {
        auto const expected = two_pass(rows, c);
        REQUIRE(moments.mean(c) == Approx(expected.mean).epsilon(1e-14));
        REQUIRE(moments.half_width(c) == Approx(expected.half_width).epsilon(1e-6).margin(1e-12));
      }
      REQUIRE(moments.mean(3) == 5);
      REQUIRE(moments.half_width(3) == 0);
    }
  }
}

TEST_CASE("a column that ever was NaN stays NaN, wherever it came, and spoils no other") {
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t where : {0, 3, 9})
    for (std::size_t chunk : {1, 4, 100}) {
      Rows rows(10, {1, 2});
      rows[where][0] = nan;
      auto const moments = folded(rows, chunk);
      CHECK(std::isnan(moments.mean(0)));
      CHECK(std::isnan(moments.half_width(0)));
      CHECK(moments.mean(1) == 2);
      CHECK(moments.half_width(1) == 0);
    }
}

TEST_CASE("one row has a mean and no interval; none has a count of zero") {
  auto const moments = folded({{3}}, 1);
  CHECK(moments.mean(0) == 3);
  CHECK(std::isnan(moments.half_width(0)));
  Moments none(1);
  none.fold(ChunkSums(1));
  CHECK(none.count() == 0);
}

TEST_CASE("differences against one stretch of the row are the moments of the differences, and a stretch against itself is 0") {
  Draws draws(8);
  Rows differences;
  Moments moments(6);
  for (int k = 0; k < 5; ++k) {
    ChunkSums sums(6);
    for (int i = 0; i < 20; ++i) {
      std::vector<double> row;
      for (int c = 0; c < 6; ++c) row.push_back(100 + draws.share());
      sums.add_difference(row, 2, 2);
      differences.push_back({row[0] - row[2], row[1] - row[3], 0, 0, row[4] - row[2], row[5] - row[3]});
    }
    moments.fold(sums);
  }
  CHECK(moments.count() == 100);
  for (std::size_t c = 0; c < 6; ++c) {
    CHECK(moments.mean(c) == Approx(two_pass(differences, c).mean).margin(1e-13));
    CHECK(moments.half_width(c) == Approx(two_pass(differences, c).half_width).margin(1e-13));
  }
  CHECK(moments.mean(2) == 0);
}

TEST_CASE("a cleared chunk is as good as a new one, to the bit") {
  ChunkSums used(1), fresh(1);
  used.add(std::vector<double>{1e300});
  used.clear();
  Moments a(1), b(1);
  for (double x : {0.1, 0.2, 0.7}) used.add(std::vector<double>{x}), fresh.add(std::vector<double>{x});
  a.fold(used);
  b.fold(fresh);
  CHECK(testing::same_bits(a.mean(0), b.mean(0)));
  CHECK(testing::same_bits(a.half_width(0), b.half_width(0)));
}

TEST_CASE("rows added together give the bits of rows added one by one, for any number of columns") {
  Draws draws(11);
  for (std::size_t columns : {1, 2, 7, 8, 9, 16, 33}) {
    CAPTURE(columns);
    std::vector<double> rows;
    for (std::size_t i = 0; i < 50 * columns; ++i) rows.push_back(draws.between(-1e3, 1e3));
    auto const stretch = columns % 3 == 0 ? columns / 3 : columns;
    ChunkSums apart(columns), together(columns), apart_difference(columns), together_difference(columns);
    for (std::size_t r = 0; r < 50; ++r) {
      apart.add(std::span(rows).subspan(r * columns, columns));
      apart_difference.add_difference(std::span(rows).subspan(r * columns, columns), columns - stretch, stretch);
    }
    for (std::size_t r = 0, some; r < 50; r += some) {
      some = std::min<std::size_t>(50 - r, 17);
      together.add(std::span(rows).subspan(r * columns, some * columns));
      together_difference.add_difference(std::span(rows).subspan(r * columns, some * columns), columns - stretch, stretch);
    }
    Moments a(columns), b(columns), c(columns), d(columns);
    a.fold(apart), b.fold(together), c.fold(apart_difference), d.fold(together_difference);
    for (std::size_t k = 0; k < columns; ++k) {
      CHECK(same_bits(a.mean(k), b.mean(k)));
      CHECK(same_bits(a.half_width(k), b.half_width(k)));
      CHECK(same_bits(c.mean(k), d.mean(k)));
      CHECK(same_bits(c.half_width(k), d.half_width(k)));
    }
  }
}
