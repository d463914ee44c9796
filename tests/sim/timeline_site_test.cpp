// Facility and meter while time passes.
#include <cmath>
#include <numeric>

#include "sim/site.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/draws.hpp"
#include "support/timelines.hpp"
#include "wattfill/facility/facility.hpp"

namespace wattfill {
namespace {

using namespace testing;

/// A facility of which everything but the meter's lag can be told by hand: hosts draw a tenth of the GPUs, a chiller a fifth of the IT load.
FacilitySpec plain(double cooling_lag_s) {
  FacilitySpec spec;
  spec.gpus = 4;
  spec.host_per_gpu_watt = 0.1;
  spec.chiller.capacity_w = 5;
  spec.chiller.cop = 1;
  spec.chiller.part_load = {0, 0.2, 0};
  spec.cooling_lag_s = cooling_lag_s;
  return spec;
}

TimelineSpec timeline_of(std::vector<TimelineJob> jobs, double gpus, FacilitySpec const& facility) {
  TimelineSpec spec;
  spec.jobs = std::move(jobs);
  spec.cluster = {gpus, facility.gpu_idle_w};
  spec.metering = {facility, {}};
  return spec;
}

/// Integral of the power rows' steady meter up to `end` [J].
double steady_meter_j(Recorder const& seen, double end) {
  double sum = 0;
  for (std::size_t i = 0; i < seen.rows.size(); ++i)
    sum += seen.rows[i].meter_w * ((i + 1 < seen.rows.size() ? seen.rows[i + 1].time_s : end) - seen.rows[i].time_s);
  return sum;
}

}  // namespace

TEST_CASE("what the meter shows follows the steady load with the lag of the cooling, and its energy is the exponential's integral") {
  auto const curve = make_curve("line", {{100, 0.25}, {400, 1}}, 4);
  auto spec = timeline_of({job("a", curve, 3000), job("b", curve, 1000)}, 8, plain(600));
  auto const r = run(spec, rule("proportional"));
  // Two nodes of 1600 W of GPUs: IT 2 x 1760, meter 1.2 times that. After 1000 s one node rests at 0 W, until 3000 s.
  double const both = 2 * 1760 * 1.2, one = 1760 * 1.2, lagged = 1760 * 0.2;
  REQUIRE(r.seen.rows.size() == 3);
  CHECK(r.seen.rows[0].it_w == Approx(2 * 1760).epsilon(1e-13));
  CHECK(r.seen.rows[0].meter_w == Approx(both).epsilon(1e-13));
  CHECK(r.seen.rows[0].meter_shown_w == Approx(both).epsilon(1e-13));
  CHECK(r.seen.rows[1].meter_w == Approx(one).epsilon(1e-13));
  CHECK(r.seen.rows[1].meter_shown_w == Approx(one + lagged).epsilon(1e-13));
  CHECK(r.seen.rows[2].meter_w == 0);
  CHECK(r.seen.rows[2].meter_shown_w == Approx(lagged + lagged * std::exp(-2000.0 / 600)).epsilon(1e-12));
  CHECK(r.at(metric::it_j) == Approx(1000 * 2 * 1760 + 2000 * 1760).epsilon(1e-13));
  CHECK(r.at(metric::meter_j) == Approx(1000 * both + 2000 * one + lagged * 600 * (1 - std::exp(-2000.0 / 600))).epsilon(1e-13));
  CHECK(r.at(metric::pue) == Approx(r.at(metric::meter_j) / r.at(metric::it_j)).epsilon(1e-15));
  CHECK(r.at(metric::meter_peak_w) == Approx(both).epsilon(1e-13));
  CHECK(r.at(metric::meter_per_gpu_w) == Approx(1.1 * 1.2).epsilon(1e-12));
  CHECK(std::isnan(r.at(metric::meter_saved_per_gpu_j)));
  CHECK(std::isnan(r.at(metric::meter_over_s)));
}

TEST_CASE("a limit at the meter is kept in steady watts and crossed by the lag, for as long and by as much as the exponential says") {
  auto const curve = make_curve("line", {{100, 0.25}, {400, 1}}, 4);
  auto spec = timeline_of({job("a", curve, 20000)}, 4, plain(300));
  double const full = 1760 * 1.2, limit = 0.75 * full;
  spec.meter_limit = {{0, full}, {1000, limit}};
  spec.duration_s = 2500;
  auto const r = run(spec, rule("proportional"));
  CHECK(r.seen.rows[1].meter_w == Approx(limit).epsilon(1e-12));
  CHECK(r.seen.rows[1].gpu_w == Approx(1200).epsilon(1e-12));
  CHECK(r.seen.rows[1].limit_w == limit);
  // The chiller still draws 0.2 x 1760 x (1 - 0.75) more, and less by the hour: shown - limit = 88 e^(-x/300), above 1e-9 of the limit until x = 300 ln(88e9 /
  // limit).
  CHECK(r.at(metric::over_limit_s) == 0);
  CHECK(r.at(metric::meter_over_s) == Approx(1500).epsilon(1e-12));
  CHECK(r.at(metric::meter_over_j) == Approx(88 * 300 * (1 - std::exp(-5.0))).epsilon(1e-9));
  CHECK(r.at(metric::requested_j) == Approx(1500 * 0.25 * full).epsilon(1e-12));
  CHECK(r.at(metric::meter_saved_per_gpu_j) == Approx(1.32).epsilon(1e-12));
  spec.duration_s = 9000;
  CHECK(run(spec, rule("proportional")).at(metric::meter_over_s) == Approx(300 * std::log(88e9 / limit)).epsilon(1e-6));
}

TEST_CASE("fans and cooling that lag apart are above a limit for as long as a fine sum of the power rows says") {
  FacilitySpec facility = h200_node();
  facility.fan_lag_s = 40;
  facility.cooling_lag_s = 700;
  auto const curve = make_curve("line", {{200, 0.3}, {650, 1}}, 16);
  auto spec = timeline_of({job("a", curve, 9000), job("b", curve, 4000, 300)}, 32, facility);
  spec.meter_limit = {{0, 30000}, {2000, 22000}, {5000, 26000}};
  spec.metering->outdoor_c = {{0, 20}, {2600, 35}, {2900, 18}, {6000, 5}};
  spec.duration_s = 9000;
  spec.sample_s = 1;
  auto const r = run(spec, rule("proportional"));
  double over_s = 0, over_j = 0, meter_j = 0, peak = 0;
  for (std::size_t i = 0; i + 1 < r.seen.rows.size(); ++i) {
    auto const& row = r.seen.rows[i];
    auto const dt = r.seen.rows[i + 1].time_s - row.time_s, middle = row.meter_shown_w;
    over_s += middle > row.limit_w * (1 + 1e-9) ? dt : 0;
    over_j += std::max(middle - row.limit_w, 0.0) * dt;
    meter_j += middle * dt;
    peak = std::max(peak, middle);
  }
  CHECK(r.at(metric::over_limit_s) == 0);
  CHECK(over_s > 500);
  CHECK(r.at(metric::meter_over_s) == Approx(over_s).margin(5));  // a second for each crossing
  CHECK(r.at(metric::meter_over_j) == Approx(over_j).epsilon(5e-3));
  CHECK(r.at(metric::meter_j) == Approx(meter_j).epsilon(1e-4));
  CHECK(r.at(metric::meter_peak_w) == Approx(peak).epsilon(1e-4));
}

TEST_CASE("limits at several places that move hold at once in every row, and the ledger of components closes in time") {
  Draws draw(41);
  std::vector<Curve> const curves{make_curve("a", {{150, 0.3}, {400, 0.8}, {650, 1}}, 8), make_curve("b", {{250, 0.5}, {690, 1}}, 16),
                                  make_curve("c", {{300, 0.9}, {500, 1}}, 4)};
  double bound_gpu = 0, bound_it = 0, bound_meter = 0;
  for (int k = 0; k < 40; ++k) {
    auto facility = draw.below(2) ? h200_node() : a100_node();
    facility.outdoor_c = draw.between(-5, 38);
    std::vector<TimelineJob> jobs;
    for (int j = 0; j < 12; ++j) {
      auto const& curve = curves[draw.below(3)];
      jobs.push_back(job("j" + std::to_string(j), curve, draw.between(100, 4000), draw.between(0, 3000), 4.0 * static_cast<double>(1 + draw.below(5))));
    }
    auto spec = timeline_of(jobs, 96, facility);
    Facility const site(facility);
    auto const full = site.ledger(12, 96 * 600);
    auto const steps = [&](double w) {
      std::vector<LimitStep> limit;
      for (int i = 0; i < 5; ++i) limit.push_back({1000.0 * i, w * draw.between(0.55, 1.1)});
      return limit;
    };
    spec.limit = steps(96 * 600);
    spec.it_limit = steps(full.it_w());
    spec.meter_limit = steps(full.meter_w());
    spec.metering->outdoor_c = {{500, draw.between(0, 30)}, {2500, draw.between(0, 30)}};
    spec.queue.hold = draw.below(2);  // else floors alone may be above a limit
    for (auto const* name : {"proportional", "oracle"}) {
      auto const r = run(spec, rule(name));
      double gpu_j = 0;
      for (std::size_t i = 0; i < r.seen.rows.size(); ++i) {
        auto const& row = r.seen.rows[i];
        if (spec.queue.hold || r.at(metric::over_limit_s) == 0) {
          CHECK(row.gpu_w <= row.limit_w * (1 + 1e-9));
          CHECK(row.it_w <= row.limit_it_w * (1 + 1e-9));
          CHECK(row.meter_w <= row.limit_meter_w * (1 + 1e-9));
        }
        bound_gpu += row.gpu_w > row.limit_w * (1 - 1e-9);
        bound_it += row.it_w > row.limit_it_w * (1 - 1e-9);
        bound_meter += row.meter_w > row.limit_meter_w * (1 - 1e-9);
        gpu_j += row.gpu_w * ((i + 1 < r.seen.rows.size() ? r.seen.rows[i + 1].time_s : r.at(metric::end_s)) - row.time_s);
      }
      auto const total = std::accumulate(r.seen.joules.begin(), r.seen.joules.end(), 0.0);
      CHECK(total == Approx(r.at(metric::meter_j)).epsilon(1e-12));
      CHECK(std::accumulate(r.seen.joules.begin(), r.seen.joules.begin() + 6, 0.0) == Approx(r.at(metric::it_j)).epsilon(1e-12));
      CHECK(r.seen.joules[0] == Approx(r.at(metric::energy_j)).epsilon(1e-12));
      CHECK(gpu_j == Approx(r.at(metric::energy_j)).epsilon(1e-12));
      // Fans and cooling that start and end at the same load would use what they use without lag; what is between is what is still to be shown at the end.
      facility.fan_lag_s = facility.cooling_lag_s = 0;
      auto at_once = spec;
      at_once.metering->facility = facility;
      auto const steady = run(at_once, rule(name));
      CHECK(steady.at(metric::meter_j) == Approx(steady_meter_j(steady.seen, steady.at(metric::end_s))).epsilon(1e-12));
      CHECK(steady.at(metric::energy_j) == r.at(metric::energy_j));
    }
  }
  CHECK(bound_gpu > 100);
  CHECK(bound_it > 100);
  CHECK(bound_meter > 100);
}

TEST_CASE("a limit at the meter is the same run as the limit of the GPUs that it means, where all nodes are alike") {
  auto const curve = make_curve("line", {{100, 0.2}, {650, 1}}, 16);
  Facility const facility(h200_node());
  auto spec = timeline_of({job("a", curve, 1000), job("b", curve, 1000)}, 32, h200_node());
  auto const limit = 0.8 * facility.meter_w(4, 32 * 650);
  spec.meter_limit = {{0, limit}};
  auto const at_meter = run(spec, rule("proportional"));
  spec.meter_limit.clear();
  spec.limit = {{0, facility.gpu_for_meter(4, limit)}};
  auto const at_gpu = run(spec, rule("proportional"));
  CHECK(at_meter.at(metric::end_s) == Approx(at_gpu.at(metric::end_s)).epsilon(1e-12));
  CHECK(at_meter.at(metric::meter_j) == Approx(at_gpu.at(metric::meter_j)).epsilon(1e-12));
  CHECK(at_meter.at(metric::delivered_j) / at_gpu.at(metric::delivered_j) == Approx(at_meter.at(metric::meter_saved_per_gpu_j)).epsilon(1e-9));
}

TEST_CASE("idle and paused GPUs draw, and their nodes with them") {
  auto const curve = make_curve("line", {{100, 0.25}, {400, 1}}, 8);
  auto facility = h200_node();
  auto spec = timeline_of({job("a", curve, 1000)}, 32, facility);
  spec.duration_s = 2000;
  spec.checkpoint.paused_w = facility.gpu_idle_w;
  auto const r = run(spec, rule("proportional"));
  Facility const site(facility);
  CHECK(r.seen.rows.back().meter_w == Approx(site.meter_w(4, 32 * facility.gpu_idle_w)).epsilon(1e-12));
  std::vector<NodeLoad> const loads{{1, 3200}, {3, 8 * facility.gpu_idle_w}};
  CHECK(r.seen.rows.front().meter_w == Approx(site.ledger(loads).meter_w()).epsilon(1e-12));
  TimelinePolicySpec pause;
  pause.kind = TimelinePolicySpec::Kind::replay;
  pause.label = "pause";
  pause.actions = {{ActionSpec::Kind::pause, 100, "a", 0}, {ActionSpec::Kind::resume, 700, "a", 0}};
  auto const paused = run(spec, pause);
  REQUIRE(paused.seen.rows.size() > 2);
  CHECK(paused.seen.rows[1].time_s == 100);
  CHECK(paused.seen.rows[1].meter_w == Approx(site.meter_w(4, 32 * facility.gpu_idle_w)).epsilon(1e-12));
}

TEST_CASE("energy at the meter is what is paid, price by price, and looking more often changes no bit") {
  auto const curve = make_curve("line", {{100, 0.25}, {400, 1}}, 4);
  auto spec = timeline_of({job("a", curve, 3000), job("b", curve, 1000)}, 8, plain(600));
  spec.price_usd_per_mwh = {{0, 50}, {1500, 100}};
  spec.carbon_g_per_kwh = {{0, 400}};
  auto const r = run(spec, rule("proportional"));
  double const both = 2 * 1760 * 1.2, one = 1760 * 1.2, lagged = 1760 * 0.2;
  auto const first = 1000 * both + 500 * one + lagged * 600 * (1 - std::exp(-500.0 / 600));
  CHECK(r.at(metric::cost_usd) == Approx((50 * first + 100 * (r.at(metric::meter_j) - first)) / 3.6e9).epsilon(1e-12));
  CHECK(r.at(metric::co2_kg) == Approx(0.4 * r.at(metric::meter_j) / 3.6e6).epsilon(1e-12));
  auto often = spec;
  often.sample_s = 7;
  often.price_usd_per_mwh = {{0, 50}, {1500, 100}, {1600, 100}};
  auto const again = run(often, rule("proportional"));
  CHECK(same_bits(again.metrics, r.metrics));
  CHECK(again.seen.rows.size() > r.seen.rows.size() + 300);
}

TEST_CASE("deadlines and agreed speeds are kept under a limit at the meter, too, and a split class is counted job by job") {
  auto const bent = make_curve("bent", {{100, 0.6}, {400, 1}}, 4), straight = make_curve("straight", {{100, 0.25}, {400, 1}}, 4);
  auto jobs = std::vector{job("a", bent, 1000), job("b", bent, 1500), job("c", straight, 1000), job("d", straight, 2000)};
  jobs[2].deadline_s = 1100;
  auto spec = timeline_of(jobs, 16, plain(0));
  spec.meter_limit = {{0, 0.7 * 16 * 400 * 1.32}};
  auto tiers = rule("oracle");
  tiers.kind = TimelinePolicySpec::Kind::deadline;
  tiers.label = "tiers";
  auto const r = run(spec, tiers);
  CHECK(r.at(metric::deadline_misses) == 0);
  CHECK(r.at(metric::over_limit_s) == 0);
  CHECK(run(spec, rule("proportional")).at(metric::deadline_misses) == 1);
  // Steady ratio 1.32 everywhere: the same as a limit of the GPUs.
  auto at_gpu = spec;
  at_gpu.meter_limit.clear();
  at_gpu.limit = {{0, 0.7 * 16 * 400}};
  for (auto const& policy : {rule("oracle"), rule("proportional"), tiers})
    CHECK(run(spec, policy).at(metric::end_s) == Approx(run(at_gpu, policy).at(metric::end_s)).epsilon(1e-9));
}

TEST_CASE("a facility without a number of GPUs and a limit at the meter without a facility are refused") {
  auto const curve = make_curve("line", {{100, 0.25}, {400, 1}}, 4);
  auto spec = timeline_of({job("a", curve, 10)}, std::numeric_limits<double>::infinity(), plain(0));
  CHECK_THROWS_WITH(Timeline(spec), Catch::Contains("cluster.gpus: there is a facility, but it is not said how many GPUs stand in it"));
  TimelineSpec bare;
  bare.jobs = {job("a", curve, 10)};
  bare.meter_limit = {{0, 1000}};
  CHECK_THROWS_WITH(Timeline(bare), Catch::Contains("limit.at: a limit there needs a facility"));
}

}  // namespace wattfill
