#include "wattfill/scenario/predictor_file.hpp"

#include <array>
#include <cmath>

#include "support/catch.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;
using wattfill::testing::TemporaryFile;

namespace {

SavedPredictor fitted() {
  std::vector<FeatureColumn> const features{{"dram*copy", {0.1, 0.25, 0.3, 0.7, 0.9}}, {"tensor", {3, 1, 4, 1, 5}}};
  auto const fit = fit_linear(features, std::array{1.1, 1.3, 1.2, 2.0, 2.1});
  return {"pfi", fit.model, fit.spread, fit.r2, fit.rmse, "telemetry.csv"};
}

}  // namespace

TEST_CASE("a saved predictor reads back bit for bit and predicts the same, interval included") {
  auto const saved = fitted();
  auto const text = predictor_text(saved);
  TemporaryFile const file(text);
  auto const read = read_predictor(file.path());
  CHECK(predictor_text(read) == text);
  CHECK(read.target == "pfi");
  CHECK(read.model.features == saved.model.features);
  CHECK(read.model.coefficients == saved.model.coefficients);
  std::array const row{0.5, 2.0};
  CHECK(read.model.predict(row) == saved.model.predict(row));
  CHECK(prediction_interval(read.model, read.spread, row).high == prediction_interval(saved.model, saved.spread, row).high);
}

TEST_CASE("a predictor with no row to spare has no spread of residuals") {
  std::vector<FeatureColumn> const features{{"x", {0, 1}}};
  auto const fit = fit_linear(features, std::array{1.0, 2.0});
  TemporaryFile const file(predictor_text({"pfi", fit.model, fit.spread, fit.r2, fit.rmse, ""}));
  CHECK(std::isnan(read_predictor(file.path()).spread.residual_sd));
}

TEST_CASE("other kinds, newer versions, lame matrices and features that are none are refused") {
  auto const good = predictor_text(fitted());
  auto const refusal = [&](std::string const& from, std::string const& to) {
    auto text = good;
    auto const at = text.find(from);
    REQUIRE(at != std::string::npos);
    TemporaryFile const file(text.replace(at, from.size(), to));
    try {
      read_predictor(file.path());
    } catch (InputError const& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(refusal("predictor", "scenario").find("not a predictor") != std::string::npos);
  CHECK(refusal("wattfill: 1", "wattfill: 9").find("format version 9") != std::string::npos);
  CHECK(refusal("dram*copy", "dram*copy*x").find("is no feature") != std::string::npos);
  CHECK(refusal("inverse: [", "inverse: [1, ").find("inverse has 3 numbers for 2 features") != std::string::npos);
  CHECK(refusal("target", "targets").find("did you mean") != std::string::npos);
}
