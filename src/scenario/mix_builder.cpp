#include <algorithm>
#include <array>

#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/job_library.hpp"
#include "wattfill/scenario/snapshot_builder.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

constexpr std::uint64_t most_jobs = 1'000'000;
constexpr std::array tier_speeds{1.0, 0.9, 0.75, 0.5};  // Phoenix demonstration: 0, 10, 25, 50 % allowed loss

using OptionalText = std::optional<Placed<std::string>>;

/// Refuses a value that no curve of the pool has.
void check_value(OptionalText const& wanted, std::string Curve::*member, Pool const& pool, Reading& reading) {
  if (!wanted) return;
  std::vector<std::string> there;
  for (auto const* library : pool.libraries)
    for (auto const& curve : library->curves)
      if (auto const& value = curve.*member; !value.empty() && std::ranges::find(there, value) == there.end()) there.push_back(value);
  std::ranges::sort(there);
  if (std::ranges::find(there, wanted->value) == there.end())
    reading.refuse(wanted->place, "no curve of this scenario has " + quotation(wanted->value) + suggestion(wanted->value, there));
}

double min_speed(TermsFields const& terms, std::string const& group, MinSpeedFields const& agreed) {
  auto const by_name = [&](std::string const& name) -> std::optional<double> {
    auto const found = std::ranges::find(agreed.by_name, name, &Named<double>::name);
    return found == agreed.by_name.end() ? std::nullopt : std::optional(found->value);
  };
  if (terms.min_speed) return terms.min_speed->value;
  if (terms.flex_tier) return by_name("flex-" + std::to_string(terms.flex_tier->value)).value_or(tier_speeds[terms.flex_tier->value]);
  if (auto const speed = group.empty() ? std::nullopt : by_name(group)) return *speed;
  return agreed.all;
}

JobTerms terms_of(TermsFields const& terms, std::string const& group, MinSpeedFields const& agreed, Reading& reading) {
  if (terms.min_speed && terms.flex_tier)
    reading.refuse(terms.flex_tier->place, "min_speed and flex_tier are both given (each says the agreed minimum speed); remove one");
  return {terms.priority, min_speed(terms, group, agreed)};
}

/// Splits a group into the jobs that are as they were and those whose iterations are optimised; one of the two may be absent.
void add_optimised(GroupFields const& group, DrawGroup drawn, Pool const& pool, MixSpec& mix, Reading& reading) {
  auto const& wanted = *group.optimised;
  auto const suffix = "-" + std::string(optimisers[static_cast<std::size_t>(wanted.by)]);
  std::erase_if(drawn.curves, [](Curve const* curve) { return is_optimised(curve->name); });
  auto twins = drawn;
  twins.name += suffix;
  std::vector<std::string> without;
  for (auto& curve : twins.curves) {
    auto const library = std::ranges::find(pool.libraries, curve->library, [](auto const* l) { return l->name; });
    auto const* const twin = (*library)->find(curve->name + suffix);
    if (twin == nullptr) without.push_back(curve->id());
    curve = twin;
  }
  if (drawn.curves.empty() || !without.empty())
    reading.refuse(wanted.place, (without.empty() ? std::string("no curve of the group is without optimisation")
                                                  : "no curve " + suffix.substr(1) + " is there for " + listed(without)) +
                                     " (a library holds NAME and NAME" + suffix + "); use a library that has both, or remove optimised");
  if (!reading.problems.empty()) return;
  drawn.weight *= 1 - wanted.share;
  twins.weight *= wanted.share;
  if (wanted.share < 1) mix.draw.push_back(std::move(drawn));
  if (wanted.share > 0) mix.draw.push_back(std::move(twins));
}

void build_draw(MixFields const& fields, SnapshotFields const& scenario, Pool const& pool, MixSpec& mix, Reading& reading) {
  mix.replications = fields.replications.value_or(500);
  mix.jobs = fields.jobs.value_or(100);
  mix.weighting = fields.weighting.value_or(Weighting::arrivals);
  if (fields.draw->empty())
    reading.refuse({fields.place.at, fields.place.key + ".draw"}, "there is no group in it (a mix needs jobs); add one, for example all: {where: {}}");
  double sum = 0;
  for (auto const& [name, group, place] : *fields.draw) {
    sum += group.weight;
    if (mix.weighting == Weighting::in_service && !group.mean_duration_s)
      reading.refuse(place, "mean_duration_s is missing (weighting in-service multiplies by it); add it to every group, or use weighting arrivals");
    DrawGroup drawn{name, matching(group.where, pool, reading), group.weight, terms_of(group, name, scenario.min_speed, reading),
                    group.mean_duration_s.value_or(1)};
    if (group.optimised)
      add_optimised(group, std::move(drawn), pool, mix, reading);
    else
      mix.draw.push_back(std::move(drawn));
  }
  if (!fields.draw->empty() && !(sum > 0))
    reading.refuse({fields.place.at, fields.place.key + ".draw"}, "all weights are zero (nothing could be drawn); give at least one group a positive weight");
}

}  // namespace

Curve const* listed_curve(Placed<std::string> const& id, Pool const& pool, Reading& reading) {
  auto const slash = id.value.find('/');
  auto const library_name = id.value.substr(0, slash);
  auto const library = std::ranges::find(pool.libraries, pool.name_for(library_name), [](auto const* l) { return l->name; });
  std::vector<std::string> names;
  if (slash == std::string::npos || library == pool.libraries.end()) {
    for (auto const* l : pool.libraries) names.push_back(l->name);
    reading.refuse(id.place, slash == std::string::npos
                                 ? quotation(id.value) + " names no library; write LIBRARY/CURVE, with one of the libraries " + listed(names)
                                 : quotation(library_name) + " is not among the libraries of this scenario" + suggestion(library_name, names));
    return nullptr;
  }
  auto const curve_name = id.value.substr(slash + 1);
  if (auto const* curve = (*library)->find(curve_name)) return curve;
  for (auto const& c : (*library)->curves) names.push_back(c.name);
  reading.refuse(id.place, "there is no curve " + quotation(curve_name) + " in the library " + (*library)->name + suggestion(curve_name, names));
  return nullptr;
}

namespace {

void build_listed(MixFields const& fields, SnapshotFields const& scenario, Pool const& pool, MixSpec& mix, Reading& reading) {
  mix.replications = 1;
  mix.jobs = 0;
  for (auto const& jobs : *fields.listed) {
    mix.jobs += jobs.count;
    mix.listed.push_back({listed_curve(jobs.curve, pool, reading), jobs.count, terms_of(jobs, "", scenario.min_speed, reading)});
  }
  if (mix.jobs > most_jobs)
    reading.refuse({fields.place.at, fields.place.key + ".explicit"},
                   std::to_string(mix.jobs) + " jobs are too many (1 to " + std::to_string(most_jobs) + " are possible); lower the counts");
  auto const refuse_extra = [&](bool given, std::string const& key) {
    if (given)
      reading.refuse({fields.place.at, joined_key(fields.place.key, key)},
                     "has no meaning beside explicit (there is no randomness: one replication of the jobs listed); remove it");
  };
  refuse_extra(fields.replications.has_value(), "replications");
  refuse_extra(fields.jobs.has_value(), "jobs");
  refuse_extra(fields.weighting.has_value(), "weighting");
}

}  // namespace

std::string const& Pool::name_for(std::string const& library) const {
  auto const found = std::ranges::find(stand_ins, library, &std::pair<std::string, std::string>::first);
  return found == stand_ins.end() ? library : found->second;
}

CurveFilter filter_of(WhereFields const& where) {
  auto const value = [](OptionalText const& text) { return text ? text->value : std::string(); };
  return {value(where.library), value(where.curve), value(where.architecture), value(where.task), value(where.model)};
}

std::vector<Curve const*> matching(WhereFields const& where, Pool const& pool, Reading& reading) {
  auto const before = reading.problems.size();
  if (pool.stand_ins.empty()) check_value(where.library, &Curve::library, pool, reading);
  check_value(where.curve, &Curve::name, pool, reading);
  check_value(where.architecture, &Curve::architecture, pool, reading);
  check_value(where.task, &Curve::task, pool, reading);
  check_value(where.model, &Curve::model, pool, reading);
  auto filter = filter_of(where);
  auto const asked = filter.library;
  filter.library = pool.name_for(asked);
  std::vector<Curve const*> curves;
  for (auto const* library : pool.libraries)
    for (auto const& curve : library->curves)
      if (filter.matches(curve)) curves.push_back(&curve);
  if (curves.empty() && reading.problems.size() == before)
    reading.refuse(where.place, "no curve" +
                                    (asked == filter.library ? "" : " of " + filter.library + ", which outer.libraries puts in place of " + asked + ",") +
                                    " matches all of it (nothing could be drawn from it); remove or change a key");
  return curves;
}

std::vector<MixSpec> build_mixes(SnapshotFields const& scenario, Pool const& pool, Reading& reading) {
  std::vector<MixSpec> mixes;
  for (auto const& [name, fields, place] : scenario.mixes) {
    auto& mix = mixes.emplace_back();
    mix.name = name;
    if (fields.draw.has_value() == fields.listed.has_value())
      reading.refuse(place, fields.draw ? "draw and explicit are both given (a mix is made in one way); remove one"
                                        : "the mix is empty (it needs jobs); add draw, for example {all: {where: {}}}, or explicit");
    else if (fields.draw)
      build_draw(fields, scenario, pool, mix, reading);
    else
      build_listed(fields, scenario, pool, mix, reading);
  }
  return mixes;
}

}  // namespace wattfill
