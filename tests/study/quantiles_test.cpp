#include "wattfill/study/quantiles.hpp"

#include <algorithm>
#include <limits>

#include "support/catch.hpp"
#include "support/draws.hpp"
#include "support/mixes.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

std::string bytes_of(ValueCounts const& counts) {
  std::string bytes;
  ByteWriter to(bytes);
  counts.save(to);
  return bytes;
}

double sorted_quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  return values[std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size()) - 1e-9))) - 1];
}

}  // namespace

TEST_CASE("few values have exact quantiles, negative ones, zeros and repeated ones among them") {
  Draws draws(1);
  std::vector<double> values;
  ValueCounts counts;
  for (int i = 0; i < 3000; ++i) {
    values.push_back(i % 7 == 0 ? 0.0 : i % 11 == 0 ? -0.0 : draws.between(-5, 3));
    counts.add(values.back());
  }
  CHECK(counts.relative_error() == 0);
  for (double q : {1e-9, 0.01, 0.25, 0.5, 0.9, 0.999, 1.0}) CHECK(counts.quantile(q) == sorted_quantile(values, q));
  counts.add(std::numeric_limits<double>::quiet_NaN());
  CHECK(std::isnan(counts.quantile(0.5)));
  CHECK(std::isnan(ValueCounts().quantile(0.5)));
}

TEST_CASE("many values stay within the stated error, in bounded memory, and any order and division of them gives the same bytes") {
  for (std::uint64_t seed : {1, 2, 3}) {
    Draws draws(seed);
    std::vector<double> values;
    for (int i = 0; i < 60000; ++i) values.push_back(seed == 1 ? draws.between(0.4, 1) : seed == 2 ? draws.between(-1, 1) : 1 / (draws.share() + 1e-9));
    ValueCounts whole;
    for (double x : values) whole.add(x);
    auto const bytes = bytes_of(whole);
    CHECK(whole.count() == 60000);
    CHECK(bytes.size() <= 24 + 16 * ValueCounts::most_bins);
    CHECK(whole.relative_error() > 0);
    CHECK(whole.relative_error() < 0.005);
    for (double q : {0.001, 0.05, 0.37, 0.5, 0.95, 0.999}) {
      auto const exact = sorted_quantile(values, q);
      CHECK(std::fabs(whole.quantile(q) - exact) <= whole.relative_error() * std::fabs(exact));
    }
    std::ranges::reverse(values);
    std::vector<ValueCounts> parts(7);
    for (double x : values) parts[draws.below(7)].add(x);
    ValueCounts joined;
    for (std::size_t i = 7; i-- > 0;) joined.add(parts[i]);
    CHECK(bytes_of(joined) == bytes);
    ByteReader from(bytes);
    ValueCounts read;
    REQUIRE(read.load(from));
    CHECK(bytes_of(read) == bytes);
  }
}

TEST_CASE("bytes that hold no counts are refused") {
  for (auto const& bytes :
       {std::string(), std::string(23, '\0'), std::string(8, '\x7f') + std::string(16, '\0'), std::string(16, '\0') + std::string(8, '\x7f')}) {
    ByteReader from(bytes);
    CHECK(!ValueCounts().load(from));
  }
}

TEST_CASE("quantiles of a study are those of its rows, with any threads, and the rows go on") {
  Draws draws(21);
  auto const curves = random_curves(draws, 3);
  auto study = small_study(curves);
  study.policies = {policy("proportional"), policy("oracle")};
  class Rows final : public RowSink {
   public:
    void format(std::size_t mix, std::uint64_t, std::uint64_t, std::span<double const> scores, RowText& text) const override {
      text.rows = mix == 0 ? std::string(reinterpret_cast<char const*>(scores.data()), scores.size_bytes()) : "";
    }
    void write(std::string_view, std::string_view rows) override { bytes += rows; }
    std::string bytes;
  } rows;
  Quantiles quantiles(study, &rows), again(study);
  RunOptions options;
  options.rows = &quantiles;
  run_study(study, *make_thread_executor(2), options);
  options.rows = &again;
  run_study(study, *make_thread_executor(1), options);
  std::vector<double> all(rows.bytes.size() / sizeof(double));
  ByteReader(rows.bytes).doubles(all);
  auto const columns = 2 * 3 * score::count;
  REQUIRE(all.size() == 300 * columns);
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t t = 0; t < 3; ++t) {
      std::vector<double> values;
      for (std::size_t r = 0; r < 300; ++r) values.push_back(all[r * columns + (p * 3 + t) * score::count + score::speed_gpu]);
      CHECK(quantiles.of(0, p, t, score::speed_gpu).quantile(0.05) == sorted_quantile(values, 0.05));
      CHECK(bytes_of(quantiles.of(0, p, t, score::speed_gpu)) == bytes_of(again.of(0, p, t, score::speed_gpu)));
    }
  CHECK_THROWS_AS(quantiles.write("no counts", {}), InputError);
}
