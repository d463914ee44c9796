#include "wattfill/flexibility/predictor.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

constexpr double negligible = 1e-10;  // relative: of a column's spread in its size, of a pivot in the largest

struct Weighted {
  std::vector<double> weights;
  double total = 0;

  double mean(std::span<double const> values) const {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += weights[i] * values[i];
    return sum / total;
  }
};

Weighted checked(std::span<FeatureColumn const> features, std::span<double const> target, std::span<double const> weights) {
  if (features.empty()) throw InputError("a predictor needs at least one feature; name one");
  if (!weights.empty() && weights.size() != target.size()) throw InputError("a predictor needs one weight for each row");
  auto const refuse_unless_finite = [](std::span<double const> values, std::string const& name) {
    for (double const v : values)
      if (!std::isfinite(v)) throw InputError(name + " has a value that is not finite (least squares has no answer then); leave the row out");
  };
  refuse_unless_finite(target, "the target");
  for (auto const& f : features) {
    if (f.values.size() != target.size())
      throw InputError("feature " + f.name + " has " + std::to_string(f.values.size()) + " values for " + std::to_string(target.size()) + " rows");
    refuse_unless_finite(f.values, "feature " + f.name);
  }
  Weighted w{weights.empty() ? std::vector<double>(target.size(), 1.0) : std::vector<double>(weights.begin(), weights.end())};
  std::size_t rows = 0;
  for (double const weight : w.weights) {
    if (!(std::isfinite(weight) && weight >= 0)) throw InputError("weights must be finite and zero or more");
    w.total += weight;
    rows += weight > 0;
  }
  if (rows < features.size() + 1)
    throw InputError(std::to_string(rows) + " rows cannot determine " + std::to_string(features.size() + 1) + " coefficients (intercept and " +
                     std::to_string(features.size()) + " features); use fewer features or more curves");
  return w;
}

}  // namespace

double LinearModel::predict(std::span<double const> feature_values) const {
  WATTFILL_ASSERT(feature_values.size() == coefficients.size());
  double sum = intercept;
  for (std::size_t i = 0; i < coefficients.size(); ++i) sum += coefficients[i] * feature_values[i];
  return sum;
}

double LinearSpread::leverage(std::span<double const> feature_values) const {
  auto const n = means.size();
  WATTFILL_ASSERT(feature_values.size() == n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) sum += (feature_values[i] - means[i]) * inverse[i * n + j] * (feature_values[j] - means[j]);
  return 1 / rows + std::max(0.0, sum);
}

PredictionInterval prediction_interval(LinearModel const& model, LinearSpread const& spread, std::span<double const> feature_values, double level) {
  double const centre = model.predict(feature_values), freedom = spread.rows - static_cast<double>(model.coefficients.size()) - 1;
  if (!(freedom > 0)) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  double const t = boost::math::quantile(boost::math::complement(boost::math::students_t(freedom), (1 - level) / 2));
  double const half = t * spread.residual_sd * std::sqrt(1 + spread.leverage(feature_values));
  return {centre - half, centre + half};
}

LinearFit fit_linear(std::span<FeatureColumn const> features, std::span<double const> target, std::span<double const> weights) {
  auto const w = checked(features, target, weights);
  auto const rows = static_cast<Eigen::Index>(target.size()), columns = static_cast<Eigen::Index>(features.size());
  Eigen::MatrixXd x(rows, columns);
  Eigen::VectorXd y(rows);
  std::vector<double> means, scales;
  for (Eigen::Index j = 0; j < columns; ++j) {
    auto const& f = features[static_cast<std::size_t>(j)];
    double const mean = w.mean(f.values);
    double spread = 0, size = 0;
    for (std::size_t i = 0; i < f.values.size(); ++i) {
      spread += w.weights[i] * (f.values[i] - mean) * (f.values[i] - mean);
      size += w.weights[i] * f.values[i] * f.values[i];
    }
    if (!(spread > negligible * negligible * size))
      throw InputError("feature " + f.name + " is constant (it cannot be told apart from the intercept); leave it out");
    means.push_back(mean);
    scales.push_back(std::sqrt(spread / w.total));
    for (Eigen::Index i = 0; i < rows; ++i) {
      auto const row = static_cast<std::size_t>(i);
      x(i, j) = std::sqrt(w.weights[row]) * (f.values[row] - mean) / scales.back();
    }
  }
  double const target_mean = w.mean(target);
  for (Eigen::Index i = 0; i < rows; ++i) y(i) = std::sqrt(w.weights[static_cast<std::size_t>(i)]) * (target[static_cast<std::size_t>(i)] - target_mean);

  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(negligible);
  qr.compute(x);
  if (qr.rank() < columns) {
    std::string names;
    for (Eigen::Index j = qr.rank(); j < columns; ++j)
      names += (names.empty() ? "" : ", ") + features[static_cast<std::size_t>(qr.colsPermutation().indices()(j))].name;
    throw InputError("collinear features: " + names + " can be computed from the others (their coefficients are not determined); leave them out");
  }
  Eigen::VectorXd const scaled = qr.solve(y);

  LinearFit fit{{}, std::numeric_limits<double>::quiet_NaN(), 0, {}};
  fit.model.intercept = target_mean;
  for (std::size_t j = 0; j < features.size(); ++j) {
    fit.model.features.push_back(features[j].name);
    fit.model.coefficients.push_back(scaled(static_cast<Eigen::Index>(j)) / scales[j]);
    fit.model.intercept -= fit.model.coefficients.back() * means[j];
  }
  double const error = (y - x * scaled).squaredNorm(), spread = y.squaredNorm();
  if (spread > 0) fit.r2 = 1 - error / spread;
  fit.rmse = std::sqrt(error / w.total);

  // (X'X)^-1 = P R^-1 R^-T P' of X = Q R P', in the scaled columns.
  Eigen::MatrixXd const root = qr.matrixR().topLeftCorner(columns, columns).triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(columns, columns));
  Eigen::MatrixXd const unpivoted = qr.colsPermutation() * root;
  Eigen::MatrixXd const inverse = unpivoted * unpivoted.transpose();
  double const freedom = w.total - static_cast<double>(columns) - 1;
  fit.spread = {w.total, freedom > 0 ? std::sqrt(error / freedom) : std::numeric_limits<double>::quiet_NaN(), means, {}};
  for (Eigen::Index i = 0; i < columns; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      fit.spread.inverse.push_back(inverse(i, j) / (scales[static_cast<std::size_t>(i)] * scales[static_cast<std::size_t>(j)]));
  return fit;
}

}  // namespace wattfill
