#include "wattfill/flexibility/belief.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/flexibility/feature.hpp"
#include "wattfill/flexibility/pfi.hpp"
#include "wattfill/flexibility/predictor.hpp"
#include "wattfill/flexibility/quadratic.hpp"

namespace wattfill {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What was measured of one curve on the chosen grid.
struct Figures {
  std::vector<CappedPoint> points;
  double pfi;
  QuadraticResponse response;
  double weight;
};

/// Caps that every curve was measured at, ascending.
std::vector<double> common_caps(std::span<Curve const* const> curves) {
  std::vector<double> shared;
  for (auto const& p : curves.front()->curve.points())
    if (shared.empty() || shared.back() != p.cap_w) shared.push_back(p.cap_w);
  for (auto const* c : curves)
    std::erase_if(shared, [&](double cap) { return std::ranges::find(c->curve.points(), cap, &CurvePoint::cap_w) == c->curve.points().end(); });
  if (shared.size() < 2)
    throw InputError("the curves share " + std::to_string(shared.size()) +
                     " caps, a common grid needs two (PFIs of different grids do not compare); use grid: own, or libraries swept at the same caps");
  return shared;
}

std::vector<Figures> measure(std::span<Curve const* const> curves, BeliefSpec const& spec, std::span<double const> weights) {
  auto const caps = spec.grid == PfiGrid::common && !curves.empty() ? common_caps(curves) : std::vector<double>{};
  std::vector<Figures> figures;
  for (std::size_t i = 0; i < curves.size(); ++i) try {
      auto const& curve = curves[i]->curve;
      auto points = capped_points(curve, caps);
      // An unresponsive curve has no figure; its response stays 0, and its floor is its uncapped draw in any case.
      auto const response = curve.unresponsive() ? QuadraticResponse{} : fit_quadratic(points);
      figures.push_back({std::move(points), measured_pfi(curve, caps), response, weights.empty() ? 1 : weights[i]});
    } catch (InputError const& error) {
      throw InputError(curves[i]->id() + ": " + error.what());
    }
  return figures;
}

/// The median of the list in which each value stands `weight` times; for other weights the point that halves them. Values of weight 0 do not count.
double weighted_median(std::vector<std::pair<double, double>> values) {
  std::erase_if(values, [](auto const& v) { return !(v.second > 0); });
  std::ranges::sort(values);
  double total = 0, below = 0;
  for (auto const& v : values) total += v.second;
  for (std::size_t i = 0; i < values.size(); ++i) {
    below += values[i].second;
    if (below > total / 2 || i + 1 == values.size()) return values[i].first;
    if (below == total / 2) return (values[i].first + values[i + 1].first) / 2;
  }
  return infinity;
}

bool usable(Figures const& f) { return std::isfinite(f.pfi); }

/// Calls use(i) for the curves with a finite PFI that `wanted` accepts: those of positive weight, or all of them where none has any (a bootstrap that
/// did not draw a class draws none of its jobs either; the belief is then never used).
template <class Wanted, class Use>
void for_counted(std::vector<Figures> const& figures, Wanted const& wanted, Use const& use) {
  bool weighted = false;
  for (std::size_t i = 0; i < figures.size(); ++i) weighted = weighted || (wanted(i) && usable(figures[i]) && figures[i].weight > 0);
  for (std::size_t i = 0; i < figures.size(); ++i)
    if (wanted(i) && usable(figures[i]) && (figures[i].weight > 0 || !weighted)) use(i, weighted ? figures[i].weight : 1);
}

/// The mean response of the curves `wanted` accepts, scaled so that its PFI at the depths of `own` is `pfi`: a believer in `pfi` has no response of
/// the curve itself.
template <class Wanted>
QuadraticResponse shaped_like(std::vector<Figures> const& figures, Wanted const& wanted, Figures const& own, double pfi) {
  QuadraticResponse mean;
  for_counted(figures, wanted, [&](std::size_t i, double weight) {
    mean.b += weight * figures[i].response.b;
    mean.a += weight * figures[i].response.a;
  });
  double sum = 0, terms = 0;
  for (auto const& p : own.points)
    if (p.x > 0 && mean.loss(p.x) > 0) {
      sum += mean.pfi_at(p.x);
      ++terms;
    }
  if (!(terms > 0)) return {std::isfinite(pfi) ? 1 / pfi : 0, 0};
  double const scale = sum / terms / pfi;  // 0 for an infinite PFI: no loss
  return {mean.b * scale, mean.a * scale};
}

/// A belief of the figures alone.
Belief figures_of(double pfi, QuadraticResponse const& response, double sigma) { return {pfi, response.b, response.a, sigma}; }

/// A telemetry value of a curve; a column that is called like the feature itself is meant before a product or ratio of columns.
double feature_value(Curve const& curve, std::string const& feature) {
  auto const column = [&](std::string const& name) {
    auto const found = curve.telemetry.find(name);
    if (found == curve.telemetry.end()) {
      std::string known;
      for (auto const& [other, value] : curve.telemetry) known += (known.empty() ? "" : ", ") + other;
      throw InputError("curve " + curve.id() + " has no telemetry feature " + quotation(name) + " (its PFI cannot be predicted from it); it has " +
                       (known.empty() ? "none" : known));
    }
    return found->second;
  };
  if (curve.telemetry.contains(feature)) return column(feature);
  auto const parsed = parse_feature(feature);
  return parsed.value(column(parsed.first), parsed.second.empty() ? 0 : column(parsed.second));
}

double standard_error(LinearSpread const& spread, double rmse, std::span<double const> row) {
  double const residual = std::isfinite(spread.residual_sd) ? spread.residual_sd : rmse;
  return residual * std::sqrt(1 + spread.leverage(row));
}

/// A belief of every curve by one model; the response is shaped like the curves that `wanted` accepts.
template <class Wanted>
Belief by_model(Curve const& curve, std::vector<Figures> const& figures, std::size_t own, PfiModel const& model, Wanted const& wanted) {
  std::vector<double> row;
  for (auto const& feature : model.linear.features) row.push_back(feature_value(curve, feature));
  double const pfi = std::max(least_pfi, model.linear.predict(row));
  return figures_of(pfi, shaped_like(figures, wanted, figures[own], pfi), standard_error(model.spread, model.rmse, row));
}

std::vector<Belief> predicted(std::span<Curve const* const> curves, std::vector<Figures> const& figures, BeliefSpec const& spec) {
  std::vector<Belief> beliefs(curves.size());
  if (spec.model) {
    for (std::size_t i = 0; i < curves.size(); ++i) beliefs[i] = by_model(*curves[i], figures, i, *spec.model, [](std::size_t) { return true; });
    return beliefs;
  }
  FeatureColumn all{spec.feature, {}};
  for (auto const* c : curves) all.values.push_back(feature_value(*c, spec.feature));
  std::vector<std::string> done;
  for (std::size_t own = 0; own < curves.size(); ++own) {
    auto const cluster = cluster_name(*curves[own], spec.held_out);
    if (std::ranges::find(done, cluster) != done.end()) continue;
    done.push_back(cluster);
    auto const wanted = [&](std::size_t i) { return spec.held_out == CurveCluster::none || cluster_name(*curves[i], spec.held_out) != cluster; };
    FeatureColumn column{spec.feature, {}};
    std::vector<double> target, weights;
    for_counted(figures, wanted, [&](std::size_t i, double weight) {
      column.values.push_back(all.values[i]);
      target.push_back(figures[i].pfi);
      weights.push_back(weight);
    });
    auto const fit = fit_linear({&column, 1}, target, weights);
    PfiModel const model{fit.model, fit.spread, fit.rmse};
    for (std::size_t i = own; i < curves.size(); ++i)
      if (cluster_name(*curves[i], spec.held_out) == cluster) beliefs[i] = by_model(*curves[i], figures, i, model, wanted);
  }
  return beliefs;
}

template <class Wanted>
Belief median_of(std::vector<Figures> const& figures, std::size_t own, Wanted const& wanted) {
  std::vector<std::pair<double, double>> values;
  for_counted(figures, wanted, [&](std::size_t i, double weight) { values.emplace_back(figures[i].pfi, weight); });
  double const middle = weighted_median(values);
  double squares = 0, total = 0;
  for (auto const& [pfi, weight] : values) {
    squares += weight * (pfi - middle) * (pfi - middle);
    total += weight;
  }
  double const pfi = std::max(least_pfi, middle);
  return figures_of(pfi, shaped_like(figures, wanted, figures[own], pfi), total > 0 ? std::sqrt(squares / total) : 0);
}

Belief class_median(std::span<Curve const* const> curves, std::vector<Figures> const& figures, std::size_t own, CurveCluster held_out) {
  auto const left = [&](std::size_t i) { return held_out == CurveCluster::none || cluster_name(*curves[i], held_out) != cluster_name(*curves[own], held_out); };
  auto const same_class = [&](std::size_t i) {
    return left(i) && curves[i]->architecture == curves[own]->architecture && curves[i]->task == curves[own]->task;
  };
  auto const of_class = median_of(figures, own, same_class);
  return held_out != CurveCluster::none && std::isinf(of_class.pfi) ? median_of(figures, own, left) : of_class;
}

}  // namespace

std::string cluster_name(Curve const& curve, CurveCluster cluster) {
  switch (cluster) {
    case CurveCluster::none: return {};
    case CurveCluster::curve: return curve.id();
    case CurveCluster::job_class: return curve.architecture + " " + curve.task;
    case CurveCluster::model: return curve.model;
    case CurveCluster::library: return curve.library;
  }
  return {};
}

std::vector<Belief> believe(std::span<Curve const* const> curves, BeliefSpec const& spec, std::span<double const> weights) {
  WATTFILL_ASSERT(weights.empty() || weights.size() == curves.size());
  auto const figures = measure(curves, spec, weights);
  std::vector<Belief> beliefs;
  if (spec.source == PfiSource::predicted) beliefs = predicted(curves, figures, spec);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    auto const& f = figures[i];
    if (spec.source == PfiSource::measured || spec.source == PfiSource::noisy)
      beliefs.push_back({std::max(least_pfi, f.pfi), f.response.b, f.response.a, spec.source == PfiSource::noisy ? spec.rmse : 0, 1, curves[i]});
    if (spec.source == PfiSource::class_median) beliefs.push_back(class_median(curves, figures, i, spec.held_out));
    if (spec.sigma) beliefs[i].sigma = *spec.sigma;
    if (curves[i]->curve.unresponsive()) beliefs[i] = {std::numeric_limits<double>::quiet_NaN(), 0, 0, 0, 1, curves[i]};
  }
  return beliefs;
}

}  // namespace wattfill
