#include "wattfill/flexibility/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "wattfill/core/error.hpp"
#include "wattfill/flexibility/rank_statistics.hpp"

namespace wattfill {
namespace {

double squares_about_mean(std::span<double const> values) {
  double const centre = mean(values);
  double sum = 0;
  for (double const v : values) sum += (v - centre) * (v - centre);
  return sum;
}

std::vector<double> row_of(std::span<FeatureColumn const> features, std::size_t row) {
  std::vector<double> values;
  for (auto const& f : features) values.push_back(f.values[row]);
  return values;
}

}  // namespace

PredictionScore prediction_score(std::span<double const> predicted, std::span<double const> target) {
  WATTFILL_ASSERT(predicted.size() == target.size() && !target.empty());
  double error = 0;
  for (std::size_t i = 0; i < target.size(); ++i) error += (target[i] - predicted[i]) * (target[i] - predicted[i]);
  double const spread = squares_about_mean(target);
  return {spread > 0 ? 1 - error / spread : std::numeric_limits<double>::quiet_NaN(), std::sqrt(error / static_cast<double>(target.size())),
          spearman_rho(predicted, target)};
}

double r2_of_rmse(double rmse, std::span<double const> target) { return 1 - rmse * rmse * static_cast<double>(target.size()) / squares_about_mean(target); }

CrossValidation leave_one_out(std::span<FeatureColumn const> features, std::span<double const> target) {
  auto const fit = fit_linear(features, target);
  CrossValidation result;
  for (std::size_t i = 0; i < target.size(); ++i) {
    auto const values = row_of(features, i);
    double const residual = target[i] - fit.model.predict(values), left = 1 - fit.spread.leverage(values);
    if (!(left > 1e-9))
      throw InputError("row " + std::to_string(i + 1) +
                       " alone determines a coefficient (leaving it out, nothing is left to predict it from); use fewer features");
    result.predicted.push_back(target[i] - residual / left);
  }
  result.score = prediction_score(result.predicted, target);
  return result;
}

CrossValidation leave_one_cluster_out(std::span<FeatureColumn const> features, std::span<double const> target, std::span<std::string const> clusters) {
  if (clusters.size() != target.size()) throw InputError("leave-one-cluster-out needs a cluster for each row");
  std::vector<std::string> names(clusters.begin(), clusters.end());
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() < 2) throw InputError("leave-one-cluster-out needs two clusters or more; choose another cluster column");
  CrossValidation result{std::vector<double>(target.size()), {}};
  for (auto const& name : names) {
    std::vector<FeatureColumn> kept;
    for (auto const& f : features) kept.push_back({f.name, {}});
    std::vector<double> kept_target;
    for (std::size_t i = 0; i < target.size(); ++i)
      if (clusters[i] != name) {
        for (std::size_t f = 0; f < features.size(); ++f) kept[f].values.push_back(features[f].values[i]);
        kept_target.push_back(target[i]);
      }
    try {
      auto const model = fit_linear(kept, kept_target).model;
      for (std::size_t i = 0; i < target.size(); ++i)
        if (clusters[i] == name) result.predicted[i] = model.predict(row_of(features, i));
    } catch (InputError const& error) {
      throw InputError("without cluster " + name + ": " + error.what());
    }
  }
  result.score = prediction_score(result.predicted, target);
  return result;
}

}  // namespace wattfill
