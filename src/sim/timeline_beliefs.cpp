#include "sim/timeline_beliefs.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace wattfill {
namespace {

/// Cuts that are too shallow to learn from; changes of a belief that are too small to act on.
constexpr double least_cut = 0.02, least_news = 0.02;

bool looks_at_truth(PolicySpec const& rule) { return rule.knows == Knowledge::perfect || looks_of(rule) == Looks::at_truth; }

Curve const* on_gpus(Curve const* curve, double gpus, std::deque<Curve>& made) {
  if (curve->gpus == gpus) return curve;
  std::vector<CurvePoint> points(curve->curve.points().begin(), curve->curve.points().end());
  for (auto& p : points) p.speed *= gpus / curve->gpus;
  auto copy = *curve;
  copy.curve = PowerSpeedCurve(std::move(points));
  copy.gpus = gpus;
  return &made.emplace_back(std::move(copy));
}

}  // namespace

TimelineBeliefs::TimelineBeliefs(TimelineSpec const& spec, std::span<TimelineClass const> classes, PolicySpec const& rule)
    : classes_(classes), objective_(spec.objective), epsilon_(rule.knows == Knowledge::safe || rule.knows == Knowledge::shrunk_safe ? spec.belief.epsilon : 0) {
  auto curves = spec.believed;
  for (auto const& cls : classes) curves.push_back(cls.measured);
  std::ranges::sort(curves, [](Curve const* l, Curve const* r) { return std::tie(l->library, l->name, l) < std::tie(r->library, r->name, r); });
  curves.erase(std::unique(curves.begin(), curves.end()), curves.end());
  for (auto const& cls : classes) curve_of_.push_back(static_cast<std::size_t>(std::ranges::find(curves, cls.measured) - curves.begin()));
  Believer const believer(curves, spec.belief);
  if (looks_at_truth(rule)) {
    beliefs_.assign(believer.truth().begin(), believer.truth().end());
  } else {
    beliefs_ = believer.beliefs(spec.seed, "timeline", spec.replication);
    if (rule.knows == Knowledge::shrunk || rule.knows == Knowledge::shrunk_safe) beliefs_ = believer.shrunk(std::move(beliefs_));
  }
  for (std::size_t c = 0; c < classes.size(); ++c) {
    auto& belief = beliefs_[curve_of_[c]];
    has_curve_.push_back(belief.curve != nullptr);
    auto const gpus = classes[c].curve->gpus;
    if (belief.curve == nullptr || belief.curve == classes[c].measured)
      scaled_.push_back(classes[c].curve);
    else  // the believer's curves end with it
      scaled_.push_back(belief.curve->gpus == gpus ? &curves_.emplace_back(*belief.curve) : on_gpus(belief.curve, gpus, curves_));
  }
  for (auto& belief : beliefs_) belief.curve = nullptr;
}

std::vector<Demand> TimelineBeliefs::demands() const {
  std::vector<Demand> demands;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    auto const& cls = classes_[c];
    auto belief = beliefs_[curve_of_[c]];
    if (has_curve_[c]) belief.curve = scaled_[c];
    Demand d;
    d.believed = scaled_[c];
    d.gpus = cls.curve->gpus;
    d.uncapped_w = cls.uncapped_w;
    auto const& curve = cls.curve->curve;
    d.floor_w = curve.unresponsive() ? d.uncapped_w : believed_draw_for(epsilon_ > 0 ? at_risk(belief, epsilon_) : belief, curve, cls.terms.min_speed);
    d.value = job_value({cls.curve, cls.terms}, objective_);
    d.priority = cls.terms.priority;
    d.pfi = belief.pfi;
    d.a = belief.a;
    d.b = belief.b;
    d.loss_scale = belief.loss_scale;
    demands.push_back(d);
  }
  return demands;
}

double TimelineBeliefs::cap_for(std::size_t cls, double draw_w) const { return has_curve_[cls] ? scaled_[cls]->curve.cap_for(draw_w) : draw_w; }

double TimelineBeliefs::loss_at(std::size_t cls, double draw_w) const {
  auto const& belief = beliefs_[curve_of_[cls]];
  auto const& curve = scaled_[cls]->curve;
  if (has_curve_[cls]) return belief.loss_scale * (1 - curve.speed(draw_w) / curve.max_speed());
  auto const x = 1 - draw_w / classes_[cls].uncapped_w;
  return (belief.b + belief.a * x) * x;
}

bool TimelineBeliefs::see(std::size_t cls, double draw_w, double speed) {
  auto& belief = beliefs_[curve_of_[cls]];
  if (!std::isfinite(belief.pfi) || !(1 - draw_w / classes_[cls].uncapped_w >= least_cut)) return false;
  auto const seen = 1 - speed, believed = loss_at(cls, draw_w);
  if (!(seen > 0 && believed > 0)) return false;
  auto const scale = seen / believed;
  if (std::abs(scale - 1) <= least_news) return false;
  auto const before = belief.pfi;
  belief = with_pfi(belief, std::max(least_pfi, before / scale));
  return belief.pfi != before;
}

}  // namespace wattfill
