#include "sim/demands.hpp"

#include <algorithm>
#include <cmath>

#include "wattfill/sim/snapshot.hpp"

namespace wattfill {
namespace {

/// How often the mix lists a curve: the largest number of times that one group names it.
double multiplicity(MixSpec const& spec, Curve const* curve) {
  std::ptrdiff_t most = 1;
  for (auto const& group : spec.draw) most = std::max(most, std::ranges::count(group.curves, curve));
  return static_cast<double>(most);
}

/// One entry per curve, in the order of the classes.
std::vector<Curve const*> curves_of(Mix const& mix) {
  std::vector<Curve const*> curves;
  for (auto const& cls : mix.classes())
    if (curves.empty() || curves.back() != cls.curve) curves.push_back(cls.curve);
  return curves;
}

std::vector<double> weights_of(MixSpec const& spec, std::vector<Curve const*> const& curves) {
  std::vector<double> weights;
  for (auto const* curve : curves) weights.push_back(multiplicity(spec, curve));
  return weights;
}

}  // namespace

MixBeliefs::MixBeliefs(MixSpec const& spec, Mix const& mix, BeliefSpec const& belief, Objective objective)
    : name_(spec.name), classes_(mix.classes()), objective_(objective), epsilon_(belief.epsilon), believer_([&] {
        auto const curves = curves_of(mix);
        return Believer(curves, belief, weights_of(spec, curves));
      }()) {
  Curve const* last = nullptr;
  std::size_t curve = 0;
  for (auto const& cls : classes_) {
    if (last != nullptr && cls.curve != last) ++curve;
    last = cls.curve;
    curve_of_.push_back(curve);
  }
}

std::vector<Demand> MixBeliefs::truth() const { return demands({believer_.truth().begin(), believer_.truth().end()}, 0); }

std::vector<Belief> MixBeliefs::beliefs(Knowledge knows, std::uint64_t seed, std::uint64_t replication) const {
  if (knows == Knowledge::perfect) return {believer_.truth().begin(), believer_.truth().end()};
  auto beliefs = believer_.beliefs(seed, name_, replication);
  return knows == Knowledge::shrunk || knows == Knowledge::shrunk_safe ? believer_.shrunk(std::move(beliefs)) : beliefs;
}

std::vector<Demand> MixBeliefs::demands(std::vector<Belief> const& beliefs, Knowledge knows) const {
  return demands(beliefs, knows == Knowledge::safe || knows == Knowledge::shrunk_safe ? epsilon_ : 0);
}

std::vector<Demand> MixBeliefs::demands(std::vector<Belief> const& beliefs, double epsilon) const {
  std::vector<Demand> demands;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    auto const& cls = classes_[c];
    auto const& curve = cls.curve->curve;
    auto const& believed = beliefs[curve_of_[c]];
    Demand d;
    d.believed = believed.curve != nullptr ? believed.curve : cls.curve;
    d.gpus = cls.curve->gpus;
    d.uncapped_w = curve.max_draw();
    d.floor_w = curve.unresponsive() ? d.uncapped_w : believed_draw_for(epsilon > 0 ? at_risk(believed, epsilon) : believed, curve, cls.terms.min_speed);
    d.value = job_value(cls, objective_);
    d.priority = cls.terms.priority;
    d.pfi = believed.pfi;
    d.a = believed.a;
    d.b = believed.b;
    d.loss_scale = believed.loss_scale;
    demands.push_back(d);
  }
  return demands;
}

double MixBeliefs::rank_errors(std::vector<Belief> const& beliefs, std::span<double const> jobs) const {
  auto const truth = believer_.truth();
  double wrong = 0, pairs = 0;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (!(jobs[c] > 0)) continue;
    double const true_c = truth[curve_of_[c]].pfi, told_c = beliefs[curve_of_[c]].pfi;
    for (std::size_t d = 0; d < c; ++d) {
      double const true_d = truth[curve_of_[d]].pfi, told_d = beliefs[curve_of_[d]].pfi, both = jobs[c] * jobs[d];
      if (!(true_c < true_d || true_d < true_c)) continue;  // equal, or no figure
      pairs += both;
      if (told_c == told_d)
        wrong += both / 2;
      else if ((told_c < told_d) != (true_c < true_d))
        wrong += both;
    }
  }
  return pairs > 0 ? wrong / pairs : 0;
}

std::vector<Demand> make_demands(MixSpec const& spec, Mix const& mix, BeliefSpec const& belief, Objective objective) {
  MixBeliefs const beliefs(spec, mix, belief, objective);
  return beliefs.demands(beliefs.beliefs(Knowledge::believed, 0, 0), Knowledge::believed);
}

}  // namespace wattfill
