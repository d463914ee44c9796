#include "wattfill/fill/fill_view.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/draws.hpp"

using namespace wattfill;
using testing::Draws;

namespace {

struct Rows {
  std::size_t classes, stride, knots;
  LaneVector draws, gpus;
  FillView view() const { return {draws.data(), stride, knots}; }
};

/// Rows that never fall; some stand still, some differ by the last bit.
Rows random_rows(std::uint64_t seed) {
  Draws draws(seed);
  Rows rows{1 + draws.below(20), 0, 1 + draws.below(40), {}, {}};
  rows.stride = padded(rows.classes);
  rows.draws.assign(rows.stride * rows.knots, 0.0);
  rows.gpus.assign(rows.stride, 0.0);
  for (std::size_t c = 0; c < rows.classes; ++c) {
    rows.gpus[c] = draws.chance(0.3) ? 0 : std::floor(draws.between(1, 1000));
    double w = draws.between(50, 300);
    for (std::size_t k = 0; k < rows.knots; ++k) {
      rows.draws[k * rows.stride + c] = w;
      if (draws.chance(0.1)) w = std::nextafter(w, 1e9);
      if (draws.chance(0.3)) w += draws.between(0, 50);
    }
  }
  return rows;
}

bool same(FillPosition const& a, FillPosition const& b) {
  return a.knot == b.knot && testing::same_bits(a.theta, b.theta) && testing::same_bits(a.power_w, b.power_w) &&
         testing::same_bits(a.shortfall_w, b.shortfall_w);
}

/// Every stretch looked at in turn.
FillPosition by_scan(Rows const& rows, double budget) {
  auto const view = rows.view();
  auto const power = [&](std::size_t k) { return view.power(rows.gpus.data(), k); };
  if (!(power(rows.knots - 1) >= budget)) return {rows.knots - 1, 0, power(rows.knots - 1), 0};
  if (!(power(0) < budget)) return {0, 0, power(0), power(0) - budget};
  std::size_t k = 0;
  while (!(power(k) < budget && power(k + 1) >= budget)) ++k;
  return {k, (budget - power(k)) / (power(k + 1) - power(k)), budget, 0};
}

}  // namespace

TEST_CASE("total power is the plain sum, to rounding, and never falls from knot to knot, to the last bit") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    auto const rows = random_rows(seed);
    double last = 0;
    for (std::size_t k = 0; k < rows.knots; ++k) {
      double sum = 0;
      for (std::size_t c = 0; c < rows.classes; ++c) sum += rows.gpus[c] * rows.draws[k * rows.stride + c];
      auto const power = rows.view().power(rows.gpus.data(), k);
      REQUIRE(power == Approx(sum).epsilon(1e-14));
      REQUIRE(power >= last);
      last = power;
    }
  }
}

TEST_CASE("a budget is found where a scan of all stretches finds it, and no hint changes a bit (2000 random paths)") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    auto const rows = random_rows(seed);
    auto const view = rows.view();
    auto const low = view.power(rows.gpus.data(), 0), high = view.power(rows.gpus.data(), rows.knots - 1);
    Draws draws(seed + 5000000);
    std::vector<double> budgets{0, low, high, std::nextafter(low, -1), std::nextafter(high, 1e12), high + 1};
    for (int i = 0; i < 4; ++i) budgets.push_back(low + draws.between(-0.1, 1.1) * (high - low));
    budgets.push_back(view.power(rows.gpus.data(), draws.below(rows.knots)));  // exactly at a knot
    for (double budget : budgets) {
      CAPTURE(budget);
      auto const expected = by_scan(rows, budget);
      for (std::size_t hint = 0; hint <= rows.knots + 3; ++hint) {
        CAPTURE(hint);
        REQUIRE(same(view.locate(rows.gpus.data(), budget, hint), expected));
      }
      REQUIRE((expected.theta >= 0 && expected.theta <= 1));
    }
  }
}

TEST_CASE("no GPUs at all: nothing is drawn and nothing is missing") {
  auto rows = random_rows(3);
  std::ranges::fill(rows.gpus, 0.0);
  auto const at = rows.view().locate(rows.gpus.data(), 0, 5);
  CHECK(at.power_w == 0);
  CHECK(at.shortfall_w == 0);
}
