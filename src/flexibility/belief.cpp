#include "wattfill/flexibility/belief.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "wattfill/core/error.hpp"
#include "wattfill/flexibility/pfi.hpp"
#include "wattfill/flexibility/predictor.hpp"
#include "wattfill/flexibility/quadratic.hpp"

namespace wattfill {
namespace {

constexpr double least_pfi = 0.05;
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

Belief belief_of(double pfi, QuadraticResponse const& response) { return {pfi, response.b, response.a}; }

std::vector<Belief> predicted(std::span<Curve const* const> curves, std::vector<Figures> const& figures, std::string const& feature) {
  FeatureColumn all{feature, {}}, column{feature, {}};
  for (auto const* c : curves) {
    auto const found = c->telemetry.find(feature);
    if (found == c->telemetry.end()) {
      std::string known;
      for (auto const& [name, value] : c->telemetry) known += (known.empty() ? "" : ", ") + name;
      throw InputError("curve " + c->id() + " has no telemetry feature \"" + feature + "\" (its PFI cannot be predicted from it); it has " +
                       (known.empty() ? "none" : known));
    }
    all.values.push_back(found->second);
  }
  std::vector<double> target, weights;
  auto const any = [](std::size_t) { return true; };
  for_counted(figures, any, [&](std::size_t i, double weight) {
    column.values.push_back(all.values[i]);
    target.push_back(figures[i].pfi);
    weights.push_back(weight);
  });
  auto const model = fit_linear({&column, 1}, target, weights).model;
  std::vector<Belief> beliefs;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    double const pfi = std::max(least_pfi, model.predict({&all.values[i], 1}));
    beliefs.push_back(belief_of(pfi, shaped_like(figures, any, figures[i], pfi)));
  }
  return beliefs;
}

Belief class_median(std::span<Curve const* const> curves, std::vector<Figures> const& figures, std::size_t own) {
  auto const same_class = [&](std::size_t i) { return curves[i]->architecture == curves[own]->architecture && curves[i]->task == curves[own]->task; };
  std::vector<std::pair<double, double>> values;
  for_counted(figures, same_class, [&](std::size_t i, double weight) { values.emplace_back(figures[i].pfi, weight); });
  double const pfi = std::max(least_pfi, weighted_median(std::move(values)));
  return belief_of(pfi, shaped_like(figures, same_class, figures[own], pfi));
}

}  // namespace

std::vector<Belief> believe(std::span<Curve const* const> curves, BeliefSpec const& spec, std::span<double const> weights) {
  WATTFILL_ASSERT(weights.empty() || weights.size() == curves.size());
  auto const figures = measure(curves, spec, weights);
  std::vector<Belief> beliefs;
  if (spec.source == PfiSource::predicted) beliefs = predicted(curves, figures, spec.feature);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    auto const& f = figures[i];
    if (spec.source == PfiSource::measured) beliefs.push_back(belief_of(std::max(least_pfi, f.pfi), f.response));
    if (spec.source == PfiSource::class_median) beliefs.push_back(class_median(curves, figures, i));
    if (curves[i]->curve.unresponsive()) beliefs[i] = {std::numeric_limits<double>::quiet_NaN(), 0, 0};
  }
  return beliefs;
}

}  // namespace wattfill
