#include "wattfill/study/regression.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "wattfill/core/random.hpp"
#include "wattfill/core/text.hpp"

using namespace wattfill;

namespace {

MetricRecord record(std::string const& policy, std::vector<double> const& values, std::string const& metric = "speed") {
  MetricRecorder recorder;
  for (double x : values) recorder.add(number_text(x), x);
  return recorder.record({"drawn", policy, "0.3"}, metric);
}

/// 200 values around 1 with a spread of 0.1, the same for the same purpose.
std::vector<double> values(double shift = 0, unsigned noise = 1) {
  std::vector<double> all;
  for (unsigned i = 0; i < 200; ++i) all.push_back(1 + shift + 0.1 * std::sin(12.9898 * (i + 1) * noise));
  return all;
}

std::vector<MetricTolerance> tolerance(Tolerance const& t) { return {{"speed", t}}; }

}  // namespace

TEST_CASE("A record keeps count, mean, a digest of the texts and the means of at most 20 batches") {
  auto const r = record("oracle", {1, 2, 4});
  CHECK(r.count == 3);
  CHECK(r.mean == 7.0 / 3);
  CHECK(r.batches == std::vector<double>{1, 2, 4});
  CHECK(r.digest.size() == 16);
  CHECK(record("oracle", {5}).batches.empty());  // nothing to pair
  auto const many = record("oracle", values());
  REQUIRE(many.batches.size() == 20);
  double first = 0;
  for (std::size_t i = 0; i < 200; i += 20) first += values()[i];
  CHECK(many.batches[0] == first / 10);
  CHECK(std::isnan(record("oracle", {}).mean));
}

TEST_CASE("One bit of one replication is caught with zero tolerance, even where the mean does not show it") {
  auto changed = values();
  changed[17] = std::nextafter(changed[17], 2);
  std::vector const before{record("oracle", values()), record("proportional", values())};
  std::vector const after{record("oracle", changed), record("proportional", values())};
  for (auto const& zero : {Tolerance{}, Tolerance{0.0, {}, {}}, Tolerance{{}, 0.0, {}}, Tolerance{0.0, 0.0, {}}}) {
    auto const found = moves(before, after, tolerance(zero));
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == Move::Kind::changed);
    CHECK(found[0].key[1] == "oracle");
  }
  CHECK(moves(before, before, tolerance({})).empty());
  CHECK(moves(before, after, tolerance({1e-12, {}, {}})).empty());
}

TEST_CASE("Absolute and relative tolerances add up; what is on the edge has not moved") {
  std::vector const before{record("oracle", {100, 100})};
  std::vector const after{record("oracle", {103, 103})};
  CHECK(moves(before, after, tolerance({2.0, 0.01, {}})).empty());
  CHECK(moves(before, after, tolerance({3.0, {}, {}})).empty());
  CHECK(moves(before, after, tolerance({2.9, {}, {}})).size() == 1);
  CHECK(moves(before, after, tolerance({{}, 0.029, {}})).size() == 1);
  auto const found = moves(before, after, tolerance({{}, 0.01, {}}));
  CHECK(found[0].before == 100);
  CHECK(found[0].after == 103);
}

TEST_CASE("The statistical tolerance ignores noise, and finds a shift that is far smaller than the noise from mix to mix") {
  std::vector const before{record("oracle", values())};
  CHECK(moves(before, std::vector{record("oracle", values(0, 3))}, tolerance({{}, {}, 0.01})).empty());  // other mixes
  auto shifted = values();  // the same mixes, a thousandth better with a little noise: the spread is a hundred times that
  for (unsigned i = 0; i < 200; ++i) shifted[i] += 0.001 * (1 + 0.5 * std::sin(78.233 * (i + 1)));
  auto const found = moves(before, std::vector{record("oracle", shifted)}, tolerance({{}, {}, 0.01}));
  REQUIRE(found.size() == 1);
  CHECK(found[0].p < 1e-6);
  CHECK(moves(before, std::vector{record("oracle", shifted)}, tolerance({0.01, {}, 0.01})).empty());  // significant, yet allowed
}

TEST_CASE("The paired test agrees with a worked example and knows what it cannot tell") {
  // Differences 1, 2, 3: mean 2, standard error 1 / sqrt(3), t = 2 sqrt(3) with 2 degrees. Its distribution is known: p = 1 - t / sqrt(t^2 + 2).
  auto const t = 2 * std::sqrt(3.0);
  CHECK(paired_p(std::vector<double>{0, 0, 0}, std::vector<double>{1, 2, 3}) == Approx(1 - t / std::sqrt(t * t + 2)).epsilon(1e-12));
  CHECK(paired_p(std::vector<double>{0, 0}, std::vector<double>{-1, 1}) == 1);
  CHECK(paired_p(std::vector<double>{0, 0}, std::vector<double>{1, 1}) == 0);
  CHECK(std::isnan(paired_p(std::vector<double>{0}, std::vector<double>{1})));
  CHECK(std::isnan(paired_p(std::vector<double>{0, 0}, std::vector<double>{1, 1, 1})));
}

TEST_CASE("Where significance cannot be told, what moved counts") {
  CHECK(moves(std::vector{record("oracle", {1})}, std::vector{record("oracle", {1.5})}, tolerance({{}, {}, 0.01})).size() == 1);
}

TEST_CASE("In a thousand comparisons of noise the false alarms keep to the significance") {
  std::size_t alarms = 0;
  for (unsigned trial = 0; trial < 1000; ++trial) {
    CounterRandom random({1, "noise", trial, Stream::jobs});
    std::vector<double> before(40), after(40);
    for (auto& x : before) x = random() / 4294967296.0;
    for (auto& x : after) x = random() / 4294967296.0;
    alarms += moves(std::vector{record("oracle", before)}, std::vector{record("oracle", after)}, tolerance({{}, {}, 0.05})).size();
  }
  CHECK(alarms > 50 - 4 * 7);  // binomial, 1000 at 5 %: sigma 6.9
  CHECK(alarms < 50 + 4 * 7);
}

TEST_CASE("Rows that went and rows that came are moves; metrics without a tolerance are not looked at") {
  std::vector const before{record("oracle", {1, 2}), record("gone", {1, 2}), record("gone", {3, 4}, "power_w")};
  std::vector const after{record("new", {1, 2}), record("oracle", {1, 2}), record("oracle", {7, 7}, "power_w")};
  auto const found = moves(before, after, tolerance({}));
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == Move::Kind::missing);
  CHECK(found[0].key[1] == "gone");
  CHECK(found[1].kind == Move::Kind::added);
  CHECK(found[1].key[1] == "new");
}

TEST_CASE("Numbers that do not exist: the same stays the same, one that comes or goes has moved") {
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector const with{record("oracle", {1, nan})}, without{record("oracle", {1, 2})};
  CHECK(moves(with, with, tolerance({1.0, {}, {}})).empty());
  CHECK(moves(with, without, tolerance({100.0, {}, {}})).size() == 1);
  CHECK(moves(without, with, tolerance({100.0, {}, {}})).size() == 1);
}
