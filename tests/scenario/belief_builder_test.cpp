// What `pfi:` and `knows:` mean, and what is said where they mean nothing.
#include <algorithm>
#include <filesystem>

#include "scenario/mistakes.hpp"
#include "support/catch.hpp"
#include "wattfill/flexibility/predictor.hpp"
#include "wattfill/scenario/predictor_file.hpp"

using namespace wattfill;

namespace {

Mistake pfi(std::string const& keys, std::string message, std::string const& policies = "[proportional]") {
  return {keys, {{8, "policies: " + policies}, {9, "pfi: {" + keys + "}"}}, {}, "s.yaml:" + message};
}

}  // namespace

TEST_CASE("keys of pfi that the source does not read are refused, and those it needs are asked for") {
  check_mistakes({
      pfi("source: noisy",
          "9:6: pfi.rmse: this key is missing (source noisy adds an error of this size); add it, for example rmse: 0.241, the leave-one-out error of "
          "arXiv:2609.11542"),
      pfi("source: measured, rmse: 0.2", "9:6: pfi.rmse: has no meaning here (only source noisy draws errors); remove it or set source: noisy"),
      pfi("source: measured, cluster: model", "9:6: pfi.cluster: has no meaning here (only source noisy draws errors); remove it or set source: noisy"),
      pfi("source: measured, held_out: model",
          "9:6: pfi.held_out: nothing can be held out here (only a fit on the curves of the study and class medians leave curves out); remove it"),
      pfi("source: measured, model: m.yaml",
          "9:6: pfi.model: a model has no meaning here (only source predicted uses one); remove it or set source: predicted"),
      pfi("source: predicted, feature: dram, model: m.yaml",
          "9:6: pfi.model: feature and model are both given (each says what PFI is predicted from); remove one"),
      pfi("source: predicted, model: m.yaml",
          "9:33: pfi.model: there is no model file m.yaml (the path is relative to the scenario); make one with wattfill predict --out"),
      pfi("source: predicted, feature: dram*copy",
          "9:35: pfi.feature: the telemetry feature \"copy\" is missing for small/dense-a, small/dense-b, small/moe-a (they can be drawn); features of every "
          "curve are: dram"),
      pfi("source: class-median, stand_in: twin",
          "9:6: pfi.stand_in: has no meaning here (sources predicted and class-median believe in figures, not in a curve); remove it or set source: measured"),
      pfi("source: measured, stand_in: twin, two_points: [0.1, 0.2]",
          "9:6: pfi.two_points: stand_in and two_points are both given (each says what curve is believed); remove one"),
      pfi("source: measured, two_points: [0.2, 0.1]",
          "9:37: pfi.two_points: the two cuts are not in ascending order (two different ones determine b and a); sort them"),
      pfi("source: noisy, rmse: -1", "9:28: pfi.rmse: -1 is out of range (0 to 1e+06 is possible); choose a value in the range"),
      pfi("source: noisy, rmse: 0.1, epsilon: 0.7", "9:42: pfi.epsilon: 0.7 is out of range (above 0 up to 0.5 is possible); choose a value in the range"),
  });
}

TEST_CASE("policies that know what the source cannot tell are refused") {
  check_mistakes({
      pfi("source: measured", "8:12: policies.0.knows: oracle always knows the true curves (it is what others are held against); remove this key",
          "[{name: oracle, knows: perfect}]"),
      pfi("source: class-median",
          "8:12: policies.0.name: curve-aware needs a curve to believe in (pfi.source tells figures alone); use quadratic, knows: perfect, or pfi.source "
          "measured or noisy",
          "[curve-aware]"),
      pfi("source: measured",
          "8:12: policies.0.knows: nothing is uncertain (pfi.source measured has no error, so this would change nothing); set pfi.sigma, or another source",
          "[{name: quadratic, knows: shrunk}]"),
      pfi("source: noisy, rmse: 0.1", "8:12: policies.0.knows: a safe floor needs a probability to be safe by; add for example pfi.epsilon: 0.05",
          "[{name: quadratic, knows: safe}]"),
  });
  CHECK(refusal_of(scenario_with({{8, "policies: [{name: curve-aware, knows: perfect}, {name: quadratic, knows: shrunk-safe}]"},
                                  {9, "pfi: {source: noisy, rmse: 0.1, cluster: library, cluster_share: 1, epsilon: 0.5, sigma: 0.2}"}})) == "accepted");
}

TEST_CASE("a saved model, stand-ins and two points reach the study; a curve without a stand-in is named") {
  TemporaryFolder const folder;
  for (auto const* name : {"small", "twin", "unitless"})
    for (auto const* ending : {".yaml", ".csv"}) {
      std::filesystem::create_directories(folder.path() / "curves");
      std::filesystem::copy_file(test_data() / (std::string(name) + ending), folder.path() / "curves" / (std::string(name) + ending));
    }
  SavedPredictor saved{"pfi", {{"dram"}, 1, {2}}, {3, 0.1, {0.5}, {4}}, 0.9, 0.2, "table.csv"};
  folder.write("m.yaml", predictor_text(saved));
  auto const study_with = [&](std::string const& pfi) { return load_scenario(folder.write("s.yaml", scenario_with({{9, "pfi: {" + pfi + "}"}})), {}); };
  auto const with_model = study_with("source: predicted, model: m.yaml");
  auto const& belief = with_model.points.front().study.belief;
  REQUIRE(belief.model);
  CHECK(belief.model->linear.coefficients == std::vector{2.0});
  CHECK(belief.model->rmse == 0.2);
  CHECK(std::ranges::count(with_model.files, folder.path() / "m.yaml") == 1);  // hashed into the manifest

  saved.target = "loss_20";
  folder.write("m.yaml", predictor_text(saved));
  CHECK_THROWS_WITH(study_with("source: predicted, model: m.yaml"),
                    Catch::Contains("pfi.model: the model predicts loss_20 (policies act on PFI); fit one with wattfill predict --target pfi"));

  auto const twins = study_with("source: measured, stand_in: twin");
  for (auto const& [own, other] : twins.points.front().study.belief.stand_ins) {
    CHECK(own->library == "small");
    CHECK(other->id() == "twin/" + own->name);
  }
  CHECK(study_with("source: noisy, rmse: 0.1, two_points: [0.1, 0.3]").points.front().study.belief.two_points == std::vector{0.1, 0.3});
  CHECK_THROWS_WITH(study_with("source: measured, stand_in: unitless"), Catch::Contains("unitless has no curve of the same name for "));
}
