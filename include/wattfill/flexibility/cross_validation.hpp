#pragma once
#include <span>
#include <string>
#include <vector>

#include "wattfill/flexibility/predictor.hpp"

namespace wattfill {

/// How well rows were predicted. The yardstick is the mean of all targets: R2 = 1 - SSE / (SSE around that mean) in-sample and out of sample alike,
/// so that it can be negative (arXiv:2609.11542, section 4).
struct PredictionScore {
  double r2;        ///< NaN where all targets are equal
  double rmse;      ///< in units of the target
  double spearman;  ///< rank correlation of prediction and target; NaN where one does not vary
};
PredictionScore prediction_score(std::span<double const> predicted, std::span<double const> target);

/// The R2 that a root mean squared error means for these targets.
double r2_of_rmse(double rmse, std::span<double const> target);

struct CrossValidation {
  std::vector<double> predicted;  ///< of each row, by the fit without it (without its cluster)
  PredictionScore score;
};

/// Each row predicted by the fit to all others, in closed form: residual / (1 - leverage) is the error that refitting without the row makes. Throws
/// InputError as fit_linear does, and where a row alone determines a coefficient (leverage 1).
CrossValidation leave_one_out(std::span<FeatureColumn const> features, std::span<double const> target);

/// Each cluster predicted by the fit to all other clusters, refitted. `clusters`: a name per row. Throws InputError for fewer than two clusters, and
/// naming the cluster where what is left does not determine the coefficients.
CrossValidation leave_one_cluster_out(std::span<FeatureColumn const> features, std::span<double const> target, std::span<std::string const> clusters);

}  // namespace wattfill
