#include "wattfill/flexibility/reconstruct.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "support/catch.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/flexibility/pfi.hpp"
#include "wattfill/flexibility/predictor.hpp"

using namespace wattfill;

namespace {

Reconstruction made(ReconstructionShape shape) { return reconstruct({.shape = shape}, "h200"); }

double median(std::vector<double> values) {
  std::ranges::sort(values);
  auto const n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

}  // namespace

TEST_CASE("The published groups have the published class medians") {
  std::map<std::string, std::vector<double>> pfis;
  for (auto const& g : published_groups()) pfis[g.architecture == "dense" ? "dense" : std::string(g.task)].push_back(g.pfi ? *g.pfi : g.pfi4);
  CHECK(pfis["dense"].size() == 14);
  CHECK(pfis["pretraining"].size() == 7);
  CHECK(pfis["fine-tuning"].size() == 4);
  CHECK(median(pfis["dense"]) == Approx(1.27));
  CHECK(median(pfis["pretraining"]) == Approx(1.43));
  CHECK(median(pfis["fine-tuning"]) == Approx(2.10));
}

TEST_CASE("The two published out-of-fold RMSEs and the 25 PFIs give the two published R2") {
  // R2 = 1 - n RMSE^2 / SST; the paper prints 0.524 and 0.246 (0.247 from its rounded RMSE).
  double mean = 0, total = 0;
  for (auto const& g : published_groups()) mean += (g.pfi ? *g.pfi : g.pfi4) / 25;
  for (auto const& g : published_groups()) total += std::pow((g.pfi ? *g.pfi : g.pfi4) - mean, 2);
  CHECK(1 - 25 * 0.241 * 0.241 / total == Approx(0.524).margin(0.001));
  CHECK(1 - 25 * 0.303 * 0.303 / total == Approx(0.247).margin(0.001));
}

TEST_CASE("Both shapes meet every PFI of a group's own caps from the points as written") {
  for (auto const shape : {ReconstructionShape::quadratic, ReconstructionShape::roofline}) {
    auto const library = made(shape).library;
    REQUIRE(library.curves.size() == 25);
    for (auto const& g : published_groups()) {
      CAPTURE(g.name);
      REQUIRE(library.find(g.name) != nullptr);
      CHECK(measured_pfi(library.find(g.name)->curve) == Approx(g.pfi ? *g.pfi : g.pfi4).margin(1e-4));
    }
  }
}

TEST_CASE("The quadratic shape meets every PFI4 but two, and says which and why") {
  auto const result = made(ReconstructionShape::quadratic);
  for (auto const& g : published_groups()) {
    CAPTURE(g.name);
    double const miss = measured_pfi(result.library.find(g.name)->curve, published_caps(PublishedGrid::coarse)) - g.pfi4;
    // EP1 without compile: PFI rises with depth, no a, b >= 0 does that. 70B pretraining with compile: its solution runs at 0.8 % of full speed at
    // 200 W.
    if (g.name == "pt_gpt_oss_20b_8g_ep1_no_compile")
      CHECK(miss == Approx(0.08).margin(1e-4));
    else if (g.name == "pt_llama_70b_8g_compile")
      CHECK(miss == Approx(-0.0164).margin(1e-4));
    else
      CHECK(std::fabs(miss) < 1e-4);
  }
  auto const said = [&](std::string const& name) {
    return std::ranges::count_if(result.library.assumptions, [&](std::string const& text) { return text.starts_with("Missed: " + name + " "); });
  };
  CHECK(said("pt_gpt_oss_20b_8g_ep1_no_compile") == 1);
  CHECK(said("pt_llama_70b_8g_compile") == 1);
  CHECK(std::ranges::count_if(result.library.assumptions, [](std::string const& text) { return text.starts_with("Missed: "); }) == 2);
}

TEST_CASE("The roofline's misses of PFI4 are all stated and within 0.12, gpt-oss at sequence 4096 within 0.41") {
  auto const result = made(ReconstructionShape::roofline);
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    auto const& g = result.groups[i];
    CAPTURE(g.name);
    CHECK(std::fabs(g.pfi4_miss) < (g.name == "ft_gpt_oss_20b_8g_seq4096" ? 0.41 : 0.12));
    CHECK((std::fabs(g.pfi4_miss) > 0.01) ==
          std::ranges::any_of(result.library.assumptions, [&](std::string const& text) { return text.starts_with("Missed: " + g.name + " "); }));
    CHECK((std::fabs(g.pfi4_miss) > 0.01) == !g.reason.empty());
  }
}

TEST_CASE("Speed grows with every cap and is at least 5 % of full speed at 200 W; dense 70B rooflines keep about a fifth") {
  for (auto const shape : {ReconstructionShape::quadratic, ReconstructionShape::roofline})
    for (auto const& c : made(shape).library.curves) {
      CAPTURE(c.name);
      auto const points = c.curve.points();
      CHECK(points.front().cap_w == 200);
      CHECK(points.front().speed >= 0.05 * points.back().speed);
      for (std::size_t i = 1; i < points.size(); ++i) CHECK(points[i].speed > points[i - 1].speed);
      CHECK(points.size() == (c.gpus == 8 ? 6 : 4));
      CHECK(c.curve.findings().above_cap == 0);
      if (shape == ReconstructionShape::roofline && c.model == "Llama-3.1-70B") CHECK(points.front().speed / points.back().speed == Approx(0.2).margin(0.035));
    }
}

TEST_CASE("Full speed follows from MFU and active parameters") {
  auto const library = made(ReconstructionShape::quadratic).library;
  // 8 x 989e12 x 0.42 / (4 x 70.6e9) tokens/s; FLOP/s = speed x flop_per_unit.
  auto const* llama = library.find("ft_llama_70b_8g_compile");
  CHECK(llama->curve.speed_at_top_cap() == Approx(8 * 989e12 * 0.42 / (4 * 70.6e9)).epsilon(1e-8));
  CHECK(*llama->flop_per_unit == Approx(4 * 70.6e9));
  CHECK(llama->curve.power_at_top_cap() == 651);
  CHECK(*library.find("pt_qwen3_30b_a3b_8g_ep8")->flop_per_unit == Approx(6 * 3.3e9));
}

TEST_CASE("The synthetic telemetry predicts PFI with the published in-sample R2 and RMSE") {
  for (auto const shape : {ReconstructionShape::quadratic, ReconstructionShape::roofline}) {
    FeatureColumn feature{"dram_activity_x_memory_copy", {}};
    std::vector<double> pfis;
    auto const library = made(shape).library;
    for (auto const& c : library.curves) {
      feature.values.push_back(c.telemetry.at(feature.name));
      pfis.push_back(measured_pfi(c.curve));
      CHECK(feature.values.back() > 0);
      CHECK(feature.values.back() < 1);
    }
    auto const fit = fit_linear({&feature, 1}, pfis);
    CHECK(fit.r2 == Approx(0.675).margin(1e-4));
    CHECK(fit.rmse == Approx(0.199).margin(5e-4));
    CHECK(fit.model.coefficients[0] > 0);
    double error = 0;  // leave-one-out, published: RMSE 0.241
    for (std::size_t out = 0; out < pfis.size(); ++out) {
      std::vector<double> weights(pfis.size(), 1.0);
      weights[out] = 0;
      error += std::pow(pfis[out] - fit_linear({&feature, 1}, pfis, weights).model.predict({&feature.values[out], 1}), 2);
    }
    CHECK(std::sqrt(error / 25) == Approx(0.241).margin(0.002));
  }
}

TEST_CASE("Other shares of TDP still meet every PFI; impossible ones are refused") {
  for (double const share : {0.88, 0.98}) {
    auto const result = reconstruct({.share_dense = share, .share_moe_pretraining = share, .share_moe_fine_tuning = share}, "h200");
    for (auto const& g : result.groups) CHECK(std::fabs(g.pfi_miss) < 1e-3);
  }
  CHECK_THROWS_AS(reconstruct({.share_dense = 0.8}, "h200"), InputError);
  CHECK_THROWS_AS(reconstruct({.share_moe_pretraining = std::nan("")}, "h200"), InputError);
  CHECK_THROWS_AS(reconstruct({.shape = ReconstructionShape::roofline, .static_power_w = 200}, "h200"), InputError);
}
