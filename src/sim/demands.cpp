#include <algorithm>

#include "wattfill/sim/snapshot.hpp"

namespace wattfill {
namespace {

/// How often the mix lists a curve: the largest number of times that one group names it.
double multiplicity(MixSpec const& spec, Curve const* curve) {
  std::ptrdiff_t most = 1;
  for (auto const& group : spec.draw) most = std::max(most, std::ranges::count(group.curves, curve));
  return static_cast<double>(most);
}

}  // namespace

std::vector<Demand> make_demands(MixSpec const& spec, Mix const& mix, BeliefSpec const& belief, Objective objective) {
  std::vector<Curve const*> curves;  // one entry per curve, in the order of the classes
  for (auto const& cls : mix.classes())
    if (curves.empty() || curves.back() != cls.curve) curves.push_back(cls.curve);
  std::vector<double> weights;
  for (auto const* curve : curves) weights.push_back(multiplicity(spec, curve));
  auto const beliefs = believe(curves, belief, weights);

  std::vector<Demand> demands;
  for (auto const& cls : mix.classes()) {
    auto const& curve = cls.curve->curve;
    auto const& believed = beliefs[static_cast<std::size_t>(std::ranges::find(curves, cls.curve) - curves.begin())];
    Demand d;
    d.believed = cls.curve;
    d.gpus = cls.curve->gpus;
    d.uncapped_w = curve.max_draw();
    d.floor_w = curve.unresponsive() ? d.uncapped_w : std::max(curve.min_draw(), curve.draw_for(cls.terms.min_speed * curve.max_speed()));
    d.value = job_value(cls, objective);
    d.priority = cls.terms.priority;
    d.pfi = believed.pfi;
    d.a = believed.a;
    d.b = believed.b;
    demands.push_back(d);
  }
  return demands;
}

}  // namespace wattfill
