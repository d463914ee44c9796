#pragma once
#include <deque>
#include <string>

#include "support/curves.hpp"
#include "support/policies.hpp"
#include "wattfill/study/study_spec.hpp"

namespace wattfill::testing {

inline DrawGroup group(std::string name, std::vector<Curve const*> curves, double weight = 1, JobTerms terms = {}) {
  DrawGroup g;
  g.name = std::move(name);
  g.curves = std::move(curves);
  g.weight = weight;
  g.terms = terms;
  return g;
}

/// A mix of one to three groups over the curves, with agreed minimum speeds and priorities, or a listed one.
inline MixSpec random_mix(Draws& draws, std::deque<Curve> const& curves) {
  MixSpec mix;
  mix.name = "mix";
  mix.replications = 10;
  mix.jobs = 1 + draws.below(draws.chance(0.3) ? 4 : 120);
  auto const terms = [&] {
    JobTerms t;
    t.min_speed = draws.chance(0.5) ? 0 : draws.between(0, 1);
    t.priority = 0.5 + static_cast<double>(draws.below(4));
    return t;
  };
  if (draws.chance(0.3)) {
    for (auto const& curve : curves)
      if (draws.chance(0.7) || &curve == &curves.front()) {
        ExplicitJobs jobs;
        jobs.curve = &curve;
        jobs.count = 1 + draws.below(30);
        jobs.terms = terms();
        mix.listed.push_back(jobs);
      }
    return mix;
  }
  auto const groups = 1 + draws.below(3);
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<Curve const*> some;
    for (auto const& curve : curves)
      if (draws.chance(0.6)) some.push_back(&curve);
    if (some.empty()) some.push_back(&curves.front());
    mix.draw.push_back(group("g" + std::to_string(g), some, draws.between(0.1, 2), terms()));
  }
  return mix;
}

/// A small study over curves that outlive it.
inline StudySpec small_study(std::deque<Curve> const& curves) {
  StudySpec study;
  study.seed = 7;
  MixSpec drawn, listed;
  drawn.name = "drawn";
  drawn.replications = 300;
  drawn.jobs = 25;
  drawn.draw = {group("all", pointers(curves))};
  listed.name = "listed";
  for (auto const& curve : curves) listed.listed.push_back({&curve, 3, {}});
  study.mixes = {drawn, listed};
  study.cuts = {0, 0.1, 0.3};
  study.policies = every_policy();
  return study;
}

}  // namespace wattfill::testing
