#include "wattfill/flexibility/rank_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "support/catch.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/flexibility/published_groups.hpp"

using namespace wattfill;

namespace {

using Groups = std::vector<std::vector<double>>;

enum class Grid { own, common };

/// The 25 printed PFIs of arXiv:2609.11542 in the classes dense, MoE pretraining, MoE fine-tuning.
Groups published_classes(Grid grid) {
  Groups classes(3);
  for (auto const& g : published_groups())
    classes[g.architecture == "dense" ? 0 : g.task == "pretraining" ? 1 : 2].push_back(grid == Grid::own && g.pfi ? *g.pfi : g.pfi4);
  return classes;
}

/// Correlation and mean rank difference by other formulas: rho = 1 - 6 sum d^2 / (n^3 - n) without ties.
double textbook_spearman(std::vector<double> const& x, std::vector<double> const& y) {
  auto const rx = midranks(x), ry = midranks(y);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (rx[i] - ry[i]) * (rx[i] - ry[i]);
  auto const n = static_cast<double>(x.size());
  return 1 - 6 * sum / (n * n * n - n);
}

}  // namespace

TEST_CASE("medians, means and midranks by hand") {
  CHECK(median(std::array{3.0, 1.0, 2.0}) == 2);
  CHECK(median(std::array{4.0, 1.0, 2.0, 3.0}) == 2.5);
  CHECK(std::isnan(median({})));
  CHECK(std::isnan(mean({})));
  CHECK(mean(std::array{1.0, 2.0, 6.0}) == 3);
  CHECK(midranks(std::array{5.0, 1.0, 5.0, 7.0, 5.0}) == std::vector<double>{3, 1, 3, 5, 3});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(midranks(std::array{infinity, 1.0, infinity}) == std::vector<double>{2.5, 1, 2.5});
  CHECK(median(std::array{infinity, infinity}) == infinity);
}

TEST_CASE("Kruskal-Wallis and Dunn with Holm on the 25 printed PFIs: 12.48, 0.0019; 0.0017, 0.1175, 0.1175") {
  auto classes = published_classes(Grid::own);
  REQUIRE(classes[0].size() == 14);
  REQUIRE(classes[1].size() == 7);
  REQUIRE(classes[2].size() == 4);
  CHECK(median(classes[0]) == Approx(1.27));
  CHECK(median(classes[1]) == Approx(1.43));
  CHECK(median(classes[2]) == Approx(2.10));
  auto const test = kruskal_wallis(classes);
  CHECK(test.freedom == 2);
  CHECK(test.h == Approx(12.48).margin(0.005));
  CHECK(test.p == Approx(0.0019).margin(0.00005));
  CHECK(test.p == Approx(std::exp(-test.h / 2)).epsilon(1e-12));  // chi-squared with two degrees
  auto const pairs = dunn_holm(classes);
  REQUIRE(pairs.size() == 3);
  CHECK(pairs[0].p_holm == Approx(0.1175).margin(0.00005));  // dense, MoE pretraining
  CHECK(pairs[1].p_holm == Approx(0.0017).margin(0.00005));  // dense, MoE fine-tuning
  CHECK(pairs[2].p_holm == Approx(0.1175).margin(0.00005));  // MoE pretraining, MoE fine-tuning

  // The paper works with unrounded values, that is without ties: its figures come out with the tie at 1.52 broken for the dense job.
  for (std::size_t i = 0; i < classes[0].size(); ++i) classes[0][i] += 1e-6 * static_cast<double>(i + 1);
  auto const unrounded = kruskal_wallis(classes);
  CHECK(unrounded.h == Approx(12.37).margin(0.005));
  CHECK(unrounded.p == Approx(0.0021).margin(0.00005));
  auto const unrounded_pairs = dunn_holm(classes);
  CHECK(unrounded_pairs[1].p_holm == Approx(0.0017).margin(0.00005));
  CHECK(unrounded_pairs[0].p_holm == Approx(0.114).margin(0.0005));
  CHECK(unrounded_pairs[2].p_holm == Approx(0.114).margin(0.0005));
}

TEST_CASE("Kruskal-Wallis on the common four-cap grid: 11.36, 0.0034") {
  auto const test = kruskal_wallis(published_classes(Grid::common));
  CHECK(test.h == Approx(11.36).margin(0.005));
  CHECK(test.p == Approx(0.0034).margin(0.00005));
}

TEST_CASE("Spearman of the six H100 and H200 pairs is 0.943") {
  std::vector<double> const h100{1.26, 1.19, 1.33, 1.38, 1.51, 1.93}, h200{1.18, 1.22, 1.31, 1.43, 1.67, 2.00};
  auto const rho = spearman(h100, h200);
  CHECK(rho.r == Approx(0.943).margin(0.0005));
  CHECK(rho.exact);
  CHECK(rho.p == Approx(12.0 / 720));  // rho >= 33/35: sum d^2 <= 2, the identity or one of 5 neighbours swapped, and as many reversed
  CHECK(kendall(h100, h200).r == Approx(13.0 / 15));
  CHECK(kendall(h100, h200).p == Approx(12.0 / 720));
}

TEST_CASE("the grid effect of the 16 printed pairs: median 10.6 %, Spearman 0.928") {
  std::vector<double> own, coarse, change;
  for (auto const& g : published_groups())
    if (g.pfi) {
      own.push_back(*g.pfi);
      coarse.push_back(g.pfi4);
      change.push_back(g.pfi4 / *g.pfi - 1);
    }
  CHECK(own.size() == 16);
  CHECK(median(change) == Approx(0.106).margin(0.0005));
  CHECK(spearman(own, coarse).r == Approx(0.928).margin(0.0005));
}

TEST_CASE("Kruskal-Wallis of two groups without ties is the square of the normal form of Wilcoxon's rank sum") {
  Groups const groups{{1.1, 3.5, 2.2, 9.0}, {4.0, 5.5, 7.1, 8.2, 10.0}};
  double const n = 9, rank_sum = 1 + 3 + 2 + 8, z = (rank_sum - 4 * (n + 1) / 2) / std::sqrt(4 * 5 * (n + 1) / 12);
  auto const test = kruskal_wallis(groups);
  CHECK(test.h == Approx(z * z).epsilon(1e-12));
  CHECK(test.p == Approx(std::erfc(std::fabs(z) / std::sqrt(2.0))).epsilon(1e-10));
  auto const pairs = dunn_holm(groups);
  CHECK(pairs[0].z * pairs[0].z == Approx(test.h).epsilon(1e-12));
  CHECK(pairs[0].p_holm == pairs[0].p);
}

TEST_CASE("H with ties is the variance of the mean ranks over that of all ranks") {
  std::mt19937 engine(3);
  for (int round = 0; round < 50; ++round) {
    Groups groups(3);
    std::vector<double> all;
    for (std::size_t g = 0; g < 3; ++g)
      for (std::size_t i = 0; i < 4 + g; ++i) {
        groups[g].push_back(static_cast<double>(engine() % 6));
        all.push_back(groups[g].back());
      }
    auto const ranks = midranks(all);
    double const n = static_cast<double>(all.size()), centre = (n + 1) / 2;
    double total = 0, between = 0;
    for (double const r : ranks) total += (r - centre) * (r - centre);
    std::size_t at = 0;
    for (auto const& group : groups) {
      double sum = 0;
      for (std::size_t i = 0; i < group.size(); ++i) sum += ranks[at++] - centre;
      between += sum * sum / static_cast<double>(group.size());
    }
    REQUIRE(kruskal_wallis(groups).h == Approx((n - 1) * between / total).margin(1e-10));
  }
}

TEST_CASE("the chi-squared p of Kruskal-Wallis is near the exact one of every assignment on small groups") {
  Groups const groups{{1, 2, 3, 5}, {4, 7, 8, 9}, {6, 10, 11, 12}};
  double const h = kruskal_wallis(groups).h;
  std::vector<std::size_t> owner{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
  double as_extreme = 0, assignments = 0;
  do {
    std::array<double, 3> sums{};
    for (std::size_t rank = 0; rank < owner.size(); ++rank) sums[owner[rank]] += static_cast<double>(rank + 1);
    as_extreme += 12.0 / (12 * 13) * (sums[0] * sums[0] + sums[1] * sums[1] + sums[2] * sums[2]) / 4 - 3 * 13 >= h - 1e-9;
    ++assignments;
  } while (std::ranges::next_permutation(owner).found);
  CHECK(assignments == 34650);
  CHECK(kruskal_wallis(groups).p == Approx(as_extreme / assignments).margin(0.015));
}

TEST_CASE("Spearman and Kendall agree with the textbook on random data without ties, and with each other in sign at the ends") {
  std::mt19937 engine(8);
  std::uniform_real_distribution<double> uniform;
  for (int round = 0; round < 100; ++round) {
    std::vector<double> x(12), y(12);
    for (auto& v : x) v = uniform(engine);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] + uniform(engine);
    REQUIRE(spearman(x, y).r == Approx(textbook_spearman(x, y)).margin(1e-12));
    double concordant = 0;
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t j = 0; j < i; ++j) concordant += (x[i] - x[j]) * (y[i] - y[j]) > 0 ? 1 : -1;
    REQUIRE(kendall(x, y).r == Approx(concordant / 66));
  }
  std::vector<double> const up{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  CHECK(spearman(up, up).r == Approx(1));
  CHECK(spearman(up, up).p < 1e-8);
  CHECK(kendall(up, up).r == Approx(1));
}

TEST_CASE("p beyond nine pairs is near the exact permutation p at ten") {
  std::vector<double> const x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, y{2, 1, 4, 6, 3, 9, 5, 7, 8, 10};
  auto const rho = spearman(x, y), tau = kendall(x, y);
  CHECK_FALSE(rho.exact);
  auto shuffled = x;
  double all = 0, rho_extreme = 0, tau_extreme = 0;
  do {
    double d2 = 0, s = 0;
    for (std::size_t i = 0; i < 10; ++i) {
      d2 += (shuffled[i] - x[i]) * (shuffled[i] - x[i]);
      for (std::size_t j = 0; j < i; ++j) s += shuffled[i] > shuffled[j] ? 1 : -1;
    }
    rho_extreme += std::fabs(1 - 6 * d2 / 990) >= std::fabs(rho.r) - 1e-12;
    tau_extreme += std::fabs(s / 45) >= std::fabs(tau.r) - 1e-12;
    ++all;
  } while (std::ranges::next_permutation(shuffled).found);
  CHECK(rho.p == Approx(rho_extreme / all).margin(0.003));
  CHECK(tau.p == Approx(tau_extreme / all).margin(0.003));
}

TEST_CASE("the variance of Kendall's s with ties is that of every permutation") {
  // Ten pairs with ties on both sides: z = s / sd; sd from all orders of y.
  std::vector<double> const x{1, 1, 2, 3, 3, 3, 4, 5, 6, 6};
  std::vector<double> y{1, 1, 2, 2, 3, 4, 4, 4, 5, 6};
  auto const tau = kendall(x, y);
  double s_observed = 0, squares = 0, orders = 0;
  auto const concordance = [&] {
    double s = 0;
    for (std::size_t i = 0; i < 10; ++i)
      for (std::size_t j = 0; j < i; ++j) s += ((x[i] > x[j]) - (x[i] < x[j])) * ((y[i] > y[j]) - (y[i] < y[j]));
    return s;
  };
  s_observed = concordance();
  std::ranges::sort(y);
  do {
    double const s = concordance();
    squares += s * s;
    ++orders;
  } while (std::ranges::next_permutation(y).found);  // distinct orders are equally likely
  CHECK(tau.p == Approx(std::erfc(s_observed / std::sqrt(squares / orders) / std::sqrt(2.0))).epsilon(1e-9));
}

TEST_CASE("classes of one job count: Kruskal-Wallis and Dunn as SciPy 1.10.1 has them") {
  Groups const groups{{1.2, 1.5, 1.9, 2.2}, {3.1}, {0.7, 0.9}};
  auto const all = kruskal_wallis(groups);
  CHECK(all.h == Approx(4.821428571428569).epsilon(1e-12));
  CHECK(all.p == Approx(0.08975116369702107).epsilon(1e-12));
  auto const pairs = dunn_holm(groups);
  REQUIRE(pairs.size() == 3);
  CHECK(pairs[0].p == Approx(0.3006229881969068).epsilon(1e-12));
  CHECK(pairs[1].p == Approx(0.10880943004054568).epsilon(1e-12));
  CHECK(pairs[2].p == Approx(0.037635313787314315).epsilon(1e-12));
  CHECK(pairs[2].p_holm == Approx(3 * 0.037635313787314315).epsilon(1e-12));
  CHECK(pairs[1].p_holm == Approx(2 * 0.10880943004054568).epsilon(1e-12));
  // Two classes of one job each: nothing can be told, and it says so.
  CHECK(kruskal_wallis(Groups{{1}, {2}}).h == Approx(1));
  CHECK(kruskal_wallis(Groups{{1}, {2}}).p == Approx(0.31731050786291415).epsilon(1e-12));
}

TEST_CASE("twelve pairs with ties: Spearman and Kendall as SciPy 1.10.1 has them") {
  std::vector<double> const a{1.2, 1.5, 1.9, 2.2, 3.1, 0.7, 0.9, 1.5, 4.0, 0.3, 2.8, 2.0}, b{2.1, 1.4, 2.6, 2.9, 3.3, 1.5, 0.2, 2.6, 1.0, 0.8, 2.7, 2.6};
  auto const rho = spearman(a, b), tau = kendall(a, b);
  CHECK_FALSE(rho.exact);
  CHECK(rho.r == Approx(0.5996556599739207).epsilon(1e-12));
  CHECK(rho.p == Approx(0.03930523367206534).epsilon(1e-12));
  CHECK(tau.r == Approx(0.5313148617302949).epsilon(1e-12));
  CHECK(tau.p == Approx(0.018412420024749264).epsilon(1e-12));
}

TEST_CASE("sides that do not vary have no correlation; too few or empty groups are refused") {
  std::vector<double> const flat{2, 2, 2, 2}, up{1, 2, 3, 4};
  CHECK(std::isnan(spearman(flat, up).r));
  CHECK(std::isnan(kendall(up, flat).p));
  CHECK(std::isnan(spearman(std::vector<double>{1, 2}, std::vector<double>{1, 2}).p));
  CHECK(std::isnan(kruskal_wallis(Groups{{1, 1}, {1}}).p));
  CHECK(dunn_holm(Groups{{1, 1}, {1}})[0].p == Approx(1));
  CHECK_THROWS_AS(kruskal_wallis(Groups{{1, 2}}), InputError);
  CHECK_THROWS_AS(dunn_holm(Groups{{1, 2}, {}}), InputError);
  CHECK_THROWS_AS(spearman(up, std::vector<double>{1}), InputError);
}
