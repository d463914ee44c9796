#include "wattfill/scenario/snapshot_builder.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/text_file.hpp"
#include "wattfill/sim/scores.hpp"

namespace wattfill {
namespace {

constexpr double most_cuts = 10'000;

/// Every curve that a study can run, over its own libraries and the ensemble's, in order of first use.
std::vector<Curve const*> used_curves(StudySpec const& study) {
  std::vector<Curve const*> used;
  std::set<Curve const*> seen;
  auto const use = [&](Curve const* curve) {
    if (curve != nullptr && seen.insert(curve).second) used.push_back(curve);
  };
  auto const use_all = [&](std::vector<MixSpec> const& mixes) {
    for (auto const& mix : mixes) {
      for (auto const& group : mix.draw) std::ranges::for_each(group.curves, use);
      for (auto const& jobs : mix.listed) use(jobs.curve);
    }
  };
  use_all(study.mixes);
  for (auto const& member : study.outer.members) use_all(member);
  return used;
}

std::vector<std::string> ids_without(std::vector<Curve const*> const& curves, auto has) {
  std::vector<std::string> ids;
  for (auto const* curve : curves)
    if (!has(*curve)) ids.push_back(curve->id());
  return ids;
}

}  // namespace

void check_objective(Placed<Objective> const& wanted, std::vector<PolicyFields> const& policies, std::vector<Curve const*> const& curves, Reading& reading) {
  auto const& place = wanted.place;
  auto const objective = wanted.value;
  if (objective == Objective::tokens) {
    std::set<std::string> units, unstated;
    for (auto const* curve : curves) (curve->speed_unit.empty() ? unstated : units).insert(curve->speed_unit.empty() ? curve->library : curve->speed_unit);
    if (!unstated.empty())
      reading.refuse(place, "tokens cannot be used: the speed unit is not stated by " + listed({unstated.begin(), unstated.end()}) +
                                " (speeds of unknown units cannot be added); use another objective or leave these libraries out");
    if (units.size() > 1)
      reading.refuse(place, "tokens cannot be used: the speed units differ: " + listed({units.begin(), units.end()}) +
                                " (such speeds cannot be added); use another objective or libraries of one unit");
  }
  if (objective == Objective::flops) {
    auto const without = ids_without(curves, [](Curve const& curve) { return curve.flop_per_unit.has_value(); });
    if (!without.empty())
      reading.refuse(place, "flops cannot be used: flop_per_unit is missing for " + listed(without) + "; add it to the library or use another objective");
  }
  for (auto const& policy : policies)
    if (policy.name == "pfi-paper" && objective != Objective::tokens)
      reading.refuse(policy.place,
                     "pfi-paper needs objective tokens (equation 2 of the paper divides by tokens and does not scale with job size); use pfi-aware "
                     "under other objectives");
}

namespace {

void check_min_speed(SnapshotFields const& scenario, Reading& reading) {
  std::vector<std::string> names{"flex-0", "flex-1", "flex-2", "flex-3"};
  for (auto const& mix : scenario.mixes)
    if (mix.value.draw)
      for (auto const& group : *mix.value.draw)
        if (std::ranges::find(names, group.name) == names.end()) names.push_back(group.name);
  for (auto const& entry : scenario.min_speed.by_name)
    if (std::ranges::find(names, entry.name) == names.end())
      reading.refuse(entry.place, "there is no group or flex tier of this name (nothing would be held to it)" + suggestion(entry.name, names));
}

void build_policies(SnapshotFields const& scenario, Pool const& pool, StudySpec& study, Reading& reading) {
  std::vector<std::string> labels;
  for (auto const& fields : scenario.policies) {
    auto spec = build_policy(fields, reading);
    if (std::ranges::find(labels, spec.shown()) != labels.end())
      reading.refuse(fields.place,
                     "two policies are called " + quotation(spec.shown()) + " in the results (their rows could not be told apart); give one another label");
    labels.push_back(spec.shown());
    if (fields.where) {
      matching(*fields.where, pool, reading);
      if (fields.where->library && scenario.outer && !scenario.outer->libraries.empty())
        reading.refuse(fields.where->library->place,
                       "a library cannot be named here together with outer.libraries (other members would have no such curve); remove it");
    }
    study.policies.push_back(std::move(spec));
  }
  study.reference = scenario.reference.value;
  auto names = labels;
  for (auto const& rule : known_policies()) names.push_back(rule);
  if (std::ranges::find(names, study.reference) == names.end())
    reading.refuse(scenario.reference.place, quotation(study.reference) + " is neither a policy of this study nor a rule (differences to it would stay empty)" +
                                                 suggestion(study.reference, labels, "the policies here are"));
}

void build_stop(SnapshotFields const& scenario, StudySpec& study, Reading& reading) {
  if (!scenario.stop) return;
  auto const& stop = *scenario.stop;
  auto const column = std::string(score_table()[stop.score.value].column);
  if (stop.score.value >= score::count && !scenario.facility)
    reading.refuse(stop.score.place, column + " needs a facility (nothing says what stands between the GPUs and the meter); add facility: {node: h200}");
  if (scenario.capacity) reading.refuse(stop.place, "a capacity study needs every mix (a promise is an order statistic of them); remove stop or capacity");
  std::vector<std::string> labels;
  for (auto const& policy : study.policies) labels.push_back(policy.shown());
  if (stop.policy && std::ranges::find(labels, stop.policy->value) == labels.end())
    reading.refuse(stop.policy->place,
                   quotation(stop.policy->value) + " is no policy of this study" + suggestion(stop.policy->value, labels, "the policies here are"));
  study.stop = StopSpec{stop.score.value, stop.half_width, stop.policy ? stop.policy->value : "", stop.least};
}

void build_targets(SnapshotFields const& scenario, StudySpec& study, Reading& reading) {
  if (scenario.cuts.has_value() == scenario.limits_w.has_value()) {
    auto const& place = scenario.limits_w ? scenario.limits_w->place : Place{scenario.place.at, "cuts"};
    reading.refuse(place, scenario.cuts
                              ? "cuts and limits_w are both given (each says the power targets); remove one, for example with --set cuts=null"
                              : "cuts is missing, and limits_w too (a study needs power targets); add one, for example cuts: {from: 0.0, to: 0.4, step: 0.05}");
    return;
  }
  if (scenario.cuts) study.cuts = build_cuts(*scenario.cuts, reading);
  if (scenario.limits_w) study.limits_w = scenario.limits_w->value;
  auto sorted = study.limits_w;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    reading.refuse(scenario.limits_w->place, "a limit is there twice (its rows could not be told apart); remove one");
}

/// The library as the jobs of this study run it.
CurveLibrary const* on_silicon(SnapshotFields const& scenario, CurveLibrary const* library, LibraryShelf& shelf, Reading& reading) {
  return scenario.silicon ? shelf.varied(library, *scenario.silicon, scenario.silicon->place, reading) : library;
}

/// The pool in which the libraries of one ensemble member stand for those of the first.
Pool member_pool(std::vector<CurveLibrary const*> const& own, std::vector<CurveLibrary const*> const& first, std::vector<CurveLibrary const*> const& member) {
  Pool pool{own, {}};
  for (std::size_t k = 0; k < first.size(); ++k) {
    std::ranges::replace(pool.libraries, first[k], member[k]);
    pool.stand_ins.emplace_back(first[k]->name, member[k]->name);
  }
  return pool;
}

void build_outer(SnapshotFields const& scenario, Pool const& own, LibraryShelf& shelf, StudySpec& study, Reading& reading) {
  if (!scenario.outer) return;
  auto const& outer = *scenario.outer;
  study.outer.draws = outer.draws;
  study.outer.clusters = outer.clusters;
  if (!outer.clusters && outer.libraries.empty())
    reading.refuse(outer.place,
                   "neither clusters nor libraries are drawn (every repetition would be the same); set clusters: true, give libraries, or remove outer");
  std::vector<std::vector<CurveLibrary const*>> members;
  auto const before = reading.problems.size();
  for (std::size_t i = 0; i < outer.libraries.size(); ++i) {
    auto const& names = outer.libraries[i];
    if (names.size() != outer.libraries[0].size())
      reading.refuse({names[0].place.at, joined_key(outer.place.key, "libraries." + std::to_string(i))},
                     "this member has " + std::to_string(names.size()) + " libraries, the first has " + std::to_string(outer.libraries[0].size()) +
                         " (the k-th stands for the k-th); give as many");
    auto& member = members.emplace_back();
    for (auto const& name : names) {
      member.push_back(on_silicon(scenario, shelf.take(name, reading), shelf, reading));
      if (i == 0 && member.back() != nullptr && std::ranges::find(own.libraries, member.back()) == own.libraries.end())
        reading.refuse(name.place, quotation(name.value) + " is not among curves (the first member must be what the study itself uses); add it to curves");
    }
  }
  if (reading.problems.size() != before) return;
  for (std::size_t i = 0; i < members.size(); ++i) {
    auto const first = reading.problems.size();
    study.outer.members.push_back(build_mixes(scenario, member_pool(own.libraries, members[0], members[i]), reading));
    for (auto k = first; k < reading.problems.size(); ++k)
      reading.problems[k].what = "with the libraries of outer.libraries." + std::to_string(i) + ": " + reading.problems[k].what;
  }
}

}  // namespace

std::vector<double> build_cuts(CutsFields const& cuts, Reading& reading) {
  if (!cuts.values.empty()) {
    if (std::ranges::adjacent_find(cuts.values, std::greater_equal<>()) != cuts.values.end())
      reading.refuse(cuts.place, "the cuts are not in ascending order, or one is there twice (rows are told apart by their cut); sort them");
    return cuts.values;
  }
  auto const steps = std::floor((cuts.to - cuts.from) / cuts.step + 1e-9);
  if (steps < 0) {
    reading.refuse(cuts.place, "to is below from (there would be no cut); exchange them");
    return {};
  }
  if (!(steps < most_cuts)) {
    reading.refuse(cuts.place, "the step gives more than " + number_text(most_cuts) + " cuts; make it larger");
    return {};
  }
  std::vector<double> values;
  // Twelve decimals: 3 x 0.1 is then 0.3, as one would write it.
  for (int k = 0; k <= static_cast<int>(steps); ++k) values.push_back(std::min(std::round((cuts.from + k * cuts.step) * 1e12) / 1e12, cuts.to));
  return values;
}

StudySpec build_study(SnapshotFields const& scenario, LibraryShelf& shelf, Reading& reading) {
  StudySpec study;
  study.seed = scenario.seed;
  study.objective = scenario.objective.value;
  build_targets(scenario, study, reading);
  if (scenario.facility)
    study.metering = {facility_of(*scenario.facility), scenario.limit.at.value};
  else if (scenario.limit.at.value != LimitAt::gpu)
    reading.refuse(scenario.limit.at.place, "a limit there needs a facility (nothing says what stands between it and the GPUs); add facility: {node: h200}");

  if (scenario.limit.rack_w) study.racks = RackSpec{scenario.limit.rack_gpus, scenario.limit.rack_w->value, scenario.limit.rack_loss};
  if (scenario.limit.pdu_w && !scenario.limit.rack_w)
    reading.refuse(scenario.limit.pdu_w->place, "a limit of PDUs needs racks (jobs are placed in racks, which PDUs feed); add rack_w");
  if (scenario.limit.pdu_w && study.racks) {
    study.racks->pdu_racks = static_cast<double>(scenario.limit.pdu_racks);
    study.racks->pdu_limit_w = scenario.limit.pdu_w->value;
    study.racks->pdu_loss = scenario.limit.pdu_loss;
  }
  if (scenario.capacity) {
    study.capacity = {scenario.capacity->speed_loss, scenario.capacity->confidence};
    if (study.cuts.size() < 2 || study.cuts.front() != 0 || !std::ranges::is_sorted(study.cuts))
      reading.refuse(
          scenario.capacity->place,
          "a capacity study needs ascending cuts from 0 on (reductions are read between neighbouring cuts); give, for example, cuts: {from: 0, to: 0.5, "
          "step: 0.01}");
  }

  Pool pool;
  auto const before = reading.problems.size();
  for (auto const& name : scenario.curves) {
    auto const* const library = on_silicon(scenario, shelf.take(name, reading), shelf, reading);
    if (library != nullptr && std::ranges::find(pool.libraries, library) != pool.libraries.end())
      reading.refuse(name.place, quotation(name.value) + " is there twice (its curves would be drawn twice as often); remove one");
    pool.libraries.push_back(library);
  }
  for (auto const& entry : scenario.training) pool.libraries.push_back(on_silicon(scenario, shelf.derive(entry.name, entry.value, reading), shelf, reading));
  if (scenario.mixes.empty())
    reading.refuse({scenario.place.at, "mixes"}, "there is no mix (a study needs jobs); add one, for example random: {draw: {all: {where: {}}}}");
  check_min_speed(scenario, reading);
  if (reading.problems.size() != before) return study;  // without libraries every name would be wrong

  study.mixes = build_mixes(scenario, pool, reading);
  constexpr std::uint64_t most_promised = 1'000'000;  // each is kept
  for (std::size_t m = 0; study.capacity && m < study.mixes.size(); ++m)
    if (study.mixes[m].listed.empty() && study.mixes[m].replications > most_promised)
      reading.refuse(scenario.mixes[m].place, "a capacity study keeps what every mix can give, at most 1000000 of them; take fewer replications");
  build_policies(scenario, pool, study, reading);
  build_stop(scenario, study, reading);
  if (reading.problems.size() != before) return study;
  build_outer(scenario, pool, shelf, study, reading);
  auto const curves = used_curves(study);
  check_objective(scenario.objective, scenario.policies, curves, reading);
  study.belief = build_belief(scenario.pfi, scenario.policies, curves, shelf, reading);
  for (auto const& policy : scenario.policies)
    if (policy.feature) check_feature(*policy.feature, curves, reading);
  return study;
}

}  // namespace wattfill
