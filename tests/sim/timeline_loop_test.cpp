// Beliefs apart from the truth, caps set by what is believed, and the correction by what is measured.
#include <cmath>

#include "sim/control_loop.hpp"
#include "sim/timeline_beliefs.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/timelines.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// A job that draws `offset` more than its cap up to its full draw, at a speed that is linear in the draw.
Curve shifted(double offset, double gpus = 1) {
  auto curve = make_curve("shifted", {{100, 1}, {400, 4}}, gpus);
  curve.curve = PowerSpeedCurve({{100 - offset, 100, 1}, {400 - offset, 400, 4}});
  return curve;
}

/// The same job as one believes it to be: it draws its cap.
Curve believed_shifted(double gpus = 1) {
  auto curve = make_curve("shifted", {{100, 1}, {400, 4}}, gpus);
  curve.library = "elsewhere";
  return curve;
}

/// `count` jobs of 100 GPUs that draw 20 W a GPU more than believed. The plant answers each watt of budget with one.
TimelineSpec plant(Curve const& truth, Curve const& believed, double limit_w, double duration_s) {
  TimelineSpec spec;
  spec.jobs = {job("a", truth, 1e9)};
  spec.limit = {{0, limit_w}};
  spec.duration_s = duration_s;
  spec.control.loop = Loop::closed;
  spec.belief.stand_ins = {{&truth, &believed}};
  return spec;
}

/// Largest error of the draw in the rows from `from` on.
double swing(Recorder const& seen, double limit_w, double from) {
  double most = 0;
  for (auto const& p : seen.powers)
    if (p.time_s >= from) most = std::max(most, std::abs(p.power_w - limit_w));
  return most;
}

}  // namespace

TEST_CASE("The bound on the gain is 2 cos(d pi / (2 d + 1)): 2, 1, 0.618, ...") {
  CHECK(delay_bound(0) == Approx(2).epsilon(1e-15));
  CHECK(delay_bound(1) == Approx(1).epsilon(1e-15));
  CHECK(delay_bound(2) == Approx((std::sqrt(5.0) - 1) / 2).epsilon(1e-15));
  for (std::uint32_t d = 0; d < 40; ++d) CHECK(delay_bound(d) == Approx(2 * std::cos(d * M_PI / (2 * d + 1))).epsilon(1e-13));
}

TEST_CASE("The bare loop converges at 0.9 of the bound and diverges at 1.1 of it, for 0 to 5 readings of delay") {
  for (std::uint32_t d = 0; d <= 5; ++d)
    for (double share : {0.9, 1.1}) {
      INFO("lag " << d << ", share " << share);
      SensorSpec sensor;
      sensor.lag = d;
      CorrectionSpec correction;
      correction.gain = share * delay_bound(d);
      ControlLoop loop(sensor, correction, 1, 0);
      double error = 0;
      loop.set(0, 1100, 1000);
      for (int k = 0; k < 600; ++k) {
        loop.act(loop.next(), 1000, {-never, never});
        auto const t = loop.next();
        loop.act(t, 1000, {-never, never});
        error = 100 + loop.correction_w();
        loop.set(t, 1000 + error, 1000);
      }
      if (share < 1)
        CHECK(std::abs(error) < 1e-2);
      else
        CHECK(std::abs(error) > 1e4);
    }
}

TEST_CASE("A fleet that draws more than believed: open loop stays above the limit, closed loop comes to it, in the closed form of its gain") {
  auto const truth = shifted(20, 100), believed = believed_shifted(100);
  auto spec = plant(truth, believed, 25000, 1000);
  spec.control.correction.gain = 0.5;
  auto open = rule("proportional");
  open.loop = Loop::open;
  auto const trusting = run(spec, open);
  // 250 W a GPU are decided, caps of 250 W are set, and 270 W are drawn: 2 kW above the limit, always.
  CHECK(trusting.at(metric::over_limit_s) == 1000);
  CHECK(trusting.at(metric::over_limit_j) == Approx(2000.0 * 1000).epsilon(1e-12));
  CHECK(trusting.at(metric::over_peak_w) == Approx(2000).epsilon(1e-12));
  CHECK(trusting.at(metric::over_1pct_s) == 1000);
  // The reading at 10 s sees it, and each one halves the error: 2 kW x 10 s x (1 + 1/2 + 1/4 + ...).
  auto const corrected = run(spec, rule("proportional"));
  CHECK(corrected.at(metric::over_limit_j) == Approx(2000.0 * 10 * 2).epsilon(1e-6));
  REQUIRE(corrected.seen.powers.size() > 4);
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(corrected.seen.powers[k].time_s == 10.0 * static_cast<double>(k));
    CHECK(corrected.seen.powers[k].power_w - 25000 == Approx(2000 / std::pow(2, k)).epsilon(1e-9));
  }
  // By exact caps nothing is to be corrected.
  auto exact = rule("proportional");
  exact.loop = Loop::exact;
  CHECK(run(spec, exact).at(metric::over_limit_s) == 0);
  // The oracle knows the true curve, and so the caps.
  auto oracle = rule("oracle");
  oracle.loop = Loop::open;
  CHECK(run(spec, oracle).at(metric::over_limit_j) == Approx(0).margin(1e-3));
}

TEST_CASE("The fleet's loop converges at 0.9 of the bound and diverges at 1.1 of it, for 0 to 5 readings of delay") {
  auto const truth = shifted(1, 100), believed = believed_shifted(100);
  for (std::uint32_t d = 0; d <= 5; ++d)
    for (double share : {0.9, 1.1}) {
      INFO("lag " << d << ", share " << share);
      auto spec = plant(truth, believed, 25000, 6000);
      spec.control.sensor.lag = d;
      spec.control.correction.gain = share * delay_bound(d);
      auto const r = run(spec, rule("proportional"));
      CHECK(swing(r.seen, 25000, 0) >= 99.9);  // 1 W a GPU
      if (share < 1)
        CHECK(swing(r.seen, 25000, 5500) < 1);
      else
        CHECK(swing(r.seen, 25000, 5500) > 5000);  // from floors to uncapped
    }
}

TEST_CASE("A reading is the mean over its window, lag readings late; a limit that moves is no error") {
  SensorSpec sensor;
  sensor.duty = 0.25;
  sensor.lag = 1;
  CorrectionSpec correction;
  correction.gain = 1;
  ControlLoop loop(sensor, correction, 1, 0);
  loop.set(0, 500, 1000);
  CHECK(loop.next() == 7.5);
  CHECK(loop.act(7.5, 1000, {-never, never}) == ControlLoop::Told::nothing);
  loop.set(8.75, 700, 1000);  // half of the window at 500 W, half at 700 W
  CHECK(loop.next() == 10);
  CHECK(loop.act(10, 1000, {-never, never}) == ControlLoop::Told::nothing);  // told a reading late
  CHECK(loop.correction_w() == 0);
  loop.act(17.5, 1000, {-never, never});
  loop.set(18, 300, 500);
  CHECK(loop.act(20, 500, {-never, never}) == ControlLoop::Told::reading);
  CHECK(loop.correction_w() == Approx(400).epsilon(1e-12));  // 1000 - 600, not 500 - 600
  loop.act(27.5, 500, {-never, never});
  loop.set(28, 0, never);
  CHECK(loop.act(30, 500, {-never, never}) == ControlLoop::Told::reading);
  CHECK(loop.correction_w() == Approx(400 + 1000 * 0.2 + 500 * 0.8 - 700 * 0.2 - 300 * 0.8).epsilon(1e-12));
  loop.act(37.5, 500, {-never, never});
  CHECK(loop.act(40, 500, {-never, never}) == ControlLoop::Told::reading);  // there was no limit in a part of that window
  CHECK(loop.correction_w() == Approx(620).epsilon(1e-12));
}

TEST_CASE("Anti-windup: a correction without effect does not grow, and is gone at once when it is no longer wanted") {
  auto const truth = shifted(20, 100), believed = believed_shifted(100);
  // At most 42 kW can be drawn. The limit is higher for a long time, then falls: the draw is the open loop's, not above it.
  auto spec = plant(truth, believed, 60000, 2000);
  spec.limit = {{0, 60000}, {1000, 25000}};
  auto const r = run(spec, rule("proportional"));
  CHECK(r.at(metric::over_peak_w) == Approx(2000).epsilon(1e-9));
  // A limit under the floors for a long time, then one in reach: the first draw is that of the open loop.
  spec.limit = {{0, 5000}, {1000, 25000}};
  spec.control.correction.gain = 0.1;
  auto const low = run(spec, rule("proportional"));
  for (auto const& p : low.seen.powers)
    if (p.time_s == 1000) CHECK(p.power_w == Approx(25000 + 2000 - 0).epsilon(0.3));
  CHECK(swing(low.seen, 25000, 1900) < 1);
}

TEST_CASE("Deadband and rate limit hold the correction back as they say") {
  SensorSpec sensor;
  CorrectionSpec correction;
  correction.gain = 1;
  correction.deadband = 0.05;
  correction.rate_w_per_s = 3;
  ControlLoop loop(sensor, correction, 1, 0);
  auto const read = [&](double power) {
    loop.set(loop.next(), power, 1000);
    loop.act(loop.next(), 1000, {-never, never});
    loop.act(loop.next(), 1000, {-never, never});
    return loop.correction_w();
  };
  CHECK(read(1049) == 0);
  CHECK(read(951) == 0);
  CHECK(read(1100) == -30);  // 3 W/s x 10 s
  CHECK(read(700) == 0);
  CHECK(read(940) == 30);
}

TEST_CASE("When telemetry is lost the budget falls by the margin, and goes on from there when it is back") {
  auto const truth = shifted(20, 100), believed = believed_shifted(100);
  auto spec = plant(truth, believed, 25000, 1000);
  spec.control.correction.gain = 1;
  spec.control.correction.fail_safe_margin = 0.2;
  spec.control.sensor.outages = {{500, 600}};  // the readings at 500, 510, 520: fail-safe at 520
  auto const r = run(spec, rule("proportional"));
  REQUIRE(r.seen.count(EventKind::fail_safe) == 1);
  REQUIRE(r.seen.count(EventKind::telemetry_back) == 1);
  for (auto const& e : r.seen.events) {
    if (e.kind == EventKind::fail_safe) CHECK((e.time_s == 520 && e.value == -5000));
    if (e.kind == EventKind::telemetry_back) CHECK(e.time_s == 600);
  }
  CHECK(r.at(metric::unused_j) == Approx(3000 * 80.0).epsilon(1e-6));  // 25 kW - 5 kW + 2 kW drawn
  CHECK(swing(r.seen, 25000, 600) < 1e-6);
  spec.control.sensor.outages = {{0, 2000}};
  CHECK(run(spec, rule("proportional")).at(metric::over_limit_s) == 30);
}

TEST_CASE("Noise and losses are drawn by reading: the same for every policy of a replication, others in another") {
  auto const truth = shifted(20, 100), believed = believed_shifted(100);
  auto spec = plant(truth, believed, 25000, 20000);
  spec.control.sensor.noise = 0.01;
  spec.control.sensor.lost = 0.1;
  auto const once = run(spec, rule("proportional")), again = run(spec, rule("proportional")), split = run(spec, rule("oracle"));
  CHECK(same_bits(once.metrics, again.metrics));
  spec.replication = 1;
  CHECK_FALSE(same_bits(once.metrics, run(spec, rule("proportional")).metrics));
  // The error settles at a standard deviation of noise x limit x sqrt(K / (2 - K)) = 250 W x 0.577 for K = 1/2.
  double sum = 0, n = 0;
  for (auto const& p : once.seen.powers)
    if (p.time_s > 1000) sum += (p.power_w - 25000) * (p.power_w - 25000), ++n;
  CHECK(n > 1500);
  CHECK(std::sqrt(sum / n) == Approx(250 / std::sqrt(3.0)).epsilon(0.1));
  CHECK(split.at(metric::over_peak_w) > 0);
}

TEST_CASE("Without noise, loss or error of belief a closed loop is the exact run") {
  Draws draws(4);
  auto curves = random_curves(draws, 4);
  TimelineSpec spec;
  for (int j = 0; j < 30; ++j) spec.jobs.push_back(job("j" + std::to_string(j), curves[draws.below(4)], draws.between(100, 5000), draws.between(0, 2000)));
  for (int k = 0; k < 20; ++k) spec.limit.push_back({200.0 * k, draws.between(20000, 90000)});
  spec.cluster = {4000, 20};
  for (auto const& name : {"proportional", "oracle", "quadratic"}) {
    INFO(name);
    auto exact = rule(name), closed = rule(name);
    closed.loop = Loop::closed;
    auto const a = run(spec, exact), b = run(spec, closed);
    for (std::size_t j = 0; j < spec.jobs.size(); ++j) CHECK(b.seen.jobs[j].finish_s == Approx(a.seen.jobs[j].finish_s).epsilon(1e-6));
    CHECK(b.at(metric::energy_j) == Approx(a.at(metric::energy_j)).epsilon(1e-6));
    double jobs = 0;
    for (auto const& row : b.seen.jobs) jobs += row.energy_j;
    CHECK(b.at(metric::energy_jobs_j) == Approx(jobs).epsilon(1e-12));
    CHECK(b.seen.energy(b.at(metric::end_s)) == Approx(b.at(metric::energy_j)).epsilon(1e-12));
  }
}

TEST_CASE("Wrong beliefs cut the wrong job; seen speeds put that right at the first reading") {
  // `frail` loses a speed of 0.5 by a cut to a quarter, `tough` 0.1. One believes the reverse.
  auto const frail = make_curve("frail", {{100, 5}, {400, 10}}), tough = make_curve("tough", {{100, 9}, {400, 10}});
  auto as_frail = frail, as_tough = tough;
  as_frail.curve = tough.curve;
  as_tough.curve = make_curve("t", {{100, 6}, {400, 10}}).curve;
  TimelineSpec spec;
  spec.jobs = {job("f", frail, 1e6), job("t", tough, 1e6)};
  spec.limit = {{0, 650}};
  spec.duration_s = 1000;
  auto const speeds = [&](Loop loop, bool wrong) {
    spec.belief.stand_ins.clear();
    if (wrong) spec.belief.stand_ins = {{&frail, &as_frail}, {&tough, &as_tough}};
    spec.control.loop = loop;
    return run(spec, rule("pfi-ranked")).at(metric::tokens);
  };
  // Right: the tough job draws 250 W (speed 9.5). Wrong: the frail one does (7.5).
  CHECK(speeds(Loop::exact, false) == Approx(19500).epsilon(1e-12));
  CHECK(speeds(Loop::exact, true) == Approx(17500).epsilon(1e-12));
  CHECK(speeds(Loop::closed, true) == Approx(17500).epsilon(1e-9));
  // Only the job that is cut is seen. Its loss is five times the believed one: its PFI falls from 7.5 to 1.5, below the 1.875 that one believes of the other;
  // from the first reading on that one is cut, and seen in turn.
  auto const learned = speeds(Loop::learning, true);
  CHECK(learned == Approx(10 * 17.5 + 990 * 19.5).epsilon(1e-9));
}

TEST_CASE("Beliefs are those of the study in every source: an error of 0 changes no bit, and the oracle knows the truth whatever is believed") {
  Draws draws(8);
  auto curves = random_curves(draws, 6);
  TimelineSpec spec;
  for (int j = 0; j < 40; ++j) spec.jobs.push_back(job("j" + std::to_string(j), curves[draws.below(6)], draws.between(100, 5000), draws.between(0, 2000), 8));
  for (int k = 0; k < 20; ++k) spec.limit.push_back({200.0 * k, draws.between(20000, 60000)});
  auto const measured = run(spec, rule("quadratic")), best = run(spec, rule("oracle"));
  spec.belief.source = PfiSource::noisy;
  CHECK(same_bits(run(spec, rule("quadratic")).metrics, measured.metrics));
  spec.belief.rmse = 0.5;
  CHECK_FALSE(same_bits(run(spec, rule("quadratic")).metrics, measured.metrics));
  CHECK(same_bits(run(spec, rule("oracle")).metrics, best.metrics));
  auto perfect = rule("quadratic");
  perfect.rule.knows = Knowledge::perfect;
  CHECK(same_bits(run(spec, perfect).metrics, measured.metrics));
  auto shrunk = perfect;
  shrunk.rule.knows = Knowledge::shrunk;
  CHECK_FALSE(same_bits(run(spec, shrunk).metrics, measured.metrics));
}

TEST_CASE("A loop keeps no run alive for ever, and one that reads too often is refused") {
  Curve const stops = make_curve("stops", {{100, 0}, {400, 10}});
  TimelineSpec spec;
  spec.jobs = {job("a", stops, 100)};
  spec.limit = {{40, 100}};
  spec.control.loop = Loop::closed;
  auto const r = run(spec, rule("proportional"));
  CHECK(r.at(metric::unfinished) == 1);
  CHECK(r.at(metric::end_s) <= 40 + 1001 * 10);
  spec.control.sensor.period_s = 1e-3;
  spec.duration_s = 1e6;
  CHECK(refusal([&] { run(spec, rule("proportional")); }) ==
        "control.sensor.period_s: more than 5000000 readings are taken in one run; raise period_s, or end the run earlier (duration_s)");
}
