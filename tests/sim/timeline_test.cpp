// One job, equal jobs, and the rows of field-reports that concern time, energy, budget and termination, with values worked out by hand.
#include <malloc.h>

#include "wattfill/sim/timeline.hpp"

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"
#include "support/timelines.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Two GPUs a job, 100 W at half speed, 400 W at full.
Curve const& steady() {
  static Curve const curve = make_curve("steady", {{100, 5}, {400, 10}}, 2);
  return curve;
}

TimelineSpec one_job(std::vector<LimitStep> limit = {}) {
  TimelineSpec spec;
  spec.jobs = {job("a", steady(), 1000)};
  spec.limit = std::move(limit);
  return spec;
}

bool same(Run const& a, Run const& b) {
  if (!same_bits(a.metrics, b.metrics)) return false;
  for (std::size_t j = 0; j < a.seen.jobs.size(); ++j)
    if (!same_bits(a.seen.jobs[j].finish_s, b.seen.jobs[j].finish_s) || !same_bits(a.seen.jobs[j].energy_j, b.seen.jobs[j].energy_j)) return false;
  return true;
}

}  // namespace

TEST_CASE("Without a limit a job runs at full speed and draws all it wants") {
  auto const r = run(one_job(), rule("proportional"));
  CHECK(r.seen.jobs[0].finish_s == 1000);
  CHECK(r.seen.jobs[0].energy_j == 2 * 400 * 1000.0);
  CHECK(r.at(metric::energy_j) == 800000);
  CHECK(r.at(metric::slowdown_mean) == 1);
  CHECK(r.at(metric::tokens) == 10000);  // speed 10
  CHECK(r.at(metric::requested_j) == 0);
}

TEST_CASE("Cap change in mid-job: progress is booked before the supply changes, and the new speed is used from then on") {
  // 300 s at full speed, then 200 W for the two GPUs: 100 W each, half speed: 700 s of work take 1400 s.
  auto const r = run(one_job({{300, 200}}), rule("proportional"));
  CHECK(r.seen.jobs[0].finish_s == 300 + 1400);
  CHECK(r.at(metric::energy_j) == 800 * 300 + 200 * 1400.0);
  CHECK(r.at(metric::slowdown_worst) == 1.7);
  CHECK(r.at(metric::requested_j) == (800 - 200) * 1400.0);
  CHECK(r.at(metric::delivered_j) == (800 - 200) * 1400.0);
  CHECK(r.at(metric::over_limit_s) == 0);
}

TEST_CASE("Energy before a change is booked at the old watts, and splitting a segment changes no bit") {
  auto const plain = run(one_job({{0, 700}, {300, 321}, {777, 555}}), rule("proportional"));
  auto const split = run(one_job({{0, 700}, {100, 700}, {200, 700}, {300, 321}, {301, 321}, {777, 555}, {778.25, 555}}), rule("proportional"));
  CHECK(same(plain, split));
  CHECK(plain.seen.powers == split.seen.powers);
  auto watched = one_job({{0, 700}, {300, 321}, {777, 555}});
  watched.carbon_g_per_kwh = {{33, 0}, {34, 0}, {500, 0}};  // instants at which nothing changes
  watched.sample_s = 0.7;
  auto const sampled = run(watched, rule("proportional"));
  auto metrics = sampled.metrics;
  metrics[metric::co2_kg] = plain.metrics[metric::co2_kg];
  CHECK(same_bits(metrics, plain.metrics));
}

TEST_CASE("A run that would be sampled without end is refused, by the number of rows, before it fills a disk") {
  auto spec = one_job();
  spec.jobs[0].work_s = 1e12;
  spec.sample_s = 300;
  CHECK_THROWS_WITH(run(spec, rule("proportional")), Catch::Contains("sample_s: power.csv would have more than 2000000 sampled rows"));
}

TEST_CASE("The total does not depend on the sampling interval: sampling is observation only") {
  auto spec = one_job({{300, 321}});
  auto const plain = run(spec, rule("oracle"));
  spec.sample_s = 60;
  auto const sampled = run(spec, rule("oracle"));
  CHECK(same(plain, sampled));
  CHECK(sampled.seen.powers.size() > plain.seen.powers.size() + 15);
  CHECK(sampled.seen.powers[1].time_s == 60);  // the k-th sample is at k x interval, computed and never accumulated
  CHECK(sampled.seen.energy(sampled.at(metric::end_s)) == Approx(plain.at(metric::energy_j)).epsilon(1e-12));
}

TEST_CASE("Energy is integrated from 0 to the end, through constant stretches") {
  TimelineSpec spec;
  spec.jobs = {job("late", steady(), 100, 5000)};
  spec.cluster = {8, 50};
  spec.duration_s = 10000;
  auto const r = run(spec, rule("proportional"));
  CHECK(r.at(metric::energy_idle_j) == 8 * 50 * 5000 + 6 * 50 * 100 + 8 * 50 * 4900.0);
  CHECK(r.at(metric::energy_j) == r.at(metric::energy_idle_j) + 800 * 100.0);
  CHECK(r.seen.energy(10000) == r.at(metric::energy_j));
  CHECK(r.at(metric::end_s) == 10000);
}

TEST_CASE("The ledger closes: jobs, overhead and idle GPUs add up to the integral of power, and jobs to their share") {
  Draws draws(11);
  auto const curves = random_curves(draws, 5);
  TimelineSpec spec;
  spec.cluster = {120, 40};
  for (int j = 0; j < 60; ++j)
    spec.jobs.push_back(job("j" + std::to_string(j), curves[draws.below(5)], draws.between(0, 5000), draws.between(0, 4000), 1 + double(draws.below(16))));
  for (int k = 0; k < 50; ++k) spec.limit.push_back({100.0 * k, draws.between(3000, 40000)});
  spec.checkpoint = {30, 90, 60, 20, 120, 700, 12, 80};
  for (auto const& name : {"proportional", "oracle", "equal-split", "quadratic"}) {
    INFO(name);
    auto const r = run(spec, rule(name));
    double jobs = 0;
    for (auto const& row : r.seen.jobs) jobs += row.energy_j;
    CHECK(r.at(metric::energy_jobs_j) + r.at(metric::energy_overhead_j) == Approx(jobs).epsilon(1e-12));
    CHECK(r.seen.energy(r.at(metric::end_s)) == Approx(r.at(metric::energy_j)).epsilon(1e-12));
    CHECK(r.at(metric::energy_overhead_j) > 0);
    CHECK(r.at(metric::finished) == 60);
  }
}

TEST_CASE("Zero speed is an ordinary state: no NaN, and the job goes on when watts come back") {
  Curve const stops = make_curve("stops", {{100, 0}, {400, 10}});
  TimelineSpec spec;
  spec.jobs = {job("a", stops, 100)};
  spec.limit = {{40, 100}, {1040, 400}};
  auto const r = run(spec, rule("proportional"));
  CHECK(r.seen.jobs[0].finish_s == 1100);
  CHECK(r.at(metric::energy_j) == 40 * 400 + 1000 * 100 + 60 * 400.0);
}

TEST_CASE("A run in which nothing can move any more ends, and says what is unfinished") {
  Curve const stops = make_curve("stops", {{100, 0}, {400, 10}});
  TimelineSpec spec;
  spec.jobs = {job("a", stops, 100), job("b", stops, 100, 20)};
  spec.limit = {{40, 100}};
  spec.checkpoint.period_s = 10;  // checkpoints of its own go on for ever
  spec.checkpoint.length_s = 1;
  auto const r = run(spec, rule("proportional"));
  CHECK(r.at(metric::unfinished) == 2);
  CHECK(r.at(metric::finished) == 0);
  CHECK(std::isnan(r.seen.jobs[0].finish_s));
  CHECK(std::isnan(r.at(metric::slowdown_mean)));
}

TEST_CASE("Jobs of no work, jobs at 0 and no jobs at all are ordinary") {
  TimelineSpec spec;
  spec.cluster.gpus = 2;
  CHECK(run(spec, rule("oracle")).at(metric::end_s) == 0);
  spec.jobs = {job("a", steady(), 0), job("b", steady(), 0), job("c", steady(), 10), job("d", steady(), 0)};
  auto const r = run(spec, rule("oracle"));
  CHECK(r.at(metric::finished) == 4);
  CHECK(r.seen.jobs[0].finish_s == 0);
  CHECK(r.seen.jobs[3].finish_s == 10);  // it waits for the GPUs, then is done at once
  CHECK(r.at(metric::energy_j) == 8000);
}

TEST_CASE("An unschedulable job is refused at load with its reason") {
  auto spec = one_job();
  spec.cluster.gpus = 1;
  CHECK(refusal([&] { Timeline{spec}; }) ==
        "jobs.a: it asks for 2 GPUs and the cluster has 1 (it could never start, and would block the queue for ever); give it fewer or the cluster more");
  spec.cluster.gpus = 2;
  spec.queue.hold = true;
  spec.limit = {{0, 150}};
  CHECK(refusal([&] { Timeline{spec}; }) ==
        "jobs.a: its floor is 200 W and the limit never allows more than 150 W (held back, it could never start, and would block the queue for ever); "
        "admit jobs at once, or raise the limit");
  spec.jobs.push_back(spec.jobs.front());
  spec.limit.clear();
  CHECK(refusal([&] { Timeline{spec}; }) == "jobs.a: two jobs have this id (their rows could not be told apart); give one another");
  spec.jobs.pop_back();
  spec.cluster = {never, 50};
  CHECK(refusal([&] { Timeline{spec}; }) == "cluster.idle_w: idle GPUs draw power, but it is not said how many GPUs there are; add cluster.gpus");
  for (double bad : {-1.0, double(NAN), never}) {
    auto wrong = one_job();
    wrong.jobs[0].work_s = bad;
    CHECK_FALSE(refusal([&] { Timeline{wrong}; }).empty());
    wrong.jobs[0].work_s = 1;
    wrong.jobs[0].submit_s = bad;
    CHECK_FALSE(refusal([&] { Timeline{wrong}; }).empty());
  }
}

TEST_CASE("All events of one instant are drained, then watts are divided once") {
  TimelineSpec spec;
  spec.cluster.gpus = 4;
  // At 100: a and b finish, the limit changes, c and d come, start.
  spec.jobs = {job("a", steady(), 100), job("b", steady(), 100), job("c", steady(), 50, 100), job("d", steady(), 50, 100)};
  spec.limit = {{100, 800}};
  auto const r = run(spec, rule("proportional"));
  std::vector<double> times;
  for (auto const& p : r.seen.powers) times.push_back(p.time_s);
  // 800 W for four GPUs: 200 W each, 1/2 + 1/6 of full speed: 50 s take 75 s.
  CHECK(times == std::vector<double>{0, 100, 175});
  std::vector<EventKind> kinds;
  for (auto const& e : r.seen.events)
    if (e.time_s == 100) kinds.push_back(e.kind);
  using enum EventKind;
  CHECK(kinds == std::vector{finish, finish, limit, submit, submit, start, start});
}

TEST_CASE("A plan below the floors is a defined state: floors and a reported excess") {
  auto const r = run(one_job({{0, 150}}), rule("oracle"));
  CHECK(r.seen.powers.front().power_w == 200);
  CHECK(r.at(metric::over_limit_s) == 2000);
  CHECK(r.at(metric::over_limit_j) == 50 * 2000.0);
  CHECK(r.at(metric::slowdown_worst) == 2);
}

TEST_CASE("A minimum speed bounds how far a job is stretched") {
  auto spec = one_job({{0, 200}});
  spec.jobs[0].terms.min_speed = 0.75;  // 250 W a GPU
  auto const r = run(spec, rule("proportional"));
  CHECK(r.at(metric::slowdown_worst) == Approx(1 / 0.75).epsilon(1e-12));
  CHECK(r.seen.powers.front().power_w == Approx(500).epsilon(1e-12));
}

TEST_CASE("No watts are left unused that could be used, and nobody draws more than uncapped") {
  TimelineSpec spec;
  Curve const small = make_curve("small", {{50, 1}, {100, 2}});
  spec.jobs = {job("a", steady(), 100), job("b", small, 1e6)};
  spec.limit = {{0, 850}};
  for (auto const& name : {"equal-split", "proportional", "oracle", "headroom-fair"}) {
    auto const r = run(spec, rule(name));
    CHECK(r.seen.powers.front().power_w == Approx(850).epsilon(1e-12));
    CHECK(r.seen.powers.back().power_w == 0);
    CHECK(r.seen.powers[r.seen.powers.size() - 2].power_w == 100);
  }
}

TEST_CASE("Time to the limit, rebound and cost have their values on a small event") {
  auto spec = one_job({{0, 800}, {500, 100}, {700, 800}});
  spec.price_usd_per_mwh = {{0, 36}, {500, 72}};
  spec.carbon_g_per_kwh = {{0, 360}};
  auto const r = run(spec, rule("proportional"));
  // 500 s, then 200 s at half speed over the limit by 100 W, then 400 s.
  CHECK(r.at(metric::end_s) == 1100);
  CHECK(r.at(metric::time_to_limit_s) == 200);
  CHECK(r.at(metric::over_limit_j) == 20000);
  CHECK(r.at(metric::rebound_w) == 0);
  CHECK(r.at(metric::peak_w) == 800);
  CHECK(r.at(metric::cost_usd) == Approx((800 * 500 * 36 + (200 * 200 + 800 * 400) * 72.0) / 3.6e9).epsilon(1e-12));
  CHECK(r.at(metric::co2_kg) == Approx(r.at(metric::energy_j) / 3.6e6 * 0.36).epsilon(1e-12));
}

TEST_CASE("Two runs in one process do not know of each other") {
  Timeline const a(one_job({{300, 321}})), b(one_job({{200, 222}}));
  auto const alone = a.run(rule("oracle"));
  b.run(rule("oracle"));
  CHECK(same_bits(a.run(rule("oracle")), alone));
}

TEST_CASE("The order in which jobs are listed changes no bit") {
  Draws draws(5);
  auto const curves = random_curves(draws, 3);
  TimelineSpec spec;
  spec.cluster.gpus = 64;
  for (int j = 0; j < 40; ++j) spec.jobs.push_back(job("j" + std::to_string(j), curves[draws.below(3)], draws.between(1, 900), double(draws.below(5)) * 100));
  spec.limit = {{0, 4000}, {600, 9000}};
  auto const forwards = run(spec, rule("oracle"));
  std::ranges::reverse(spec.jobs);
  auto const backwards = run(spec, rule("oracle"));
  CHECK(same(forwards, backwards));
  CHECK(forwards.seen.events == backwards.seen.events);
}

TEST_CASE("Energy of a job on several GPUs that is paused, or not finished: what all its GPUs drew, in every state") {
  TimelineSpec spec;
  spec.jobs = {job("a", steady(), 1000), job("b", steady(), 1000)};
  spec.checkpoint.save_s = 10;
  spec.checkpoint.save_w = 120;
  spec.checkpoint.paused_w = 60;
  spec.checkpoint.restart_s = 20;
  spec.checkpoint.restart_w = 150;
  spec.duration_s = 700;
  TimelinePolicySpec replay;
  replay.kind = TimelinePolicySpec::Kind::replay;
  replay.actions = {{ActionSpec::Kind::pause, 100, "a", 0}, {ActionSpec::Kind::resume, 200, "a", 0}};
  auto const r = run(spec, replay);
  CHECK(r.seen.jobs[0].energy_j == 2 * (400 * 100 + 120 * 10 + 60 * 90 + 150 * 20 + 400 * 480.0));
  CHECK(r.seen.jobs[1].energy_j == 2 * 400 * 700.0);
  CHECK(std::isnan(r.seen.jobs[0].finish_s));
  CHECK(r.at(metric::energy_j) == r.seen.jobs[0].energy_j + r.seen.jobs[1].energy_j);
  CHECK(r.at(metric::energy_overhead_j) == 2 * (120 * 10 + 60 * 90 + 150 * 20.0));
}

TEST_CASE("Two jobs side by side are billed for their own GPUs, not each for all of them: attribution sums to the total") {
  TimelineSpec spec;
  Curve const narrow = make_curve("narrow", {{100, 5}, {300, 10}}, 3);
  spec.jobs = {job("a", steady(), 100), job("b", narrow, 50)};
  spec.cluster = {8, 40};
  auto const r = run(spec, rule("proportional"));
  CHECK(r.seen.jobs[0].energy_j == 2 * 400 * 100.0);
  CHECK(r.seen.jobs[1].energy_j == 3 * 300 * 50.0);
  CHECK(r.at(metric::energy_idle_j) == 40 * (3 * 50 + 6 * 50.0));
  CHECK(r.at(metric::energy_j) == r.seen.jobs[0].energy_j + r.seen.jobs[1].energy_j + r.at(metric::energy_idle_j));
}

TEST_CASE("Cost follows events, not seconds: a run of 1e9 s has as many as one of 1e3 s, and rows as many") {
  auto const at_scale = [&](double scale) {
    auto spec = one_job({{300 * scale, 321}, {500 * scale, 555}});
    spec.jobs[0].work_s *= scale;
    spec.duration_s = 5000 * scale;
    return run(spec, rule("oracle"));
  };
  auto const small = at_scale(1), large = at_scale(1e6);
  CHECK(small.at(metric::events) == large.at(metric::events));
  CHECK(small.seen.powers.size() == large.seen.powers.size());
  CHECK(large.at(metric::energy_j) == Approx(1e6 * small.at(metric::energy_j)).epsilon(1e-12));
}

TEST_CASE("A step of no length does not schedule itself again: pauses, resizes and limits that take no time, at one instant, end") {
  auto spec = one_job({{100, 700}});
  TimelinePolicySpec replay;
  replay.kind = TimelinePolicySpec::Kind::replay;
  using Kind = ActionSpec::Kind;
  for (int k = 0; k < 200; ++k) {
    replay.actions.push_back({Kind::pause, 100, "a", 0});
    replay.actions.push_back({Kind::resume, 100, "a", 0});
    replay.actions.push_back({Kind::resize, 100, "a", k % 2 == 0 ? 1.0 : 2.0});
  }
  auto const r = run(spec, replay);
  CHECK(r.seen.jobs[0].finish_s == 1000);
  CHECK(r.at(metric::finished) == 1);
}

TEST_CASE("Memory does not grow with simulated time: a run of a hundred thousand phases has no more bytes at its end than early on") {
  struct Bytes final : TimelineObserver {
    std::vector<std::size_t> at;  // bytes in use at every hundredth phase
    std::size_t phases = 0;
    void power(PowerRow const&) override {}
    void event(double, EventKind kind, std::uint32_t, double) override {
      if (kind == EventKind::phase && ++phases % 100 == 0) at[phases / 100 - 1] = mallinfo2().uordblks;
    }
    void job(std::uint32_t, JobRow const&) override {}
  } bytes;
  auto const curve = root_curve({100, 200});
  TimelineSpec spec;
  spec.cycles = {{{&curve, 3}, {&curve, 2}}};
  for (int j = 0; j < 20; ++j) {
    spec.jobs.push_back(job("j" + std::to_string(j), curve, 12'500 + j));
    spec.jobs.back().cycle = 1;
  }
  spec.checkpoint.period_s = 500;
  spec.checkpoint.length_s = 1;
  for (int k = 0; k < 10; ++k) spec.limit.push_back({1500.0 * k, k % 2 == 0 ? 7000.0 : 5000.0});
  bytes.at.resize(1010);
  Timeline const timeline(spec);
  timeline.run(rule("oracle"), &bytes);
  REQUIRE(bytes.phases > 99'000);
  auto const late = bytes.at[980], early = *std::max_element(bytes.at.begin(), bytes.at.begin() + 100);
  if (late == 0) say_skipped("this build's allocator does not tell how much is in use: growth is not looked at");
  CHECK(late <= early + 4096);
}

TEST_CASE("Every kind of event has a name") {
  for (auto kind = EventKind::finish; kind <= EventKind::start; kind = static_cast<EventKind>(static_cast<int>(kind) + 1)) CHECK_FALSE(to_string(kind).empty());
  CHECK(to_string(EventKind::finish) == "finish");
  CHECK(to_string(EventKind::cap_acts) == "cap_acts");
  CHECK(to_string(EventKind::start) == "start");
}
