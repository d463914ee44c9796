#include "wattfill/flexibility/belief.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "support/catch.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/flexibility/pfi.hpp"
#include "wattfill/flexibility/quadratic.hpp"

using namespace wattfill;

namespace {

Curve curve(std::string name, std::string architecture, std::vector<CurvePoint> points, std::map<std::string, double> telemetry = {}) {
  return {.library = "lab",
          .name = std::move(name),
          .architecture = std::move(architecture),
          .task = "pretraining",
          .model = {},
          .gpus = 1,
          .speed_unit = {},
          .provenance = Provenance::measured,
          .flop_per_unit = {},
          .telemetry = std::move(telemetry),
          .curve = PowerSpeedCurve(std::move(points))};
}

/// Two points with the PFI asked for: x = 0.5, loss 0.5 / pfi.
Curve with_pfi(std::string name, double pfi, double feature = 0) {
  return curve(std::move(name), "dense", {{200, 200, 100 * (1 - 0.5 / pfi)}, {400, 400, 100}}, {{"dram", feature}});
}

std::vector<Curve const*> pointers(std::vector<Curve> const& curves) {
  std::vector<Curve const*> all;
  for (auto const& c : curves) all.push_back(&c);
  return all;
}

std::string message(std::vector<Curve> const& curves, BeliefSpec const& spec) {
  try {
    believe(pointers(curves), spec);
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

Curve const infinite = curve("infinite", "dense", {{200, 200, 100}, {400, 400, 100}}, {{"dram", 5}});
Curve const unresponsive = curve("unresponsive", "dense", {{200, 399, 50}, {400, 400, 100}}, {{"dram", 5}});

}  // namespace

TEST_CASE("Measured beliefs are each curve's own PFI and quadratic response") {
  std::vector const curves{with_pfi("a", 1.5), curve("b", "dense", {{100, 100, 30}, {200, 200, 60}, {300, 300, 85}, {400, 400, 100}}), infinite, unresponsive};
  auto const beliefs = believe(pointers(curves), {});
  REQUIRE(beliefs.size() == 4);
  CHECK(beliefs[0].pfi == Approx(1.5));
  CHECK(beliefs[1].pfi == measured_pfi(curves[1].curve));
  auto const response = fit_quadratic(capped_points(curves[1].curve));
  CHECK(beliefs[1].b == response.b);
  CHECK(beliefs[1].a == response.a);
  CHECK(beliefs[2].pfi == std::numeric_limits<double>::infinity());
  CHECK(beliefs[2].b == 0);
  CHECK(std::isnan(beliefs[3].pfi));
  CHECK(beliefs[3].a == 0);
}

TEST_CASE("A negative measured PFI is clipped at 0.05") {
  std::vector const curves{curve("hot", "dense", {{200, 450, 90}, {300, 430, 80}, {400, 400, 100}})};
  CHECK(believe(pointers(curves), {}).front().pfi == 0.05);
}

TEST_CASE("On a common grid only the shared caps count") {
  std::vector const curves{curve("six", "dense", {{100, 100, 20}, {200, 200, 60}, {300, 300, 90}, {400, 400, 100}}),
                           curve("three", "dense", {{100, 90, 10}, {300, 280, 70}, {400, 390, 90}})};
  auto const beliefs = believe(pointers(curves), {.source = PfiSource::measured, .grid = PfiGrid::common, .feature = {}});
  CHECK(beliefs[0].pfi == Approx((0.75 / 0.8 + 0.25 / 0.1) / 2));
  CHECK(beliefs[1].pfi == measured_pfi(curves[1].curve));
}

TEST_CASE("Curves that share fewer than two caps have no common grid") {
  std::vector const curves{curve("low", "dense", {{100, 100, 20}, {200, 200, 60}}), curve("high", "dense", {{200, 200, 20}, {300, 300, 60}})};
  CHECK(message(curves, {.source = PfiSource::measured, .grid = PfiGrid::common, .feature = {}}) ==
        "the curves share 1 caps, a common grid needs two (PFIs of different grids do not compare); use grid: own, or libraries swept at the same "
        "caps");
}

TEST_CASE("A weighted class median is the median of the list in which each curve stands as often as it was drawn") {
  std::vector const curves{with_pfi("a", 1.0), with_pfi("b", 2.0), with_pfi("c", 4.0), with_pfi("d", 8.0)};
  auto const median = [&](std::vector<double> const& weights) {
    return believe(pointers(curves), {.source = PfiSource::class_median, .grid = PfiGrid::own, .feature = {}}, weights).front().pfi;
  };
  CHECK(median({}) == Approx(3));              // 1 2 | 4 8
  CHECK(median({1, 1, 1, 0}) == Approx(2));    // 1 2 4
  CHECK(median({0, 0, 2, 2}) == Approx(6));    // 4 4 | 8 8
  CHECK(median({3, 1, 1, 1}) == Approx(1.5));  // 1 1 1 | 2 4 8
  CHECK(median({1, 0, 0, 4}) == Approx(8));    // 1 8 8 8 8
  CHECK(median({0, 0, 0, 0}) == Approx(3));    // a class that was not drawn: unweighted
}

TEST_CASE("Class medians stay inside architecture and task, and leave out infinite PFIs and unresponsive curves") {
  std::vector<Curve> curves{with_pfi("a", 1.0), with_pfi("b", 2.0), infinite, unresponsive, with_pfi("other", 9.0)};
  curves.back().architecture = "moe";
  auto const beliefs = believe(pointers(curves), {.source = PfiSource::class_median, .grid = PfiGrid::own, .feature = {}});
  for (std::size_t i : {0u, 1u, 2u}) CHECK(beliefs[i].pfi == Approx(1.5));
  CHECK(std::isnan(beliefs[3].pfi));
  CHECK(beliefs[4].pfi == Approx(9));
  std::vector const alone{infinite};
  CHECK(believe(pointers(alone), {.source = PfiSource::class_median, .grid = PfiGrid::own, .feature = {}}).front().pfi ==
        std::numeric_limits<double>::infinity());
}

TEST_CASE("Predicted beliefs lie on the line through PFI against the feature, infinite PFIs left out and results clipped at 0.05") {
  // PFI = 1 + 2 x feature for the first three; the infinite one is predicted too.
  std::vector const curves{with_pfi("a", 1.0, 0), with_pfi("b", 2.0, 0.5), with_pfi("c", 3.0, 1), infinite};
  BeliefSpec const spec{.source = PfiSource::predicted, .grid = PfiGrid::own, .feature = "dram"};
  auto const beliefs = believe(pointers(curves), spec);
  CHECK(beliefs[1].pfi == Approx(2));
  CHECK(beliefs[3].pfi == Approx(11));
  std::vector const steep{with_pfi("a", 1.0, 0), with_pfi("b", 9.0, 1), with_pfi("low", 1.0, 0.1), with_pfi("lowest", 1.0, -0.9)};
  auto const clipped = believe(pointers(steep), spec, std::vector<double>{1, 1, 1, 0});
  CHECK(clipped[3].pfi == 0.05);
}

TEST_CASE("The response of a believed PFI has that PFI at the curve's own depths, whatever the curve's own response is") {
  std::vector const curves{curve("a", "dense", {{100, 100, 30}, {200, 200, 60}, {300, 300, 85}, {400, 400, 100}}, {{"dram", 0}}),
                           curve("b", "dense", {{100, 100, 60}, {200, 200, 80}, {300, 300, 97}, {400, 400, 100}}, {{"dram", 1}}),
                           curve("c", "dense", {{100, 100, 50}, {200, 200, 75}, {300, 300, 90}, {400, 400, 100}}, {{"dram", 0.2}})};
  for (auto const source : {PfiSource::predicted, PfiSource::class_median}) {
    auto const beliefs = believe(pointers(curves), {.source = source, .grid = PfiGrid::own, .feature = "dram"});
    for (auto const& belief : beliefs) {
      QuadraticResponse const response{belief.b, belief.a};
      CHECK((response.pfi_at(0.75) + response.pfi_at(0.5) + response.pfi_at(0.25)) / 3 == Approx(belief.pfi).epsilon(1e-12));
    }
  }
}

TEST_CASE("A curve without the feature is refused by name, with the features it has") {
  std::vector curves{with_pfi("a", 1.0, 0), with_pfi("b", 2.0, 0.5)};
  curves[1].telemetry = {{"tensor", 0.5}, {"sm", 0.2}};
  CHECK(message(curves, {.source = PfiSource::predicted, .grid = PfiGrid::own, .feature = "dram"}) ==
        "curve lab/b has no telemetry feature \"dram\" (its PFI cannot be predicted from it); it has sm, tensor");
  curves[1].telemetry.clear();
  CHECK(message(curves, {.source = PfiSource::predicted, .grid = PfiGrid::own, .feature = "dram"}) ==
        "curve lab/b has no telemetry feature \"dram\" (its PFI cannot be predicted from it); it has none");
}
