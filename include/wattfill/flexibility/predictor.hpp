#pragma once
#include <span>
#include <string>
#include <vector>

namespace wattfill {

/// One explanatory variable: a name and a value per row.
struct FeatureColumn {
  std::string name;
  std::vector<double> values;
};

/// target = intercept + sum of coefficient x feature.
struct LinearModel {
  std::vector<std::string> features;
  double intercept = 0;
  std::vector<double> coefficients;  ///< in the order of `features`

  double predict(std::span<double const> feature_values) const;
};

/// What prediction intervals need beside the coefficients.
struct LinearSpread {
  double rows = 0;              ///< sum of weights
  double residual_sd = 0;       ///< sqrt(SSE / (rows - features - 1)), in units of the target; NaN with no row to spare
  std::vector<double> means;    ///< of the features
  std::vector<double> inverse;  ///< of the centred features' matrix of squares and products, row by row
  /// Of a row with these features: 1 / rows + (x - mean)' inverse (x - mean), at least 0. A row of the fit has its diagonal element of the hat
  /// matrix.
  double leverage(std::span<double const> feature_values) const;
};

struct LinearFit {
  LinearModel model;
  double r2;    ///< in-sample 1 - SSE / (SSE around the weighted mean); NaN where all targets are equal
  double rmse;  ///< in-sample sqrt(SSE / sum of weights), in units of the target
  LinearSpread spread;
};

/// Where the target of a new row with these features lies with probability `level`, if the model holds and errors are normal: prediction -+ Student's
/// t x residual_sd x sqrt(1 + leverage). NaN with no row to spare.
struct PredictionInterval {
  double low, high;
};
PredictionInterval prediction_interval(LinearModel const& model, LinearSpread const& spread, std::span<double const> feature_values, double level = 0.95);

/// Ordinary least squares with an intercept, by a rank-revealing QR of the centred and scaled columns. `weights` (>= 0, one a row, or empty for all
/// one) counts rows several times. Infinities among the targets are not left out here: take them out first.
///
/// Throws InputError for columns of different lengths, values that are not finite, fewer rows of positive weight than unknowns, and a feature that is
/// constant or a linear combination of the others, by name.
LinearFit fit_linear(std::span<FeatureColumn const> features, std::span<double const> target, std::span<double const> weights = {});

}  // namespace wattfill
