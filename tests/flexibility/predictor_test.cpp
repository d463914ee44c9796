#include "wattfill/flexibility/predictor.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "support/catch.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;

namespace {

using Features = std::vector<FeatureColumn>;

std::string message(Features const& features, std::vector<double> const& target, std::vector<double> const& weights = {}) {
  try {
    fit_linear(features, target, weights);
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("One feature: slope, intercept, R2 and RMSE by hand") {
  // x = 0, 1, 2; y = 1, 2, 4: slope 1.5, intercept 5/6; residuals 1/6, -1/3, 1/6; SSE 1/6 of SST 14/3.
  auto const fit = fit_linear(Features{{"x", {0, 1, 2}}}, std::array{1.0, 2.0, 4.0});
  CHECK(fit.model.features == std::vector<std::string>{"x"});
  CHECK(fit.model.coefficients[0] == Approx(1.5).epsilon(1e-14));
  CHECK(fit.model.intercept == Approx(5.0 / 6).epsilon(1e-14));
  CHECK(fit.r2 == Approx(1 - 1.0 / 28).epsilon(1e-14));
  CHECK(fit.rmse == Approx(std::sqrt(1.0 / 18)).epsilon(1e-13));
  CHECK(fit.model.predict(std::array{4.0}) == Approx(5.0 / 6 + 6));
}

TEST_CASE("Several features of very different size give back the coefficients they were made with") {
  std::mt19937 engine(7);
  std::normal_distribution<double> normal;
  Features features{{"small", {}}, {"large", {}}, {"shifted", {}}};
  std::vector<double> target;
  for (int i = 0; i < 30; ++i) {
    double const s = 1e-6 * normal(engine), l = 1e9 * normal(engine), h = 1e4 + normal(engine);
    features[0].values.push_back(s);
    features[1].values.push_back(l);
    features[2].values.push_back(h);
    target.push_back(3 + 2e6 * s - 4e-9 * l + 0.5 * h);
  }
  auto const fit = fit_linear(features, target);
  CHECK(fit.model.coefficients[0] == Approx(2e6).epsilon(1e-9));
  CHECK(fit.model.coefficients[1] == Approx(-4e-9).epsilon(1e-9));
  CHECK(fit.model.coefficients[2] == Approx(0.5).epsilon(1e-9));
  CHECK(fit.r2 == Approx(1));
}

TEST_CASE("A row of weight three counts as three rows, a row of weight zero not at all") {
  Features const weighted{{"x", {0, 1, 2, 9}}}, repeated{{"x", {0, 1, 1, 1, 2}}};
  auto const a = fit_linear(weighted, std::array{1.0, 2.5, 4.0, -70.0}, std::array{1.0, 3.0, 1.0, 0.0});
  auto const b = fit_linear(repeated, std::array{1.0, 2.5, 2.5, 2.5, 4.0});
  CHECK(a.model.coefficients[0] == Approx(b.model.coefficients[0]).epsilon(1e-13));
  CHECK(a.model.intercept == Approx(b.model.intercept).epsilon(1e-13));
  CHECK(a.rmse == Approx(b.rmse).margin(1e-14));
  CHECK(a.r2 == Approx(b.r2));
}

TEST_CASE("Equal targets have no R2") { CHECK(std::isnan(fit_linear(Features{{"x", {0, 1, 2}}}, std::array{1.0, 1.0, 1.0}).r2)); }

TEST_CASE("Constant and collinear features are refused by name") {
  CHECK(message({{"x", {0, 1, 2, 4}}, {"flat", {5, 5, 5, 5}}}, {1, 2, 3, 5}) ==
        "feature flat is constant (it cannot be told apart from the intercept); leave it out");
  CHECK(message({{"x", {0, 1, 2, 4}}}, {1, 2, 3, 5}, {0, 1, 1, 1}) == "accepted");
  CHECK(message({{"x", {0, 1, 1, 1}}}, {1, 2, 3, 5}, {0, 1, 1, 1}) == "feature x is constant (it cannot be told apart from the intercept); leave it out");
  auto const text = message({{"u", {0, 1, 2, 4}}, {"v", {3, 1, 4, 1}}, {"sum", {3, 2, 6, 5}}}, {1, 2, 3, 5});
  CHECK(text.starts_with("collinear features: "));
  CHECK(text.find("can be computed from the others") != std::string::npos);
}

TEST_CASE("Too few rows, columns of other lengths, bad weights and values that are not finite are refused") {
  CHECK(message({}, {1, 2}) == "a predictor needs at least one feature; name one");
  CHECK(message({{"x", {1}}}, {1}) == "1 rows cannot determine 2 coefficients (intercept and 1 features); use fewer features or more curves");
  CHECK(message({{"x", {1, 2, 3}}}, {1, 2, 3}, {1, 0, 0}) ==
        "1 rows cannot determine 2 coefficients (intercept and 1 features); use fewer features or more curves");
  CHECK(message({{"x", {1, 2}}}, {1, 2, 3}) == "feature x has 2 values for 3 rows");
  CHECK(message({{"x", {1, std::numeric_limits<double>::quiet_NaN()}}}, {1, 2}) ==
        "feature x has a value that is not finite (least squares has no answer then); leave the row out");
  CHECK(message({{"x", {1, 2}}}, {1, std::numeric_limits<double>::infinity()}) ==
        "the target has a value that is not finite (least squares has no answer then); leave the row out");
  CHECK(message({{"x", {1, 2}}}, {1, 2}, {1, -1}) == "weights must be finite and zero or more");
  CHECK(message({{"x", {1, 2}}}, {1, 2}, {1}) == "a predictor needs one weight for each row");
}

TEST_CASE("A prediction interval by hand") {
  // x = 0, 1, 2; y = 1, 2, 4: SSE 1/6 with one row to spare; at x = 3 the leverage is 1/3 + 4/2; Student's t of one degree is tan(0.95 pi / 2)
  // = 12.706.
  auto const fit = fit_linear(Features{{"x", {0, 1, 2}}}, std::array{1.0, 2.0, 4.0});
  CHECK(fit.spread.rows == 3);
  CHECK(fit.spread.residual_sd == Approx(std::sqrt(1.0 / 6)).epsilon(1e-12));
  CHECK(fit.spread.leverage(std::array{3.0}) == Approx(1.0 / 3 + 2).epsilon(1e-13));
  auto const interval = prediction_interval(fit.model, fit.spread, std::array{3.0});
  double const half = std::tan(0.95 * std::acos(0.0)) * std::sqrt(1.0 / 6) * std::sqrt(1 + 1.0 / 3 + 2);
  CHECK(interval.low == Approx(5.0 / 6 + 4.5 - half).epsilon(1e-10));
  CHECK(interval.high == Approx(5.0 / 6 + 4.5 + half).epsilon(1e-10));
  auto const exact = fit_linear(Features{{"x", {0, 1}}}, std::array{1.0, 2.0});
  CHECK(std::isnan(exact.spread.residual_sd));
  CHECK(std::isnan(prediction_interval(exact.model, exact.spread, std::array{3.0}).low));
}

TEST_CASE("Leverages of the rows add up to the number of coefficients, and 95 % intervals hold 95 % of new rows") {
  std::mt19937 engine(5);
  std::normal_distribution<double> normal;
  double inside = 0, all = 0;
  for (int round = 0; round < 2000; ++round) {
    Features features{{"u", {}}, {"v", {}}};
    std::vector<double> target;
    for (int i = 0; i < 12; ++i) {
      features[0].values.push_back(1e3 * normal(engine));
      features[1].values.push_back(normal(engine) + 1e-3 * features[0].values.back());
      target.push_back(1 + 2e-3 * features[0].values.back() - features[1].values.back() + normal(engine));
    }
    auto const fit = fit_linear(features, target);
    double sum = 0;
    for (std::size_t i = 0; i < 12; ++i) sum += fit.spread.leverage(std::array{features[0].values[i], features[1].values[i]});
    REQUIRE(sum == Approx(3).epsilon(1e-9));
    std::array const at{1e3 * normal(engine), normal(engine)};
    auto const interval = prediction_interval(fit.model, fit.spread, at);
    double const y = 1 + 2e-3 * at[0] - at[1] + normal(engine);
    inside += interval.low < y && y < interval.high;
    ++all;
  }
  CHECK(inside / all == Approx(0.95).margin(4 * std::sqrt(0.95 * 0.05 / all)));
}

TEST_CASE("One feature of twelve rows: slope, intercept and R as SciPy 1.10.1's linregress has them") {
  std::vector<double> const a{1.2, 1.5, 1.9, 2.2, 3.1, 0.7, 0.9, 1.5, 4.0, 0.3, 2.8, 2.0}, b{2.1, 1.4, 2.6, 2.9, 3.3, 1.5, 0.2, 2.6, 1.0, 0.8, 2.7, 2.6};
  auto const fit = fit_linear(Features{{"x", a}}, b);
  CHECK(fit.model.coefficients.at(0) == Approx(0.37133355503824406).epsilon(1e-12));
  CHECK(fit.model.intercept == Approx(1.291127369471234).epsilon(1e-12));
  CHECK(fit.r2 == Approx(0.40831282087718385 * 0.40831282087718385).epsilon(1e-12));
}
