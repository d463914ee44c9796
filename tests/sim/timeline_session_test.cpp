#include "wattfill/sim/timeline_session.hpp"

#include <algorithm>
#include <map>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/draws.hpp"
#include "support/timelines.hpp"
#include "wattfill/core/error.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
using Kind = ActionSpec::Kind;
using JobState = TimelineSession::JobState;

/// One GPU, 100 to 400 W, speed in proportion.
Curve const& line() {
  static auto const curve = make_curve("line", {{100, 0.25}, {400, 1}}, 1);
  return curve;
}

TimelineSpec two_jobs() {
  TimelineSpec spec;
  spec.jobs = {job("a", line(), 1000), job("b", line(), 1000, 500)};
  spec.limit = {{0, 900}, {600, 500}};
  return spec;
}

/// A session that is driven by a list, from instant to instant.
TimelineMetrics drive(Timeline const& timeline, std::vector<ActionSpec> actions, Recorder& seen) {
  std::ranges::stable_sort(actions, {}, &ActionSpec::time_s);
  std::map<std::string, std::uint32_t> number;
  for (std::uint32_t j = 0; j < timeline.jobs().size(); ++j) number[timeline.jobs()[j].id] = j;
  std::vector<std::pair<std::uint32_t, double>> resizes;
  for (auto const& a : actions)
    if (a.kind == Kind::resize) resizes.emplace_back(number.at(a.job), a.value);
  TimelineSession session(timeline, resizes, &seen);
  for (auto const& a : actions) {
    session.advance(a.time_s);
    if (session.over()) break;
    session.act(a.kind, number.at(a.job), a.value);
  }
  while (!session.over() && session.next_event_s() < never) session.advance(session.next_event_s());
  return session.finish();
}

}  // namespace

TEST_CASE("a controller sees limit and jobs, caps them at once, and the run goes on by what it did") {
  Timeline const timeline(two_jobs());
  TimelineSession session(timeline);
  CHECK(session.time_s() == 0);
  CHECK(session.next_event_s() == 500);
  auto seen = session.observe();
  CHECK(seen.gpu_w == 400);
  CHECK(seen.limit_w == 900);
  CHECK(std::isnan(seen.meter_w));
  CHECK(seen.jobs[0].state == JobState::working);
  CHECK(seen.jobs[0].cap_w == never);
  CHECK(seen.jobs[1].state == JobState::to_come);
  session.advance(600);
  seen = session.observe();
  CHECK(seen.gpu_w == 800);
  CHECK(seen.limit_w == 500);
  CHECK(seen.jobs[0].left_s == Approx(400).epsilon(1e-15));
  CHECK(seen.jobs[0].energy_j == Approx(240000).epsilon(1e-15));
  session.act(Kind::cap, 0, 100);
  seen = session.observe();
  CHECK(seen.gpu_w == 500);
  CHECK(seen.jobs[0].speed == 0.25);
  CHECK(seen.jobs[0].cap_w == 100);
  // b is done at 1500, a has 400 s left at a quarter of its speed: at 2200, but uncapped from 1500 on it has 175 s left.
  session.advance(1500);
  CHECK(session.observe().jobs[1].state == JobState::finished);
  CHECK(session.observe().jobs[0].left_s == Approx(175).epsilon(1e-13));
  session.act(Kind::cap, 0, never);
  CHECK(session.next_event_s() == Approx(1675).epsilon(1e-13));
  CHECK_FALSE(session.over());
  session.advance(5000);
  CHECK(session.over());
  CHECK(session.time_s() == Approx(1675).epsilon(1e-13));
  auto const m = session.finish();
  CHECK(m[metric::finished] == 2);
  CHECK(m[metric::over_limit_s] == 0);
  CHECK(m[metric::over_peak_w] == 0);  // it acts in no time
  CHECK(m[metric::energy_j] == Approx(1000 * 400 + 600 * 400 + 900 * 100 + 175 * 400).epsilon(1e-13));
}

TEST_CASE("the actions of a session, replayed as a list, give its power rows and metrics to the bit, whatever is done") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Draws draws(seed);
    auto const curves = random_curves(draws, 4);
    TimelineSpec spec;
    for (std::size_t j = 0; j < 6; ++j)
      spec.jobs.push_back(
          job("j" + std::to_string(j), curves[draws.below(4)], 200.0 + static_cast<double>(draws.below(2000)), static_cast<double>(draws.below(3)) * 400.5));
    spec.cluster = {200, 40};
    spec.limit = {{0, 60000}, {700.25, 9000}, {1400.75, 60000}};
    spec.checkpoint = {20, 90, 30, 15, 80};
    spec.checkpoint.period_s = 300;
    spec.checkpoint.length_s = 10;
    spec.checkpoint.draw_w = 85;
    if (seed % 2 == 0) spec.duration_s = 2500;
    if (seed % 3 == 0) spec.control.settle_s = 5;
    TimelinePolicySpec replay;
    replay.kind = TimelinePolicySpec::Kind::replay;
    for (std::size_t k = 0; k < 25; ++k) {
      auto const kind = std::array{Kind::cap, Kind::cap, Kind::cap, Kind::pause, Kind::resume, Kind::resize}[draws.below(6)];
      auto const j = draws.below(6);
      auto const time = k % 5 == 0 ? 700.25 : 0.125 + static_cast<double>(draws.below(2000));
      replay.actions.push_back(
          {kind, time, "j" + std::to_string(j), kind == Kind::cap ? 150.0 + static_cast<double>(draws.below(400)) : 1.0 + static_cast<double>(draws.below(3))});
    }
    for (std::size_t j = 0; j < 6; ++j) replay.actions.push_back({Kind::resume, 2100, "j" + std::to_string(j), 0});  // so that all get on
    Timeline const timeline(std::move(spec));
    Recorder listed, driven;
    auto const by_list = timeline.run(replay, &listed);
    auto const by_hand = drive(timeline, replay.actions, driven);
    INFO("seed " << seed);
    for (std::size_t m = 0; m < metric::count; ++m) {
      INFO(metric_table()[m].column << ": " << by_list[m] << " as a list");
      CHECK(same_bits(by_list[m], by_hand[m]));
    }
    CHECK(listed.events == driven.events);
    CHECK(listed.powers == driven.powers);
  }
}

TEST_CASE("a session goes on while jobs are paused, and ends with the timeline") {
  auto spec = two_jobs();
  spec.duration_s = 4000;
  Timeline const timeline(std::move(spec));
  TimelineSession session(timeline);
  session.act(Kind::pause, 0);
  session.advance(550);
  session.act(Kind::pause, 1);
  session.advance(2000);
  CHECK(session.next_event_s() == 4000);
  CHECK_FALSE(session.over());
  CHECK(session.observe().gpu_w == 0);
  session.act(Kind::resume, 0);
  session.advance(1e9);
  CHECK(session.over());
  CHECK(session.time_s() == 4000);
  CHECK(session.observe().jobs[0].state == JobState::finished);
  CHECK(session.observe().jobs[1].state == JobState::paused);
  CHECK(session.finish()[metric::end_s] == 4000);
}

TEST_CASE("what a controller cannot do is refused with the reason") {
  Timeline const timeline(two_jobs());
  std::vector<std::pair<std::uint32_t, double>> const sizes{{0, 2}};
  TimelineSession session(timeline, sizes);
  session.advance(100);
  CHECK(refusal([&] { session.advance(50); }) == "the run cannot advance to 50 s (it stands at 100 s); give a later time that is finite");
  CHECK(refusal([&] { session.advance(never); }) == "the run cannot advance to inf s (it stands at 100 s); give a later time that is finite");
  CHECK(refusal([&] { session.act(Kind::cap, 2, 100); }) == "there is no job 2; this timeline has 2, counted from 0");
  CHECK(refusal([&] { session.act(Kind::cap, 0, std::nan("")); }) == "a cap of nan W for job a is not possible; give one above 0");
  CHECK(refusal([&] { session.act(Kind::resize, 0, 3); }) ==
        "job a cannot be resized to 3 GPUs, which were not announced when the session was opened; announce them there");
  session.act(Kind::resize, 0, 2);
  CHECK(session.observe().jobs[0].gpus == 2);
  std::vector<std::pair<std::uint32_t, double>> const stranger{{7, 2}}, none{{1, 0}};
  CHECK(refusal([&] { TimelineSession(timeline, stranger); }) == "there is no job 7 to resize; this timeline has 2, counted from 0");
  CHECK(refusal([&] { TimelineSession(timeline, none); }) == "job b cannot be resized to 0 GPUs; give a number above 0");
  session.finish();
  CHECK(refusal([&] { session.advance(200); }) == "the run has been finished (its results are complete); open another session");
}
