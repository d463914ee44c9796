#include "wattfill/flexibility/uncertainty.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "wattfill/flexibility/pfi.hpp"
#include "wattfill/flexibility/reconstruct.hpp"

using namespace wattfill;

namespace {

PowerSpeedCurve const plain({{100, 100, 20}, {200, 200, 60}, {300, 300, 90}, {400, 400, 100}});

PowerSpeedCurve const& published(CurveLibrary const& library, std::string_view name) { return library.find(name)->curve; }

}  // namespace

TEST_CASE("for small noise the interval is 1.96 standard deviations of the linear error propagation on both sides") {
  // PFI = mean of x_i / loss_i. Relative errors of P_i, T_i and of P_max, T_max, each 1e-5: derivatives of the mean of the terms by each.
  constexpr double s = 1e-5;
  std::array const p{0.25, 0.5, 0.75}, t{0.2, 0.6, 0.9};
  double variance = 0, by_p_max = 0, by_t_max = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double const loss = 1 - t[i], term = (1 - p[i]) / loss;
    double const by_p = -p[i] / loss / 3, by_t = term / loss * t[i] / 3;
    variance += s * s * (by_p * by_p + by_t * by_t);
    by_p_max -= by_p;
    by_t_max -= by_t;
  }
  variance += s * s * (by_p_max * by_p_max + by_t_max * by_t_max);
  double const half = 1.959964 * std::sqrt(variance), pfi = measured_pfi(plain);
  auto const interval = pfi_interval(plain, {}, {s, s}, 1, "plain", 40'000);
  CHECK(interval.low == Approx(pfi - half).margin(0.03 * half));
  CHECK(interval.high == Approx(pfi + half).margin(0.03 * half));
  CHECK(interval.unbounded_share == 0);
}

TEST_CASE("dense 70B pretraining: about 1.09 to 1.28 between runs, a tenth of that within one; sparse fine-tuning has no upper end between runs") {
  ReconstructionSpec spec;
  spec.share_dense = 0.98;
  auto const library = reconstruct(spec, "h200").library;
  auto const& dense = published(library, "pt_llama_70b_8g_compile");
  auto const narrow = pfi_interval(dense, {}, within_run, 1, "dense"), wide = pfi_interval(dense, {}, between_runs, 1, "dense");
  CHECK(narrow.low == Approx(1.161).margin(0.003));
  CHECK(narrow.high == Approx(1.179).margin(0.003));
  CHECK(wide.low == Approx(1.09).margin(0.006));
  CHECK(wide.high == Approx(1.28).margin(0.008));
  auto const sparse = pfi_interval(published(library, "ft_gpt_oss_20b_8g_seq4096"), {}, between_runs, 1, "sparse");
  CHECK(sparse.high == std::numeric_limits<double>::infinity());
  CHECK(sparse.unbounded_share > 0.025);
}

TEST_CASE("the same seed and name give the same interval; others give another") {
  auto const a = pfi_interval(plain, {}, between_runs, 1, "a", 1000), again = pfi_interval(plain, {}, between_runs, 1, "a", 1000);
  CHECK(a.low == again.low);
  CHECK(a.high == again.high);
  CHECK(a.low != pfi_interval(plain, {}, between_runs, 2, "a", 1000).low);
  CHECK(a.low != pfi_interval(plain, {}, between_runs, 1, "b", 1000).low);
}

TEST_CASE("an unresponsive curve has no interval, and a job that never slows down has an infinite one") {
  CHECK(std::isnan(pfi_interval(PowerSpeedCurve({{100, 99, 50}, {200, 100, 100}}), {}, between_runs, 1, "x", 100).low));
  CHECK(pfi_interval(PowerSpeedCurve({{100, 100, 101}, {200, 200, 100}}), {}, {0, 0}, 1, "x", 100).low == std::numeric_limits<double>::infinity());
}

TEST_CASE("without noise the interval is the PFI itself, on the chosen caps") {
  std::array const grid{100.0, 300.0, 400.0};
  auto const interval = pfi_interval(plain, grid, {0, 0}, 1, "x", 100);
  CHECK(interval.low == measured_pfi(plain, grid));
  CHECK(interval.high == interval.low);
}

TEST_CASE("repeats give the noise: the pooled relative spread about each cap's mean") {
  // Power: 1 %, spread evenly to both sides of the mean: variance per cap 2 d^2 / 1 with d = 0.01.
  std::vector<CurvePoint> points;
  for (double const cap : {100.0, 200.0, 300.0, 400.0, 500.0}) {
    points.push_back({cap, cap * 1.01, cap * 0.98});
    points.push_back({cap, cap * 0.99, cap * 1.02});
  }
  auto const noise = noise_of_repeats(PowerSpeedCurve(points));
  REQUIRE(noise);
  CHECK(noise->power == Approx(0.01 * std::sqrt(2.0)));
  CHECK(noise->speed == Approx(0.02 * std::sqrt(2.0)));
  CHECK_FALSE(noise_of_repeats(PowerSpeedCurve(points), std::array{100.0, 200.0, 500.0}));
  CHECK_FALSE(noise_of_repeats(plain));
}
