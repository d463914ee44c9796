// Policies that pause jobs, and least laxity, with values worked out by hand.
#include <cmath>
#include <set>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/timelines.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

TimelinePolicySpec acting(TimelinePolicySpec::Kind kind, std::string inner = "proportional") {
  auto spec = rule(std::move(inner));
  spec.kind = kind;
  return spec;
}

/// 100 W at half speed, 400 W at full.
Curve const& steady() {
  static Curve const curve = make_curve("steady", {{100, 5}, {400, 10}});
  return curve;
}

/// Three equal jobs; 800 W from 100 to 300 s.
TimelineSpec three_jobs() {
  TimelineSpec spec;
  spec.jobs = {job("a", steady(), 1000), job("b", steady(), 1000), job("c", steady(), 1000)};
  spec.limit = {{0, 1200}, {100, 800}, {300, 1200}};
  spec.checkpoint.paused_w = 50;
  return spec;
}

}  // namespace

TEST_CASE("pause-greedy pauses as few as are needed, the latest first, and wakes them when there is room") {
  using Kind = TimelinePolicySpec::Kind;
  // Each paused job frees 350 W of 1200: two of them.
  auto const r = run(three_jobs(), acting(Kind::pause_greedy));
  CHECK(r.seen.jobs[0].finish_s == 1000);
  CHECK(r.seen.jobs[1].finish_s == 1200);
  CHECK(r.seen.jobs[2].finish_s == 1200);
  CHECK(r.at(metric::energy_j) == 1200 * 100 + 500 * 200 + 1200 * 700 + 800 * 200.0);
  CHECK(r.at(metric::over_limit_s) == 0);
  CHECK(r.seen.count(EventKind::pause) == 2);
  // Saving takes 10 s at 400 W and loading 20 s: over the limit while they save, 220 s later at the end.
  auto slow = three_jobs();
  slow.checkpoint.save_s = 10;
  slow.checkpoint.save_w = 400;
  slow.checkpoint.restart_s = 20;
  auto const s = run(slow, acting(Kind::pause_greedy));
  CHECK(s.seen.jobs[2].finish_s == 1220);
  CHECK(s.at(metric::over_limit_s) == 10);
  CHECK(s.at(metric::over_limit_j) == 400 * 10);
  CHECK(s.at(metric::time_to_limit_s) == 10);
  // Known 10 s before, it is under the limit in time.
  slow.aim = {{0, 1200}, {90, 800}, {300, 1200}};
  CHECK(run(slow, acting(Kind::pause_greedy)).at(metric::over_limit_s) == 0);
}

TEST_CASE("pause-greedy takes those worth least a watt, and nobody who agreed to no loss") {
  using Kind = TimelinePolicySpec::Kind;
  auto spec = three_jobs();
  Curve const big = make_curve("big", {{100, 5}, {400, 10}}, 4);
  spec.objective = Objective::normalized;  // each job counts 1: the big one is worth least a watt
  spec.jobs[0] = job("a", big, 1000);
  spec.limit = {{0, 2400}, {100, 1000}, {300, 2400}};
  auto const r = run(spec, acting(Kind::pause_greedy));
  CHECK(r.seen.jobs[0].finish_s == 1200);
  CHECK(r.seen.jobs[1].finish_s == 1000);
  spec.jobs[0].mean_loss = 0;
  auto const kept = run(spec, acting(Kind::pause_greedy));
  CHECK(kept.seen.jobs[0].finish_s == 1000);
  CHECK(kept.seen.jobs[1].finish_s == 1200);
  CHECK(kept.at(metric::over_limit_s) == 200);  // 1600 W + 100 W: a defined state, reported
  spec.jobs[0].mean_loss = 1;
  spec.jobs[0].terms.min_speed = 0.5;
  CHECK(run(spec, acting(Kind::pause_greedy)).seen.jobs[0].finish_s == 1000);
}

TEST_CASE("pause-greedy on random jobs: the limit is kept where it can be, and nobody is paused who would fit") {
  using Kind = TimelinePolicySpec::Kind;
  Draws draws(21);
  auto const curves = random_curves(draws, 5);
  for (int n = 0; n < 20; ++n) {
    TimelineSpec spec;
    for (int j = 0; j < 12; ++j) spec.jobs.push_back(job("j" + std::to_string(j), curves[draws.below(5)], draws.between(10, 900), draws.between(0, 500)));
    for (int k = 0; k < 30; ++k) spec.limit.push_back({40.0 * k, draws.between(1000, 60000)});
    spec.checkpoint.paused_w = 30;
    Timeline const timeline(spec);
    Recorder seen;
    timeline.run(acting(Kind::pause_greedy), &seen);
    std::set<std::uint32_t> paused;
    std::size_t e = 0;
    for (auto const& p : seen.powers) {
      for (; e < seen.events.size() && seen.events[e].time_s <= p.time_s; ++e) {
        if (seen.events[e].kind == EventKind::pause) paused.insert(seen.events[e].job);
        if (seen.events[e].kind == EventKind::resume) paused.erase(seen.events[e].job);
      }
      double running = 0, least = std::numeric_limits<double>::infinity();
      for (auto j : paused) {
        auto const& what = timeline.jobs()[j];
        least = std::min(least, what.gpus * (what.curve->curve.max_draw() - 30));
      }
      for (auto const& other : seen.events)
        if (other.kind == EventKind::start && other.time_s <= p.time_s && !paused.contains(other.job)) ++running;
      for (auto const& other : seen.events)
        if (other.kind == EventKind::finish && other.time_s <= p.time_s) --running;
      if (running > 0) CHECK(p.power_w <= p.limit_w);
      CHECK(p.power_w + least > p.limit_w);
    }
    CHECK(seen.jobs.size() == 12);
  }
}

TEST_CASE("cap-and-pause pauses a share of a class where a cap would lose more, its overhead over the event's length counted in") {
  using Kind = TimelinePolicySpec::Kind;
  // Linear from no speed at 100 W to full at 400 W. Half the watts as caps: 200 W, a loss of 2/3. As pauses of half the jobs, at 0 W: 1/2.
  Curve const steep = make_curve("steep", {{100, 0}, {400, 10}});
  TimelineSpec spec;
  for (int j = 0; j < 10; ++j) spec.jobs.push_back(job("j" + std::to_string(j), steep, 1000));
  spec.limit = {{0, 4000}, {100, 2000}, {300, 4000}};
  auto const r = run(spec, acting(Kind::cap_and_pause));
  CHECK(r.seen.count(EventKind::pause) == 5);
  CHECK(r.at(metric::over_limit_s) == 0);
  for (std::size_t j = 0; j < 10; ++j) CHECK(r.seen.jobs[j].finish_s == (j < 5 ? 1000 : 1200));
  // 1/2 (1 + overhead / 200 s) < 2/3 up to an overhead of 66.7 s.
  for (auto const& [overhead, pauses] : {std::pair(66.0, std::size_t{5}), std::pair(67.0, std::size_t{0})}) {
    spec.checkpoint.save_s = overhead / 2;
    spec.checkpoint.restart_s = overhead / 2;
    CHECK(run(spec, acting(Kind::cap_and_pause)).seen.count(EventKind::pause) == pauses);
  }
  // A concave curve is capped: it loses less than its share of watts.
  TimelineSpec gentle = spec;
  for (auto& j : gentle.jobs) j.curve = &steady();
  gentle.checkpoint = {};
  CHECK(run(gentle, acting(Kind::cap_and_pause)).seen.count(EventKind::pause) == 0);
  CHECK(same_bits(run(gentle, acting(Kind::cap_and_pause)).metrics, run(gentle, rule("proportional")).metrics));
  // No end of the event is known: the overhead is nothing beside it.
  spec.limit = {{0, 4000}, {100, 2000}};
  spec.checkpoint.save_s = spec.checkpoint.restart_s = 1000;
  spec.duration_s = 500;
  CHECK(run(spec, acting(Kind::cap_and_pause)).seen.count(EventKind::pause) == 5);
}

TEST_CASE("Least laxity serves whoever has the least time to spare; equal shares would miss the deadline") {
  using Kind = TimelinePolicySpec::Kind;
  Curve const linear = make_curve("linear", {{100, 2.5}, {400, 10}});
  TimelineSpec spec;
  spec.jobs = {job("a", linear, 1000), job("b", linear, 1000)};
  spec.jobs[0].deadline_s = 1500;
  spec.jobs[1].deadline_s = 3000;
  spec.limit = {{0, 500}};
  // 400 W and 100 W up to 1000 s; b has 750 s left then, at full speed.
  auto const r = run(spec, acting(Kind::least_laxity));
  CHECK(r.seen.jobs[0].finish_s == 1000);
  CHECK(r.seen.jobs[1].finish_s == 1750);
  CHECK(r.at(metric::deadline_misses) == 0);
  CHECK(r.at(metric::over_limit_s) == 0);
  CHECK(run(spec, rule("proportional")).at(metric::deadline_misses) == 1);  // both at 1600 s
  // Jobs without a deadline share what is left above the floors: c has 200 W while a runs, b 100 W.
  spec.jobs.push_back(job("c", linear, 1e5));
  spec.limit = {{0, 700}};
  auto const three = run(spec, acting(Kind::least_laxity));
  CHECK(three.seen.jobs[0].finish_s == 1000);
  CHECK(three.seen.powers.front().power_w == 700);
  CHECK(three.seen.jobs[1].finish_s > 1000);
}

TEST_CASE("Least laxity on random jobs keeps the limit, closes its ledger and ends") {
  using Kind = TimelinePolicySpec::Kind;
  Draws draws(31);
  auto const curves = random_curves(draws, 4);
  TimelineSpec spec;
  spec.cluster = {300, 30};
  for (int j = 0; j < 60; ++j) {
    spec.jobs.push_back(job("j" + std::to_string(j), curves[draws.below(4)], draws.between(10, 2000), draws.between(0, 3000), 1 + double(draws.below(16))));
    if (draws.chance(0.5)) spec.jobs.back().deadline_s = spec.jobs.back().submit_s + draws.between(1, 2) * spec.jobs.back().work_s;
    if (draws.chance(0.3)) spec.jobs.back().mean_loss = draws.between(0, 0.5);
  }
  for (int k = 0; k < 30; ++k) spec.limit.push_back({100.0 * k, draws.between(150'000, 210'000)});
  for (auto const& inner : {"proportional", "oracle"}) {
    auto const r = run(spec, acting(Kind::least_laxity, inner));
    CHECK(r.at(metric::finished) == 60);
    CHECK(r.at(metric::over_limit_s) == 0);
    double jobs = 0;
    for (auto const& row : r.seen.jobs) jobs += row.energy_j;
    CHECK(r.at(metric::energy_jobs_j) == Approx(jobs).epsilon(1e-12));
    CHECK(r.seen.energy(r.at(metric::end_s)) == Approx(r.at(metric::energy_j)).epsilon(1e-12));
  }
}
