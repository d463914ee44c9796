#include "study/metered_run.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/timelines.hpp"

namespace wattfill {
namespace {

using namespace testing;

/// Two jobs of 4 GPUs that run for two days; a fifth of the IT load goes into cooling with the given lag. Baseline: the hour before.
TimelineStudySpec study_of(Curve const& curve, double cooling_lag_s, bool follow) {
  TimelineStudySpec study;
  study.run.jobs = {job("a", curve, 2 * 86400.0), job("b", curve, 2 * 86400.0)};
  study.run.cluster = {8, 0};
  study.run.metering.emplace();
  auto& facility = study.run.metering->facility;
  facility.gpus = 4;
  facility.chiller.capacity_w = 5;
  facility.chiller.cop = 1;
  facility.chiller.part_load = {0, 0.2, 0};
  facility.cooling_lag_s = cooling_lag_s;
  study.run.metering->reading_s = 300;
  study.run.duration_s = 86400;
  study.policies = {rule("proportional")};
  study.start = 1780000000 - 1780000000 % 86400;
  study.contract.emplace();
  study.contract->follow = follow;
  auto& terms = study.contract->terms;
  terms.baseline.rule = BaselineRule::measured_before;
  terms.committed_w = 600;
  terms.interval_s = 900;
  terms.performance_usd_per_mwh = 400;
  terms.penalty_usd_per_mwh = 1000;
  terms.events = {{study.start + 36000.0, study.start + 36000.0 + 7200, std::nullopt, std::nullopt}};
  return study;
}

TimelineMetrics metrics_of(TimelineStudySpec const& study, TimelineAside* aside = nullptr, TimelineObserver* observer = nullptr) {
  auto const row = run_replication(
      study, 0, [&](std::size_t, Timeline const&) { return observer; }, aside);
  TimelineMetrics metrics{};
  std::copy(row.begin(), row.end(), metrics.begin());
  return metrics;
}

}  // namespace

TEST_CASE("a contract that is followed is delivered to the watt, and pays and costs what its terms say") {
  auto const curve = make_curve("line", {{100, 0.25}, {400, 1}}, 4);
  TimelineAside aside;
  Recorder seen;
  auto const m = metrics_of(study_of(curve, 0, true), &aside, &seen);
  // 8 x 400 W x 1.2 = 3840 W before; 3240 W in the event: 337.5 W a GPU, speed 0.84375.
  REQUIRE(aside.settlements.size() == 1);
  REQUIRE(aside.settlements[0].intervals.size() == 8);
  for (auto const& i : aside.settlements[0].intervals) {
    CHECK(i.baseline_w == Approx(3840).epsilon(1e-12));
    CHECK(i.metered_w == Approx(3240).epsilon(1e-9));
    CHECK(i.shortfall_w == Approx(0).margin(1e-6));
  }
  CHECK(m[metric::settled_required_wh] == Approx(1200).epsilon(1e-12));
  CHECK(m[metric::settled_delivered_wh] == Approx(1200).epsilon(1e-9));
  CHECK(m[metric::settled_performance] == Approx(1).epsilon(1e-9));
  CHECK(m[metric::settled_usd] == Approx(0.0012 * 400).epsilon(1e-9));
  CHECK(std::isnan(m[metric::baseline_rrmse]));  // there is no other day
  // Work lost: 7200 s x 0.15625 on each job, at full draw otherwise.
  CHECK(m[metric::energy_j] == Approx(86400 * 3200.0 - 7200 * 500.0).epsilon(1e-9));
  CHECK(m[metric::over_limit_s] == 0);
  CHECK(seen.count(EventKind::limit_meter) == 2);
}

TEST_CASE("without an event in the run nothing is delivered, and all of it is short") {
  auto const curve = make_curve("line", {{100, 0.25}, {400, 1}}, 4);
  auto study = study_of(curve, 0, false);
  auto const m = metrics_of(study);
  CHECK(m[metric::settled_delivered_wh] == Approx(0).margin(1e-9));
  CHECK(m[metric::settled_shortfall_wh] == Approx(1200).epsilon(1e-12));
  CHECK(m[metric::settled_usd] == Approx(-1.2).epsilon(1e-12));
  CHECK(m[metric::settled_performance] == Approx(0).margin(1e-12));
  // A limit of one's own is settled like any other.
  study.run.meter_limit = {{36000, 3540}, {43200, 1e9}};
  CHECK(metrics_of(study)[metric::settled_delivered_wh] == Approx(600).epsilon(1e-9));
}

TEST_CASE("cooling that lags behind leaves the first intervals short, and a lead makes good for it") {
  auto const curve = make_curve("line", {{100, 0.25}, {400, 1}}, 4);
  auto study = study_of(curve, 600, true);
  TimelineAside aside;
  auto const late = metrics_of(study, &aside);
  // The chiller's 100 W come down with e^(-t/600): over the first 900 s 100 x 600/900 (1 - e^-1.5) W are missing.
  CHECK(aside.settlements[0].intervals[0].shortfall_w == Approx(100 * 600.0 / 900 * (1 - std::exp(-1.5))).epsilon(1e-9));
  CHECK(late[metric::settled_shortfall_wh] == Approx(100 * 600.0 / 3600 * (1 - std::exp(-12.0))).epsilon(1e-9));
  CHECK(late[metric::meter_over_s] > 7000);
  study.contract->lead_s = 3600;
  study.contract->terms.baseline.gap_s = 3600;  // else the lead would lower the baseline that is measured then
  CHECK(metrics_of(study)[metric::settled_shortfall_wh] < 0.003 * late[metric::settled_shortfall_wh]);
}

TEST_CASE("events without length, one after the other and across midnight are followed, and without a baseline nothing is") {
  auto const curve = make_curve("line", {{100, 0.25}, {400, 1}}, 4);
  auto study = study_of(curve, 0, true);
  study.run.duration_s = 2 * 86400 - 3600;
  auto& terms = study.contract->terms;
  terms.baseline.rule = BaselineRule::firm_level;
  terms.baseline.peak_load_w = 3840;
  auto const at = [&](double t) { return study.start + t; };
  terms.events = {{at(7000), at(7000), {}, {}}, {at(36000), at(39600), {}, {}}, {at(39600), at(43200), {}, 300.0}, {at(84600), at(88200), {}, {}}};
  auto const m = metrics_of(study);
  CHECK(m[metric::settled_required_wh] == Approx(600 + 300 + 600).epsilon(1e-12));
  CHECK(m[metric::settled_delivered_wh] == Approx(1500).epsilon(1e-9));
  CHECK(m[metric::energy_j] == Approx((2 * 86400 - 3600) * 3200.0 - 3600 * (500 + 250 + 500.0)).epsilon(1e-9));
  terms.baseline.rule = BaselineRule::caiso_10_of_10;  // there are no ten days before
  auto const none = metrics_of(study);
  CHECK(none[metric::settled_delivered_wh] == 0);
  CHECK(none[metric::energy_j] == Approx((2 * 86400 - 3600) * 3200.0).epsilon(1e-12));
}

}  // namespace wattfill
