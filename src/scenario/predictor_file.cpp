#include "wattfill/scenario/predictor_file.hpp"

#include <cmath>
#include <limits>

#include "wattfill/core/quotation.hpp"
#include "wattfill/core/text.hpp"
#include "wattfill/flexibility/feature.hpp"
#include "wattfill/scenario/document.hpp"
#include "wattfill/scenario/fields.hpp"
#include "wattfill/scenario/spec.hpp"

namespace wattfill {
namespace {

struct TermFields {
  Placed<std::string> feature;
  double coefficient = 0, mean = 0;
  std::vector<double> inverse;
  Place place;
};

struct PredictorFields {
  std::uint64_t wattfill = 1;
  std::string kind, target, fitted_on;
  double intercept = 0, rows = 0, r2 = 0, rmse = 0;
  std::optional<double> residual_sd;
  std::vector<TermFields> features;
  Place place;
};

Format<PredictorFields> predictor_format() {
  using T = TermFields;
  using P = PredictorFields;
  auto const term =
      table<T>("Term", "one feature of a predictor",
               {field("feature", &T::feature, placed(text()), "telemetry column, product a*b or ratio a/b", "\"dram_active*mem_copy\"").required(),
                field("coefficient", &T::coefficient, number({}), "change of the target per unit of the feature", "1.3").required(),
                field("mean", &T::mean, number({}), "mean of the feature over the fitted rows", "0.35").required(),
                field("inverse", &T::inverse, list_of(number({})), "row of the inverse of the centred squares and products", "[0.8]").required()});
  return table<P>(
      "Predictor", "a linear model of a flexibility figure on telemetry, made by wattfill predict --out",
      {field("wattfill", &P::wattfill, integer(1, format_version), "version of this format", "1").required(),
       field("kind", &P::kind, text(), "predictor", "predictor").required(), field("target", &P::target, text(), "figure it predicts", "pfi").required(),
       field("fitted_on", &P::fitted_on, text_or_nothing(), "table it was fitted on", "telemetry.csv"),
       field("rows", &P::rows, number(above(0)), "rows it was fitted on", "25").required(),
       field("r2", &P::r2, number({}), "in-sample R2", "0.675").otherwise("not stated"),
       field("rmse", &P::rmse, number(from(0)), "in-sample RMSE", "0.199").otherwise("not stated"),
       field("residual_sd", &P::residual_sd, number(from(0)), "standard deviation of the residuals; absent: no row to spare", "0.208"),
       field("intercept", &P::intercept, number({}), "target where every feature is 0", "0.9").required(),
       field("features", &P::features, list_of(term, 1, 1000), "the features", "[...]").required()});
}

}  // namespace

std::string predictor_text(SavedPredictor const& predictor) {
  auto const number = [](double value) { return Node::plain(number_text(value)); };
  auto node = Node::map();
  node.add("wattfill", Node::plain("1")).add("kind", Node::quote("predictor")).add("target", Node::quote(predictor.target));
  if (!predictor.fitted_on.empty()) node.add("fitted_on", Node::quote(predictor.fitted_on));
  node.add("rows", number(predictor.spread.rows));
  if (std::isfinite(predictor.r2)) node.add("r2", number(predictor.r2));
  node.add("rmse", number(predictor.rmse));
  if (std::isfinite(predictor.spread.residual_sd)) node.add("residual_sd", number(predictor.spread.residual_sd));
  node.add("intercept", number(predictor.model.intercept));
  auto terms = Node::list();
  auto const n = predictor.model.features.size();
  for (std::size_t i = 0; i < n; ++i) {
    auto row = Node::list();
    for (std::size_t j = 0; j < n; ++j) row.add(number(predictor.spread.inverse[i * n + j]));
    terms.add(Node::map()
                  .add("feature", Node::quote(predictor.model.features[i]))
                  .add("coefficient", number(predictor.model.coefficients[i]))
                  .add("mean", number(predictor.spread.means[i]))
                  .add("inverse", std::move(row)));
  }
  node.add("features", std::move(terms));
  return to_yaml(node);
}

SavedPredictor read_predictor(std::filesystem::path const& file) {
  auto const document = read_document(file);
  refuse_newer(document, "predictor");
  Reading reading;
  PredictorFields fields;
  predictor_format().read(document, "", fields, reading);
  reading.finish();
  if (fields.kind != "predictor") reading.refuse(fields.place.at, "kind", quotation(fields.kind) + " is not a predictor; make one with wattfill predict --out");
  SavedPredictor saved{fields.target, {}, {}, fields.r2, fields.rmse, fields.fitted_on};
  saved.model.intercept = fields.intercept;
  saved.spread.rows = fields.rows;
  saved.spread.residual_sd = fields.residual_sd.value_or(std::numeric_limits<double>::quiet_NaN());
  for (auto const& term : fields.features) {
    try {
      static_cast<void>(parse_feature(term.feature.value));
    } catch (InputError const& error) {
      reading.refuse(term.feature.place, error.what());
    }
    if (term.inverse.size() != fields.features.size())
      reading.refuse(term.place, "inverse has " + std::to_string(term.inverse.size()) + " numbers for " + std::to_string(fields.features.size()) +
                                     " features (prediction intervals need a square); make the file again");
    saved.model.features.push_back(term.feature.value);
    saved.model.coefficients.push_back(term.coefficient);
    saved.spread.means.push_back(term.mean);
    saved.spread.inverse.insert(saved.spread.inverse.end(), term.inverse.begin(), term.inverse.end());
  }
  reading.finish();
  return saved;
}

}  // namespace wattfill
