#include "wattfill/workload/arrivals.hpp"

#include <algorithm>
#include <cmath>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/curves.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

Curve const& curve() {
  static Curve const c = make_curve("c", {{100, 1}, {200, 2}}, 8);
  return c;
}

ArrivalsSpec spec_of(double rate_per_h, double until_s) {
  ArrivalsSpec spec;
  spec.rate_per_h = rate_per_h;
  spec.until_s = until_s;
  ArrivalGroup group;
  group.name = "g";
  group.curves = {&curve()};
  spec.groups = {group};
  return spec;
}

}  // namespace

TEST_CASE("Arrivals are a function of seed and replication, and differ between them; seed 0 is a seed like any other") {
  auto const spec = spec_of(100, 36000);
  auto const times = [&](std::uint64_t seed, std::uint64_t replication) {
    std::vector<double> t;
    for (auto const& j : draw_arrivals(spec, seed, replication)) t.push_back(j.submit_s);
    return t;
  };
  CHECK(times(0, 0) == times(0, 0));
  CHECK(times(0, 0) != times(1, 0));
  CHECK(times(0, 0) != times(0, 1));
  CHECK(times(2, 0) != times(1, 0));
  CHECK(std::ranges::is_sorted(times(0, 0)));
}

TEST_CASE("Counts and gaps are those of a Poisson process, within three sigma") {
  auto const jobs = draw_arrivals(spec_of(3600, 100'000), 7, 0);
  CHECK(std::fabs(static_cast<double>(jobs.size()) - 100'000) < 3 * std::sqrt(100'000.0));
  double squares = 0;
  for (std::size_t j = 1; j < jobs.size(); ++j) squares += std::pow(jobs[j].submit_s - jobs[j - 1].submit_s, 2);
  CHECK(squares / static_cast<double>(jobs.size()) == Approx(2).margin(3 * std::sqrt(20.0 / 100'000)));  // E x^2 = 2, var x^2 = 24 - 4
  CHECK(jobs[3].id == "g-3");
  CHECK(jobs[3].gpus == 8);
}

TEST_CASE("Rates follow the hours of the day") {
  auto spec = spec_of(1000, 10 * 86400);
  spec.by_hour.assign(24, 0.0);
  spec.by_hour[0] = 2;
  spec.by_hour[5] = 1;
  spec.first_hour = 22;
  double first = 0, second = 0;
  for (auto const& j : draw_arrivals(spec, 1, 0)) {
    auto const hour = std::fmod(j.submit_s / 3600 + 22, 24);
    REQUIRE((hour < 1 || (hour >= 5 && hour < 6)));
    (hour < 1 ? first : second) += 1;
  }
  CHECK(std::fabs(first - 20'000) < 3 * std::sqrt(20'000));
  CHECK(std::fabs(second - 10'000) < 3 * std::sqrt(10'000));
}

TEST_CASE("Work has the median and mean asked for, or the quantiles; GPUs have their weights") {
  auto spec = spec_of(3600, 100'000);
  spec.groups[0].work.median_s = 100;
  spec.groups[0].work.mean_s = 150;
  spec.groups[0].gpus = {{1, 3}, {4, 0}, {16, 1}};
  auto jobs = draw_arrivals(spec, 3, 0);
  auto const n = static_cast<double>(jobs.size());
  double mean = 0, below = 0, wide = 0;
  for (auto const& j : jobs) {
    mean += j.work_s / n;
    below += (j.work_s < 100) / n;
    wide += (j.gpus == 16) / n;
    REQUIRE((j.gpus == 1 || j.gpus == 16));
  }
  auto const sd = 150 * std::sqrt(std::exp(2 * std::log(1.5)) - 1);
  CHECK(std::fabs(mean - 150) < 3 * sd / std::sqrt(n));
  CHECK(std::fabs(below - 0.5) < 3 * 0.5 / std::sqrt(n));
  CHECK(std::fabs(wide - 0.25) < 3 * std::sqrt(0.25 * 0.75 / n));
  spec.groups[0].work.quantiles = {{0.1, 60}, {0.5, 1000}, {0.9, 3000}};
  jobs = draw_arrivals(spec, 3, 0);
  double at_low = 0, at_high = 0;
  below = 0;
  for (auto const& j : jobs) {
    at_low += (j.work_s == 60) / n;
    at_high += (j.work_s == 3000) / n;
    below += (j.work_s < 1000) / n;
  }
  CHECK(std::fabs(at_low - 0.1) < 3 * 0.3 / std::sqrt(n));
  CHECK(std::fabs(at_high - 0.1) < 3 * 0.3 / std::sqrt(n));
  CHECK(std::fabs(below - 0.5) < 3 * 0.5 / std::sqrt(n));
}

TEST_CASE("Draws that would be thrown away without end are refused before the first") {
  auto spec = spec_of(1e9, 7200);
  spec.by_hour.assign(24, 0.0);
  spec.by_hour[0] = 1;
  spec.first_hour = 1;  // two hours in which nothing arrives, at two thousand million draws
  CHECK_THROWS_WITH(draw_arrivals(spec, 1, 0),
                    "jobs.arrivals: the highest rate would bring about 2e+09 jobs in one replication (most of memory and hours of "
                    "time); lower rate_per_h, by_hour or until_s");
  spec.rate_per_h = 1000;
  CHECK(draw_arrivals(spec, 1, 0).empty());
}

TEST_CASE("A rate of zero brings no jobs, and deadlines follow the work") {
  CHECK(draw_arrivals(spec_of(0, 1e9), 1, 0).empty());
  auto spec = spec_of(3600, 0);
  CHECK(draw_arrivals(spec, 1, 0).empty());
  spec.groups[0].deadline_factor = 1.5;
  spec.until_s = 100;
  for (auto const& j : draw_arrivals(spec, 1, 0)) CHECK(j.deadline_s == j.submit_s + 1.5 * 3600);
}
