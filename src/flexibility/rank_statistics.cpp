#include "wattfill/flexibility/rank_statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_for_exact = 9;  // 9! = 362880 permutations

double two_sided_normal(double z) { return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), std::fabs(z))); }

/// Calls use(size) for every run of equal values.
template <class Use>
void for_ties(std::span<double const> values, Use const& use) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size();) {
    auto const begin = i;
    while (i < sorted.size() && sorted[i] == sorted[begin]) ++i;
    use(static_cast<double>(i - begin));
  }
}

double cubed_ties(std::span<double const> values) {
  double sum = 0;
  for_ties(values, [&](double t) { sum += t * t * t - t; });
  return sum;
}

/// All values in one list, with the sum of ranks of each group.
struct Ranked {
  std::vector<double> values;
  std::vector<double> rank_sums, sizes;
  double n;
};

Ranked rank_groups(std::span<std::vector<double> const> groups) {
  if (groups.size() < 2) throw InputError("a comparison of classes needs at least two of them; there is " + std::to_string(groups.size()));
  Ranked ranked;
  for (auto const& group : groups) {
    if (group.empty()) throw InputError("a comparison of classes needs a value in each; leave the empty class out");
    ranked.values.insert(ranked.values.end(), group.begin(), group.end());
  }
  auto const ranks = midranks(ranked.values);
  std::size_t at = 0;
  for (auto const& group : groups) {
    ranked.rank_sums.push_back(std::accumulate(ranks.begin() + static_cast<long>(at), ranks.begin() + static_cast<long>(at + group.size()), 0.0));
    ranked.sizes.push_back(static_cast<double>(group.size()));
    at += group.size();
  }
  ranked.n = static_cast<double>(ranked.values.size());
  return ranked;
}

double pearson(std::span<double const> x, std::span<double const> y) {
  double const mx = mean(x), my = mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0) : undefined;
}

/// Concordant less discordant pairs.
double concordance(std::span<double const> x, std::span<double const> y) {
  double s = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) s += ((x[i] > x[j]) - (x[i] < x[j])) * ((y[i] > y[j]) - (y[i] < y[j]));
  return s;
}

/// Share of all orders of `y` whose |statistic| is at least that observed.
template <class Statistic>
double exact_p(std::span<double const> x, std::span<double const> y, double observed, Statistic const& statistic) {
  std::vector<std::size_t> order(y.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> shuffled(y.size());
  double as_extreme = 0, all = 0;
  do {
    for (std::size_t i = 0; i < order.size(); ++i) shuffled[i] = y[order[i]];
    as_extreme += std::fabs(statistic(x, std::span<double const>(shuffled))) >= std::fabs(observed) - 1e-9;
    ++all;
  } while (std::ranges::next_permutation(order).found);
  return as_extreme / all;
}

std::vector<double> paired_ranks(std::span<double const> values, std::size_t other) {
  if (values.size() != other) throw InputError("a rank correlation needs pairs of values");
  return midranks(values);
}

}  // namespace

double median(std::span<double const> values) {
  if (values.empty()) return undefined;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  auto const half = sorted.size() / 2;
  if (sorted.size() % 2 == 1 || sorted[half - 1] == sorted[half]) return sorted[half];
  return (sorted[half - 1] + sorted[half]) / 2;
}

double mean(std::span<double const> values) {
  return values.empty() ? undefined : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> midranks(std::span<double const> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    auto const begin = i;
    while (i < order.size() && values[order[i]] == values[order[begin]]) ++i;
    for (auto j = begin; j < i; ++j) ranks[order[j]] = static_cast<double>(begin + i + 1) / 2;
  }
  return ranks;
}

KruskalWallis kruskal_wallis(std::span<std::vector<double> const> groups) {
  auto const ranked = rank_groups(groups);
  double sum = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) sum += ranked.rank_sums[g] * ranked.rank_sums[g] / ranked.sizes[g];
  double const n = ranked.n, correction = 1 - cubed_ties(ranked.values) / (n * n * n - n);
  KruskalWallis result{undefined, static_cast<double>(groups.size() - 1), undefined};
  if (!(correction > 0)) return result;
  result.h = std::max(0.0, (12 / (n * (n + 1)) * sum - 3 * (n + 1)) / correction);
  result.p = boost::math::cdf(boost::math::complement(boost::math::chi_squared(result.freedom), result.h));
  return result;
}

std::vector<DunnPair> dunn_holm(std::span<std::vector<double> const> groups) {
  auto const ranked = rank_groups(groups);
  double const n = ranked.n, variance = n * (n + 1) / 12 - cubed_ties(ranked.values) / (12 * (n - 1));
  std::vector<DunnPair> pairs;
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      double const difference = ranked.rank_sums[i] / ranked.sizes[i] - ranked.rank_sums[j] / ranked.sizes[j];
      double const z = variance > 0 ? difference / std::sqrt(variance * (1 / ranked.sizes[i] + 1 / ranked.sizes[j])) : 0;
      pairs.push_back({i, j, z, two_sided_normal(z), 0});
    }
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return pairs[i].p; });
  double largest = 0;
  for (std::size_t step = 0; step < order.size(); ++step) {
    auto& pair = pairs[order[step]];
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - step) * pair.p));
    pair.p_holm = largest;
  }
  return pairs;
}

double student_p(double t, double freedom) {
  if (std::isnan(t)) return undefined;
  return std::isinf(t) ? 0 : 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), std::fabs(t)));
}

double spearman_rho(std::span<double const> x, std::span<double const> y) { return pearson(paired_ranks(x, y.size()), paired_ranks(y, x.size())); }

RankCorrelation spearman(std::span<double const> x, std::span<double const> y) {
  auto const rx = paired_ranks(x, y.size()), ry = paired_ranks(y, x.size());
  RankCorrelation result{pearson(rx, ry), undefined, x.size() <= most_for_exact};
  if (std::isnan(result.r) || x.size() < 3) return result;
  auto const freedom = static_cast<double>(x.size() - 2);
  if (result.exact)
    result.p = exact_p(rx, ry, result.r, pearson);
  else if (std::fabs(result.r) == 1)
    result.p = 0;
  else
    result.p = student_p(result.r * std::sqrt(freedom / ((1 - result.r) * (1 + result.r))), freedom);
  return result;
}

RankCorrelation kendall(std::span<double const> x, std::span<double const> y) {
  auto const rx = paired_ranks(x, y.size()), ry = paired_ranks(y, x.size());
  auto const n = static_cast<double>(x.size());
  // Sums over ties: t (t - 1), t (t - 1)(t - 2), t (t - 1)(2 t + 5), of each side (Kendall, Rank correlation methods, chapter 4).
  struct Ties {
    double two = 0, three = 0, five = 0;
  };
  auto const ties_of = [](std::span<double const> ranks) {
    Ties ties;
    for_ties(ranks, [&](double t) {
      ties.two += t * (t - 1);
      ties.three += t * (t - 1) * (t - 2);
      ties.five += t * (t - 1) * (2 * t + 5);
    });
    return ties;
  };
  auto const tx = ties_of(rx), ty = ties_of(ry);
  double const s = concordance(rx, ry), all = n * (n - 1);
  RankCorrelation result{undefined, undefined, x.size() <= most_for_exact};
  if (!(all > tx.two && all > ty.two)) return result;
  result.r = std::clamp(2 * s / std::sqrt((all - tx.two) * (all - ty.two)), -1.0, 1.0);
  if (x.size() < 3) return result;
  if (result.exact) {
    result.p = exact_p(rx, ry, s, concordance);
    return result;
  }
  double const variance = (all * (2 * n + 5) - tx.five - ty.five) / 18 + tx.three * ty.three / (9 * all * (n - 2)) + tx.two * ty.two / (2 * all);
  result.p = two_sided_normal(s / std::sqrt(variance));
  return result;
}

}  // namespace wattfill
