#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace wattfill {

/// Statistics on ranks, for figures such as PFI whose size explodes for some jobs. Values may be infinite, not NaN; ties get the mean of their ranks.
/// p-values are two-sided, of the null hypothesis of no difference or no association. They come from Boost.Math, whose last bits may differ between
/// processors: print at most six digits of them.

/// NaN for no values.
double median(std::span<double const> values);
double mean(std::span<double const> values);

/// Two-sided p-value of Student's t with `freedom` > 0 degrees of freedom; NaN for a t that is NaN.
double student_p(double t, double freedom);

/// Ranks from 1, ties at the mean of the ranks they take.
std::vector<double> midranks(std::span<double const> values);

struct KruskalWallis {
  double h;  ///< corrected for ties; chi-squared with `freedom` degrees under the null hypothesis
  double freedom;
  double p;  ///< NaN where all values are equal
};
/// Whether several groups come from one distribution (Kruskal and Wallis, JASA 47, 1952). Throws InputError for fewer than two groups, or an empty
/// one.
KruskalWallis kruskal_wallis(std::span<std::vector<double> const> groups);

struct DunnPair {
  std::size_t first, second;  ///< groups
  double z;                   ///< of mean rank of the first less the second, with the tie-corrected variance
  double p;                   ///< for this pair alone
  double p_holm;              ///< for all pairs together, by Holm's steps
};
/// Which pairs of groups differ (Dunn, Technometrics 6, 1964), in the order (0, 1), (0, 2), ... Throws as kruskal_wallis does.
std::vector<DunnPair> dunn_holm(std::span<std::vector<double> const> groups);

struct RankCorrelation {
  double r;    ///< in [-1, 1]; NaN where one side does not vary
  double p;    ///< NaN where r is, or with fewer than three pairs
  bool exact;  ///< p by going through every permutation (up to 9 pairs)
};
/// Spearman's rho: the correlation of midranks. p beyond 9 pairs from Student's t with n - 2 degrees.
double spearman_rho(std::span<double const> x, std::span<double const> y);
RankCorrelation spearman(std::span<double const> x, std::span<double const> y);
/// Kendall's tau-b. p beyond 9 pairs from the normal distribution, with the variance corrected for ties.
RankCorrelation kendall(std::span<double const> x, std::span<double const> y);

}  // namespace wattfill
