#include "wattfill/flexibility/believer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "wattfill/core/error.hpp"
#include "wattfill/core/fixed_math.hpp"
#include "wattfill/core/normal_random.hpp"
#include "wattfill/flexibility/figures.hpp"
#include "wattfill/flexibility/quadratic.hpp"

namespace wattfill {
namespace {

/// `shape` as the curve of the job `own`: it ends at the job's uncapped draw and full speed.
Curve anchored(Curve const& own, PowerSpeedCurve const& shape) {
  if (shape.unresponsive())
    throw InputError("the curve that is believed instead of " + own.id() +
                     " hardly reacts to caps (it says nothing of what a cut costs); leave the curve out of the mixes, or believe another library");
  auto const watts = [&](double w) { return w / shape.max_draw() * own.curve.max_draw(); };  // the full draw keeps its very bits
  std::vector<CurvePoint> points;
  for (auto const& p : shape.points()) points.push_back({watts(p.cap_w), watts(p.power_w), p.speed / shape.max_speed() * own.curve.max_speed()});
  auto curve = own;
  curve.curve = PowerSpeedCurve(std::move(points));
  return curve;
}

/// The quadratic response through the speeds at two cuts, as a curve over the job's own range of draws. Draws are the caps.
PowerSpeedCurve through_two(Curve const& own, std::vector<double> const& cuts) {
  constexpr int steps = 16;
  auto const& curve = own.curve;
  std::vector<CappedPoint> seen;
  for (double const cut : cuts) {
    double const draw = std::max(curve.min_draw(), (1 - cut) * curve.max_draw());
    seen.push_back({1 - draw / curve.max_draw(), 1 - curve.speed(draw) / curve.max_speed()});
  }
  auto const response = fit_quadratic(seen);
  double const deepest = 1 - curve.min_draw() / curve.max_draw();
  std::vector<CurvePoint> points;
  for (int k = 0; k <= steps; ++k) {
    double const x = deepest * k / steps, draw = curve.max_draw() * (1 - x);
    points.push_back({draw, draw, curve.max_speed() * std::max(0.0, 1 - response.loss(x))});
  }
  return PowerSpeedCurve(std::move(points));
}

}  // namespace

Belief with_pfi(Belief belief, double pfi) {
  if (!std::isfinite(belief.pfi) || !std::isfinite(pfi)) return belief;
  double const factor = belief.pfi / pfi;
  belief.pfi = pfi;
  belief.b *= factor;
  belief.a *= factor;
  belief.loss_scale *= factor;
  return belief;
}

Belief at_risk(Belief const& belief, double epsilon) {
  return with_pfi(belief, std::max(least_pfi, belief.pfi + fixed_normal_quantile(epsilon) * belief.sigma));
}

double believed_draw_for(Belief const& belief, PowerSpeedCurve const& truth, double speed) {
  double const least = truth.min_draw(), most = truth.max_draw(), loss = 1 - speed;
  if (!(speed > 0)) return least;
  if (belief.curve != nullptr) {
    auto const& curve = belief.curve->curve;
    double const needed = belief.loss_scale == 1 ? speed : 1 - loss / belief.loss_scale;
    return std::clamp(curve.draw_for(needed * curve.max_speed()), least, most);
  }
  // The cut x at which b x + a x^2 is the loss; the form without a difference of near numbers.
  double const root = std::sqrt(belief.b * belief.b + 4 * belief.a * loss);
  double const x = belief.b + root > 0 ? 2 * loss / (belief.b + root) : 1;
  return std::clamp(most * (1 - x), least, most);
}

Believer::Believer(std::span<Curve const* const> curves, BeliefSpec spec, std::span<double const> weights)
    : curves_(curves.begin(), curves.end()), spec_(std::move(spec)) {
  BeliefSpec const measured{.source = PfiSource::measured, .grid = spec_.grid};
  truth_ = believe(curves_, measured, weights);
  double count = 0;
  for (int moment = 1; moment <= 2; ++moment)
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      double const weight = weights.empty() ? 1 : weights[i], pfi = truth_[i].pfi;
      if (!std::isfinite(pfi)) continue;
      if (moment == 1) {
        count += weight;
        mean_ += weight * pfi;
      } else {
        variance_ += weight * (pfi - mean_ / count) * (pfi - mean_ / count);
      }
    }
  mean_ = count > 0 ? mean_ / count : 1;
  variance_ = count > 0 ? variance_ / count : 0;

  auto seen = curves_;
  for (auto& curve : seen) {
    if (curve->curve.unresponsive()) continue;
    auto const stand_in = std::ranges::find(spec_.stand_ins, curve, &std::pair<Curve const*, Curve const*>::first);
    if (stand_in != spec_.stand_ins.end()) curve = &believed_.emplace_back(anchored(*curve, stand_in->second->curve));
    if (!spec_.two_points.empty()) curve = &believed_.emplace_back(anchored(*curve, through_two(*curve, spec_.two_points)));
  }
  plain_ = perfect() ? truth_ : believe(seen, spec_, weights);
}

std::vector<Belief> Believer::beliefs(std::uint64_t seed, std::string_view mix, std::uint64_t replication) const {
  auto beliefs = plain_;
  if (!varies()) return beliefs;
  double const common = std::sqrt(spec_.cluster_share), own = std::sqrt(1 - spec_.cluster_share);
  auto const error = [&](std::string const& who, Stream stream) { return NormalRandom({seed, std::string(mix) + "/" + who, replication, stream})(); };
  std::vector<std::pair<std::string, double>> drawn;  // of the clusters
  for (std::size_t i = 0; i < beliefs.size(); ++i) {
    auto const name = cluster_name(*curves_[i], spec_.cluster);
    auto cluster = std::ranges::find(drawn, name, &std::pair<std::string, double>::first);
    if (cluster == drawn.end()) cluster = drawn.insert(drawn.end(), {name, error(name, Stream::belief_cluster)});
    double const e = common * cluster->second + own * error(curves_[i]->id(), Stream::belief);
    beliefs[i] = with_pfi(beliefs[i], std::max(least_pfi, beliefs[i].pfi + spec_.rmse * e));
  }
  return beliefs;
}

std::vector<Belief> Believer::shrunk(std::vector<Belief> beliefs) const {
  for (auto& belief : beliefs) {
    double const error = belief.sigma * belief.sigma;
    if (!std::isfinite(belief.pfi) || !(error > 0)) continue;
    double const kept = variance_ / (variance_ + error);
    belief = with_pfi(belief, std::max(least_pfi, mean_ + kept * (belief.pfi - mean_)));
    belief.sigma *= std::sqrt(kept);
  }
  return beliefs;
}

}  // namespace wattfill
