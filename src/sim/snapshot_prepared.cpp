#include "sim/snapshot_prepared.hpp"

#include <algorithm>
#include <utility>

#include "wattfill/core/error.hpp"
#include "wattfill/core/random.hpp"

namespace wattfill {
namespace {

/// Says which policy a mistake is about.
template <class Do>
void naming(std::string const& policy, Do const& run) {
  try {
    run();
  } catch (InputError const& error) {
    auto problem = error.problems().front();
    if (!problem.key.starts_with("policies")) problem.key = "policies." + policy + (problem.key.empty() ? "" : "." + problem.key);
    throw InputError(problem);
  }
}

}  // namespace

Snapshot::Prepared::Prepared(MixSpec const& spec, std::span<PolicySpec const> wanted, std::vector<Target> at, BeliefSpec const& belief, Objective objective,
                             std::uint64_t of_study, std::optional<MeteringSpec> const& metering, std::optional<RackSpec> const& rack_limits)
    : mix(spec),
      beliefs(spec, mix, belief, objective),
      targets(std::move(at)),
      seed(of_study),
      key(random_key(seed, spec.name)),
      policies(wanted.size()),
      mean_objective(is_mean(objective)),
      speeds_add_up(comparable_speeds(mix.classes())) {
  if (metering) meter.emplace(*metering, mix.classes());
  if (rack_limits) racks.emplace(*rack_limits, metering, beliefs.truth(), mix.classes());
  PolicySpec proportional;
  proportional.name = "proportional";
  auto const listed = std::ranges::find(wanted, proportional.name, &PolicySpec::name);
  add(proportional, listed == wanted.end() ? no_slot : static_cast<std::size_t>(listed - wanted.begin()));
  for (std::size_t p = 0; p < wanted.size(); ++p)
    if (p != rules.front().slot) add(wanted[p], p);
  for (auto const& path : paths) {
    views.push_back(path.view());
    if (!meter) continue;
    views.back().first_target = metered.size() * targets.size();
    metered.push_back(meter->along(views.back()));
  }
  double total = 0;
  auto const truth = beliefs.truth();
  for (std::size_t c = 0; c < mix.classes().size(); ++c) {
    auto const& cls = mix.classes()[c];
    gpus.push_back(cls.curve->gpus);
    full_speed.push_back(cls.curve->curve.max_speed());
    value.push_back(truth[c].value);
    min_speed.push_back(cls.terms.min_speed);
    total += truth[c].value;
  }
  if (!(total > 0)) throw InputError({{}, "mixes." + spec.name, "no job has a value under the objective (all priorities are 0); give one a priority above 0"});
  auto const stride = padded(gpus.size());
  ends.assign(2 * stride, 0.0);
  for (std::size_t c = 0; c < gpus.size(); ++c) {
    ends[c] = truth[c].floor_w;
    ends[stride + c] = truth[c].uncapped_w;
  }
  varies = std::ranges::any_of(rules, &Rule::varies);
}

void Snapshot::Prepared::add(PolicySpec const& policy, std::size_t slot) {
  auto const looks = looks_of(policy);
  bool const told = looks != Looks::at_truth && policy.knows != Knowledge::perfect;
  bool const agreed = std::ranges::any_of(mix.classes(), [](JobClass const& cls) { return cls.terms.min_speed > 0; });
  Rule rule{nullptr, policy.shown(), policy.knows, looks, slot, beliefs.varies() && told && (looks == Looks::at_flexibility || agreed), {}};
  naming(policy.shown(), [&] { rule.policy = make_policy(policy); });
  auto const first = tell(rule, 0);
  if (racks) racks->check(rule.shown, first);
  if (!rule.varies) {
    rule.path = paths.size();
    paths.emplace_back(first.plan, rule.policy->splits(), mix.classes(), slot);
    if (racks) rack_rules.push_back(first);
  }
  rules.push_back(std::move(rule));
}

RackRule Snapshot::Prepared::tell(Rule const& rule, std::uint64_t replication) const {
  RackRule told{{}, {}, rule.policy->splits(), rule.slot};
  naming(rule.shown, [&] {
    told.demands = rule.looks == Looks::at_truth ? beliefs.truth() : beliefs.demands(beliefs.beliefs(rule.knows, seed, replication), rule.knows);
    told.plan = rule.policy->prepare(told.demands);
  });
  return told;
}

}  // namespace wattfill
