#include "wattfill/study/firm_capacity.hpp"

#include <cmath>
#include <deque>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/draws.hpp"
#include "support/timelines.hpp"
#include "wattfill/facility/facility.hpp"
#include "wattfill/study/timeline_study.hpp"

namespace wattfill {
namespace {

using namespace testing;

/// The GPUs alone: the meter shows their draw.
TimelineMetering bare(double reading_s = 900) {
  TimelineMetering metering;
  metering.facility.gpus = 4;
  metering.reading_s = reading_s;
  return metering;
}

TimelineStudySpec study_of(std::vector<TimelineJob> jobs, double gpus, FirmSpec firm, TimelineMetering metering = bare()) {
  TimelineStudySpec study;
  study.run.jobs = std::move(jobs);
  study.run.cluster = {gpus, metering.facility.gpu_idle_w};
  study.run.metering = std::move(metering);
  study.run.duration_s = firm.to_s() + 4 * 3600;
  study.run.probe = ProbeSpec{firm.speed_losses, firm.from_s(), firm.to_s()};
  study.firm = std::move(firm);
  study.policies = {rule("proportional")};
  return study;
}

FirmSpec firm(std::vector<double> losses, std::vector<double> durations_h, std::vector<double> hours) {
  FirmSpec spec;
  spec.speed_losses = std::move(losses);
  spec.confidences = {0.9};
  spec.durations_h = std::move(durations_h);
  spec.hours = std::move(hours);
  return spec;
}

std::vector<double> given_by(TimelineStudySpec const& study, std::uint64_t replication = 0, std::size_t policy = 0) {
  TimelineAside aside;
  run_replication(study, replication, {}, &aside);
  return aside.given.at(policy);
}

/// Weeks of arrivals of these curves.
TimelineStudySpec weeks(std::vector<Curve const*> curves, FirmSpec spec, std::uint64_t replications, TimelineMetering metering) {
  auto study = study_of({}, 64, std::move(spec), std::move(metering));
  study.seed = 9;
  study.arrivals.emplace();
  study.arrivals->rate_per_h = 6;
  study.arrivals->until_s = study.run.duration_s;
  study.arrivals->replications = replications;
  ArrivalGroup group;
  group.name = "g";
  group.curves = std::move(curves);
  group.gpus = {{4, 0.7}, {16, 0.3}};
  group.work = {3600, 9000, {}};
  study.arrivals->groups = {group};
  return study;
}

}  // namespace

TEST_CASE("what can be given is the least over the event, at the loss that was agreed, and the meter says what the GPUs' watts are worth") {
  // From 100 W at a quarter of full speed to 400 W: a loss of 15 % is 60 W of 400 on each of 4 GPUs. Two jobs until 2 h, then one.
  auto const curve = make_curve("line", {{100, 0.25}, {400, 1}}, 4);
  auto const spec = firm({0.15, 0.3}, {1, 3}, {0, 1, 2});
  auto const given = given_by(study_of({job("a", curve, 3600 * 9.0), job("b", curve, 3600 * 2.0)}, 8, spec));
  REQUIRE(given.size() == (2 * 2 + 1) * 6);
  auto const at = [&](std::size_t place, std::size_t loss, std::size_t hour, std::size_t duration) {
    return given[((place * 2 + loss) * 3 + hour) * 2 + duration];
  };
  for (std::size_t place = 0; place < 2; ++place) {
    CHECK(at(place, 0, 0, 0) == Approx(480).epsilon(1e-12));
    CHECK(at(place, 1, 0, 0) == Approx(960).epsilon(1e-12));
    CHECK(at(place, 0, 0, 1) == Approx(240).epsilon(1e-12));  // the third hour has one job
    CHECK(at(place, 0, 1, 0) == Approx(480).epsilon(1e-12));
    CHECK(at(place, 0, 2, 0) == Approx(240).epsilon(1e-12));
  }
  CHECK(given[4 * 6 + 0] == Approx(3200).epsilon(1e-12));                     // uncapped, hours 0 to 1
  CHECK(given[4 * 6 + 1] == Approx((2 * 3200 + 1600) / 3.0).epsilon(1e-12));  // hours 0 to 3
  // 10 % more in cables: a saved watt is worth 1.1.
  auto lossy = bare();
  lossy.facility.distribution_loss = 0.1;
  auto const more = given_by(study_of({job("a", curve, 3600 * 9.0), job("b", curve, 3600 * 2.0)}, 8, spec, lossy));
  CHECK(more[0] == Approx(480).epsilon(1e-12));
  CHECK(more[2 * 6] == Approx(528).epsilon(1e-12));
}

TEST_CASE("a baseline proves what the meter was below it: settled is given plus the baseline's error") {
  auto const curve = make_curve("line", {{100, 0.25}, {400, 1}}, 4);
  auto spec = firm({0.15}, {1}, {4, 6});
  spec.baselines = {BaselineRule::measured_before, BaselineRule::firm_level, BaselineRule::caiso_10_of_10};
  auto study = study_of({job("a", curve, 3600 * 20.0), job("b", curve, 3600 * 5.5)}, 8, spec);
  study.contract.emplace();
  study.contract->terms.baseline.peak_load_w = 3000;
  study.contract->terms.interval_s = 900;
  TimelineAside aside;
  run_replication(study, 0, {}, &aside);
  auto const& given = aside.given.at(0);
  // Places: gpu, meter, then the three rules; two hours each.
  CHECK(given[1 * 2 + 0] == Approx(480).epsilon(1e-12));
  CHECK(given[2 * 2 + 0] == Approx(480).epsilon(1e-12));                // the hour before was as full
  CHECK(given[2 * 2 + 1] == Approx(2400 - 1600 + 240).epsilon(1e-12));  // of the hour before half had two jobs
  CHECK(given[3 * 2 + 0] == Approx(3000 - 3200 + 480).epsilon(1e-12));
  CHECK(given[4 * 2 + 0] == 0);  // there are no days before: nothing is proven
}

TEST_CASE("promises are quantiles over runs with order-statistic intervals, refused where the runs are too few, and the same bits for any threads") {
  auto const a = make_curve("a", {{150, 0.4}, {400, 0.8}, {650, 1}}, 8), b = make_curve("b", {{200, 0.2}, {690, 1}}, 8);
  auto study = weeks({&a, &b}, firm({0.05, 0.1}, {0.5, 2}, {3, 6}), 40, {h200_node(), {}, 900});
  study.firm->confidences = {0.9, 0.99};
  study.policies = {rule("proportional"), rule("oracle")};
  auto const run = [&](unsigned threads) {
    std::vector<std::vector<std::vector<double>>> given(2);
    TimelineOptions options;
    options.aside = [&](std::uint64_t, TimelineAside const& aside) {
      for (std::size_t p = 0; p < 2; ++p) given[p].push_back(aside.given.at(p));
    };
    run_timelines(study, *make_thread_executor(threads), options);
    return given;
  };
  auto const given = run(1);
  CHECK(given == run(3));
  auto const promises = firm_promises(*study.firm, given);
  REQUIRE(promises.size() == 2 * 2 * 2 * 2 * 2 * 2);
  std::size_t dearer = 0;
  for (std::size_t i = 0; i < promises.size(); i += 2) {
    auto const& sure = promises[i];
    CHECK(sure.runs == 40);
    REQUIRE(sure.reduction_w);
    CHECK(sure.reduction_w->low <= sure.reduction_w->value);
    CHECK(sure.reduction_w->value <= sure.reduction_w->high);
    CHECK(sure.reduction_w->value <= sure.mean_w);
    CHECK_FALSE(promises[i + 1].reduction_w);  // 99 % needs 368 runs
    std::size_t const half = promises.size() / 2;
    if (i < half && sure.place == 1) {  // the oracle's watts are the cheapest at the GPUs; at the meter nearly so
      CHECK(promises[half + i].mean_w > 0);
      dearer += promises[half + i].mean_w > sure.mean_w;
    }
    if (i % 4 == 2) CHECK(sure.reduction_w->value <= promises[i - 2].reduction_w->value);  // 2 h against half an hour
  }
  CHECK(dearer > 0);
}

TEST_CASE("a mix whose curves are nowhere slower at equal draws never promises less over time") {
  Draws draws(14);
  for (int trial = 0; trial < 5; ++trial) {
    std::deque<Curve> slow, fast;
    for (int c = 0; c < 3; ++c) {
      std::vector<std::pair<double, double>> low, high;
      double const top = draws.between(400, 700);
      double v = 1, w = 1;
      for (int k = 5; k >= 1; --k) {
        low.insert(low.begin(), {top * k / 5, v});
        high.insert(high.begin(), {top * k / 5, w});
        v *= draws.between(0.6, 0.95);
        w = v + (w - v) * draws.between(0, 1);
      }
      slow.push_back(make_curve("c" + std::to_string(c), low, 8));
      fast.push_back(make_curve("c" + std::to_string(c), high, 8));
    }
    for (auto const* name : {"proportional", "equal-split"}) {
      auto of_slow = weeks({&slow[0], &slow[1], &slow[2]}, firm({0.05, 0.2}, {0.5, 3}, {2, 5}), 4, {h200_node(), {}, 900});
      of_slow.policies = {rule(name)};
      auto of_fast = of_slow;
      of_fast.arrivals->groups[0].curves = {&fast[0], &fast[1], &fast[2]};
      for (std::uint64_t r = 0; r < 4; ++r) {
        auto const a = given_by(of_slow, r), b = given_by(of_fast, r);
        for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(b[i] >= a[i] * (1 - 1e-12));
      }
    }
  }
}

TEST_CASE("what is said to be given is given where the event takes place: the meter is held there, and the loss is what was agreed") {
  auto const a = make_curve("a", {{150, 0.4}, {400, 0.8}, {650, 1}}, 8), b = make_curve("b", {{200, 0.2}, {690, 1}}, 8);
  auto facility = h200_node();
  auto const spec = firm({0.1}, {3}, {6});
  /// GPU seconds of work done by the end of a run.
  auto const done = [](TimelineSpec timeline, double end) {
    timeline.duration_s = end;
    Recorder seen;
    Timeline const prepared(std::move(timeline));
    auto const metrics = prepared.run(rule("proportional"), &seen);
    double sum = 0;
    for (std::size_t j = 0; j < seen.jobs.size(); ++j) sum += prepared.jobs()[j].gpus * (prepared.jobs()[j].work_s - seen.jobs[j].left_s);
    return std::pair(sum, metrics[metric::over_limit_s]);
  };
  double lost = 0, worked = 0;
  for (std::uint64_t r = 0; r < 12; ++r) {
    auto study = weeks({&a, &b}, spec, 12, {facility, {}, 900});
    auto const given_w = given_by(study, r)[1];
    auto plain = timeline_of(study, r).spec();
    plain.probe.reset();
    Recorder free;
    Timeline(plain).run(study.policies[0], &free);
    auto held = plain;  // at every moment of the event at what it would have shown less what was said
    auto const from = spec.from_s(), to = spec.to_s();
    for (std::size_t i = 0; i < free.rows.size(); ++i) {
      auto const begin = free.rows[i].time_s, end = i + 1 < free.rows.size() ? free.rows[i + 1].time_s : to;
      if (end > from && begin < to) held.meter_limit.push_back({std::max(begin, from), free.rows[i].meter_w - given_w});
    }
    auto const in_event = done(plain, to).first - done(plain, from).first;
    auto const [with_event, over_s] = done(held, to);
    CHECK(over_s == 0);
    CHECK(done(plain, to).first - with_event <= 0.1 * in_event * 1.05);  // slower jobs hand their GPUs on later: a twentieth of the loss
    lost += done(plain, to).first - with_event;
    worked += in_event;
  }
  CHECK(lost > 0.02 * worked);  // and the event was felt
}

}  // namespace wattfill
