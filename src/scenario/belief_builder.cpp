#include <algorithm>
#include <filesystem>
#include <map>

#include "wattfill/core/quotation.hpp"
#include "wattfill/flexibility/feature.hpp"
#include "wattfill/policy/policy.hpp"
#include "wattfill/scenario/predictor_file.hpp"
#include "wattfill/scenario/snapshot_builder.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

bool is_flexibility_of_curves(PfiSource source) { return source == PfiSource::measured || source == PfiSource::noisy; }

/// Refuses keys that the source does not read, and asks for those it cannot do without.
void check_keys(PfiFields const& pfi, Reading& reading) {
  auto const at = [&](std::string const& key) { return Place{pfi.place.at, joined_key(pfi.place.key, key)}; };
  bool const predicted = pfi.source == PfiSource::predicted, noisy = pfi.source == PfiSource::noisy;
  if (predicted && !pfi.feature && !pfi.model)
    reading.refuse(at("feature"),
                   "this key is missing (source predicted fits PFI on a telemetry feature); add it, for example feature: dram_activity_x_memory_copy");
  else if (!predicted && pfi.feature)
    reading.refuse(at("feature"), "a feature has no meaning here (only source predicted uses one); remove it or set source: predicted");
  if (!predicted && pfi.model) reading.refuse(at("model"), "a model has no meaning here (only source predicted uses one); remove it or set source: predicted");
  if (pfi.feature && pfi.model) reading.refuse(at("model"), "feature and model are both given (each says what PFI is predicted from); remove one");
  if (pfi.held_out && !((predicted && !pfi.model) || pfi.source == PfiSource::class_median))
    reading.refuse(at("held_out"), "nothing can be held out here (only a fit on the curves of the study and class medians leave curves out); remove it");
  if (noisy && !pfi.rmse)
    reading.refuse(at("rmse"),
                   "this key is missing (source noisy adds an error of this size); add it, for example rmse: 0.241, the leave-one-out error of "
                   "arXiv:2609.11542");
  for (auto const& [key, given] :
       {std::pair("rmse", pfi.rmse.has_value()), std::pair("cluster_share", pfi.cluster_share.has_value()), std::pair("cluster", pfi.cluster.has_value())})
    if (given && !noisy) reading.refuse(at(key), "has no meaning here (only source noisy draws errors); remove it or set source: noisy");
  for (auto const& [key, given] : {std::pair("stand_in", pfi.stand_in.has_value()), std::pair("two_points", pfi.two_points.has_value())})
    if (given && !is_flexibility_of_curves(pfi.source))
      reading.refuse(at(key), "has no meaning here (sources predicted and class-median believe in figures, not in a curve); remove it or set source: measured");
  if (pfi.stand_in && pfi.two_points) reading.refuse(at("two_points"), "stand_in and two_points are both given (each says what curve is believed); remove one");
  if (pfi.two_points && pfi.two_points->value.size() == 2 && !(pfi.two_points->value[0] < pfi.two_points->value[1]))
    reading.refuse(pfi.two_points->place, "the two cuts are not in ascending order (two different ones determine b and a); sort them");
}

/// Refuses policies that know what the source cannot tell.
void check_knowledge(PfiFields const& pfi, std::vector<PolicyFields> const& policies, Reading& reading) {
  bool const uncertain = pfi.source != PfiSource::measured || pfi.sigma;
  for (auto const& policy : policies) {
    auto const at = Place{policy.place.at, joined_key(policy.place.key, "knows")};
    auto const entry = std::ranges::find(policy_registry(), policy.name, &PolicyEntry::name);
    if (entry == policy_registry().end()) continue;
    auto const knows = policy.knows.value_or(Knowledge::believed);
    if (policy.knows && entry->looks == Looks::at_truth)
      reading.refuse(at, policy.name + " always knows the true curves (it is what others are held against); remove this key");
    if (policy.name == "curve-aware" && knows != Knowledge::perfect && !is_flexibility_of_curves(pfi.source))
      reading.refuse(
          {policy.place.at, joined_key(policy.place.key, "name")},
          "curve-aware needs a curve to believe in (pfi.source tells figures alone); use quadratic, knows: perfect, or pfi.source measured or noisy");
    bool const safe = knows == Knowledge::safe || knows == Knowledge::shrunk_safe;
    if ((safe || knows == Knowledge::shrunk) && !uncertain)
      reading.refuse(at, "nothing is uncertain (pfi.source measured has no error, so this would change nothing); set pfi.sigma, or another source");
    if (safe && !pfi.epsilon) reading.refuse(at, "a safe floor needs a probability to be safe by; add for example pfi.epsilon: 0.05");
  }
}

std::optional<PfiModel> read_model(Placed<std::string> const& name, std::vector<Curve const*> const& curves, LibraryShelf& shelf, Reading& reading) {
  auto const found = shelf.beside_scenario(name, reading);
  if (!found) return std::nullopt;
  auto const& file = *found;
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) {
    reading.refuse(name.place, "there is no model file " + file.lexically_normal().string() +
                                   " (the path is relative to the scenario); make one with wattfill "
                                   "predict --out");
    return std::nullopt;
  }
  auto saved = read_predictor(file);
  shelf.count_file(file);
  if (saved.target != "pfi")
    reading.refuse(name.place, "the model predicts " + saved.target + " (policies act on PFI); fit one with wattfill predict --target pfi");
  for (auto const& text : saved.model.features) {
    if (std::ranges::all_of(curves, [&](Curve const* curve) { return curve->telemetry.contains(text); })) continue;
    auto const feature = parse_feature(text);
    check_feature({feature.first, name.place}, curves, reading);
    if (!feature.second.empty()) check_feature({feature.second, name.place}, curves, reading);
  }
  return PfiModel{saved.model, saved.spread, saved.rmse};
}

void read_stand_ins(Placed<std::string> const& name, std::vector<Curve const*> const& curves, LibraryShelf& shelf, BeliefSpec& belief, Reading& reading) {
  auto const* const library = shelf.take(name, reading);
  if (library == nullptr) return;
  std::vector<std::string> missing;
  for (auto const* curve : curves) {
    auto const* const other = library->find(curve->name);
    if (other == nullptr)
      missing.push_back(curve->id());
    else
      belief.stand_ins.emplace_back(curve, other);
  }
  if (!missing.empty())
    reading.refuse(name.place, library->name + " has no curve of the same name for " + listed(missing) + " (they can be drawn); restrict the mixes");
}

}  // namespace

void check_feature(Placed<std::string> const& feature, std::vector<Curve const*> const& curves, Reading& reading) {
  std::vector<std::string> without;
  for (auto const* curve : curves)
    if (!curve->telemetry.contains(feature.value)) without.push_back(curve->id());
  if (without.empty()) return;
  std::map<std::string, std::size_t> counts;
  for (auto const* curve : curves)
    for (auto const& [name, value] : curve->telemetry) ++counts[name];
  std::vector<std::string> complete;
  for (auto const& [name, count] : counts)
    if (count == curves.size()) complete.push_back(name);
  reading.refuse(feature.place,
                 "the telemetry feature " + quotation(feature.value) + " is missing for " + listed(without) + " (they can be drawn)" +
                     (complete.empty() ? "; add it to the library or restrict the mixes" : suggestion(feature.value, complete, "features of every curve are")));
}

BeliefSpec build_belief(PfiFields const& pfi, std::vector<PolicyFields> const& policies, std::vector<Curve const*> const& curves, LibraryShelf& shelf,
                        Reading& reading) {
  BeliefSpec belief;
  belief.source = pfi.source;
  belief.grid = pfi.grid;
  belief.feature = pfi.feature ? pfi.feature->value : "";
  belief.held_out = pfi.held_out.value_or(belief.held_out);
  belief.rmse = pfi.rmse.value_or(0);
  belief.cluster_share = pfi.cluster_share.value_or(0);
  belief.cluster = pfi.cluster.value_or(belief.cluster);
  belief.epsilon = pfi.epsilon.value_or(0);
  belief.sigma = pfi.sigma;
  if (pfi.two_points) belief.two_points = pfi.two_points->value;
  auto const before = reading.problems.size();
  check_keys(pfi, reading);
  check_knowledge(pfi, policies, reading);
  if (reading.problems.size() != before) return belief;
  if (pfi.feature) {
    auto const product = pfi.feature->value.find_first_of("*/") != std::string::npos &&
                         !std::ranges::all_of(curves, [&](Curve const* curve) { return curve->telemetry.contains(pfi.feature->value); });
    if (!product) {
      check_feature(*pfi.feature, curves, reading);
    } else {
      try {
        auto const feature = parse_feature(pfi.feature->value);
        for (auto const& column : {feature.first, feature.second}) check_feature({column, pfi.feature->place}, curves, reading);
      } catch (InputError const& error) {
        reading.refuse(pfi.feature->place, error.what());
      }
    }
  }
  if (pfi.model) belief.model = read_model(*pfi.model, curves, shelf, reading);
  if (pfi.stand_in) read_stand_ins(*pfi.stand_in, curves, shelf, belief, reading);
  return belief;
}

}  // namespace wattfill
