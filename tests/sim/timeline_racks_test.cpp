// Racks in timelines: where jobs stand, limits of single racks that move, against closed forms and a job-level simulator of its own.
#include <algorithm>
#include <cmath>

#include "sim/rack_room.hpp"
#include "support/catch.hpp"
#include "support/timelines.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/sim/timeline_session.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr auto every = RackLimitStep::every;

/// 0.2 of full speed at 100 W, straight to full speed at 600 W.
Curve const& line() {
  static Curve const curve = make_curve("line", {{100, 0.2}, {600, 1}}, 8);
  return curve;
}

TimelineSpec racked(double gpus, double rack_gpus, std::vector<TimelineJob> jobs, std::vector<RackLimitStep> limits) {
  TimelineSpec spec;
  spec.cluster.gpus = gpus;
  spec.racks = RackingSpec{rack_gpus, 0, std::move(limits)};
  spec.jobs = std::move(jobs);
  return spec;
}

std::string refused(TimelineSpec const& spec, TimelinePolicySpec const& policy) {
  try {
    Timeline(spec).run(policy);
  } catch (InputError const& error) {
    return error.what();
  }
  return "nothing";
}

/// Equal-split on racks, each job booked on its own: every job draws the lowest of its rack's and the whole's ceiling, found by bisection.
std::vector<double> finishes_by_hand(TimelineSpec const& spec) {
  struct Running {
    std::size_t job, rack;
    double left;
  };
  auto const racks = static_cast<std::size_t>(spec.cluster.gpus / spec.racks->gpus);
  std::vector<double> finish(spec.jobs.size(), NAN), free(racks, spec.racks->gpus);
  std::vector<Running> running;
  std::vector<std::size_t> queue;
  std::size_t next = 0;
  auto const draw = [&](std::size_t job, double ceiling) {
    auto const& curve = spec.jobs[job].curve->curve;
    return std::clamp(ceiling, curve.min_draw(), curve.max_draw());
  };
  auto const ceiling = [&](double room, auto total) {
    double low = 0, high = 2000;
    if (total(high) <= room) return high;
    for (int i = 0; i < 200; ++i) (total((low + high) / 2) <= room ? low : high) = (low + high) / 2;
    return low;
  };
  for (double t = 0; next < spec.jobs.size() || !running.empty();) {
    while (next < spec.jobs.size() && spec.jobs[next].submit_s <= t) queue.push_back(next++);
    while (!queue.empty()) {
      auto const job = queue.front();
      auto const rack = std::ranges::find_if(free, [&](double f) { return f >= spec.jobs[job].gpus; });
      if (rack == free.end()) break;
      *rack -= spec.jobs[job].gpus;
      running.push_back({job, static_cast<std::size_t>(rack - free.begin()), spec.jobs[job].work_s});
      queue.erase(queue.begin());
    }
    double limit = unlimited, until = next < spec.jobs.size() ? spec.jobs[next].submit_s : unlimited;
    std::vector<double> rack_limit(racks, unlimited), level(racks);
    for (auto const& step : spec.limit) (step.time_s <= t ? limit : until) = step.time_s <= t ? step.limit_w : std::min(until, step.time_s);
    for (auto const& step : spec.racks->limits) {
      if (step.time_s > t) until = std::min(until, step.time_s);
      for (std::size_t r = 0; r < racks; ++r)
        if (step.time_s <= t && (step.rack == every || step.rack == r)) rack_limit[r] = step.limit_w;
    }
    for (std::size_t r = 0; r < racks; ++r)
      level[r] = ceiling(rack_limit[r] / (1 + spec.racks->loss), [&](double x) {
        double w = 0;
        for (auto const& a : running) w += a.rack == r ? spec.jobs[a.job].gpus * draw(a.job, x) : 0;
        return w;
      });
    auto const all = ceiling(limit, [&](double x) {
      double w = 0;
      for (auto const& a : running) w += spec.jobs[a.job].gpus * draw(a.job, std::min(x, level[a.rack]));
      return w;
    });
    std::vector<double> speed;
    auto first = running.size();
    for (std::size_t i = 0; i < running.size(); ++i) {
      auto const& curve = spec.jobs[running[i].job].curve->curve;
      speed.push_back(curve.speed(draw(running[i].job, std::min(all, level[running[i].rack]))) / curve.max_speed());
      if (t + running[i].left / speed[i] <= until) {
        until = t + running[i].left / speed[i];
        first = i;
      }
    }
    for (std::size_t i = 0; i < running.size(); ++i) running[i].left -= speed[i] * (until - t);
    t = until;
    if (first == running.size()) continue;
    finish[running[first].job] = t;
    free[running[first].rack] += spec.jobs[running[first].job].gpus;
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return finish;
}

}  // namespace

TEST_CASE("A rack's limit holds its jobs back, the others take what is left, and it moves in time") {
  // Racks of 16 GPUs and at most 8000 W: a and b share the first. All may draw 12,400 W: 500 W in it, 550 W in the other. From 100 s on the first has 4800 W:
  // 300 W.
  auto spec = racked(32, 16, {job("a", line(), 1000), job("b", line(), 1000), job("c", line(), 1000)}, {{0, every, 8000}, {100, 0, 4800}});
  spec.limit = {{0, 12'400}};
  for (auto const* name : {"equal-split", "proportional", "oracle"}) {
    INFO(name);
    auto const r = run(spec, rule(name));
    // Speed 0.2 + 0.8 (w - 100) / 500: a makes 84 s of work in 100 s, then 0.52 a second; c 92 s, then it has all that it wants.
    if (name != std::string("oracle")) {  // to which a watt is worth the same in a and in b: one of them comes first
      CHECK(r.seen.jobs[0].finish_s == Approx(100 + (1000 - 84) / 0.52).epsilon(1e-12));
      CHECK(r.seen.jobs[1].finish_s == r.seen.jobs[0].finish_s);
    }
    CHECK(r.seen.jobs[2].finish_s == Approx(100 + (1000 - 92)).epsilon(1e-12));
    CHECK(r.seen.jobs[2].energy_j == Approx(8 * (100 * 550 + 908 * 600.0)).epsilon(1e-12));
    CHECK(r.at(metric::energy_j) == Approx(r.seen.energy(r.at(metric::end_s))).epsilon(1e-12));
    CHECK(r.seen.powers[0].power_w == Approx(12'400));
    CHECK(r.seen.powers[1].power_w == Approx(9'600));
    CHECK(r.seen.count(EventKind::limit_rack) == 2);
  }
}

TEST_CASE("Losses and idle GPUs count at the rack, and floors above its limit are a defined state") {
  auto spec = racked(16, 16, {job("a", line(), 100)}, {{0, 0, 5500}});
  spec.racks->loss = 0.1;
  spec.cluster.idle_w = 50;
  // 5500 / 1.1 = 5000 W, of which 8 idle GPUs draw 400: 575 W for each of the others.
  CHECK(run(spec, rule("proportional")).seen.jobs[0].finish_s == Approx(100 / (0.2 + 0.8 * 0.95)).epsilon(1e-12));
  spec.racks->limits = {{0, every, 1}};
  for (auto const* name : {"proportional", "oracle"}) CHECK(run(spec, rule(name)).seen.jobs[0].finish_s == Approx(500));  // at its floor of 100 W
}

TEST_CASE("Racks without limits of their own change no finish beyond rounding") {
  Draws draws(5);
  for (int trial = 0; trial < 12; ++trial) {
    auto const curves = random_curves(draws, 4);
    TimelineSpec spec;
    spec.cluster.gpus = 64;
    for (int j = 0; j < 40; ++j)
      spec.jobs.push_back(
          job("j" + std::to_string(j), curves[draws.below(4)], draws.between(10, 1000), draws.between(0, 500), 1.0 + static_cast<double>(draws.below(8))));
    for (int k = 0; k < 10; ++k) spec.limit.push_back({100.0 * k, draws.between(5000, 30'000)});
    spec.queue.order = QueueSpec::Order::fcfs;
    auto with = spec;
    with.racks = RackingSpec{64, 0, {}};
    for (auto const* name : {"equal-split", "proportional", "pfi-aware"}) {
      auto const a = run(spec, rule(name)), b = run(with, rule(name));
      for (std::size_t j = 0; j < spec.jobs.size(); ++j) {
        CHECK(b.seen.jobs[j].finish_s == Approx(a.seen.jobs[j].finish_s).epsilon(1e-9));
        CHECK(b.seen.jobs[j].energy_j == Approx(a.seen.jobs[j].energy_j).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("Finish times under limits of many racks that move equal those of a simulator that books each job on its own") {
  Draws draws(9);
  for (int trial = 0; trial < 25; ++trial) {
    std::vector<Curve> curves;
    for (int c = 0; c < 3; ++c)
      curves.push_back(make_curve("c" + std::to_string(c), {{draws.between(80, 200), 0.3}, {draws.between(220, 400), 0.8}, {draws.between(450, 700), 1}}));
    TimelineSpec spec = racked(48, 12, {}, {});
    spec.racks->loss = draws.chance(0.5) ? 0 : 0.05;
    for (int j = 0; j < 25; ++j)
      spec.jobs.push_back(job("j" + std::to_string(100 + j), curves[draws.below(3)], draws.between(10, 500), j < 3 ? 0 : draws.between(0, 300),
                              1.0 + static_cast<double>(draws.below(8))));
    std::ranges::sort(spec.jobs, {}, [](TimelineJob const& j) { return std::pair(j.submit_s, j.id); });
    for (int k = 0; k < 12; ++k) {
      spec.limit.push_back({40.0 * k, draws.between(3000, 20'000)});
      spec.racks->limits.push_back({37.0 * k, draws.chance(0.3) ? every : static_cast<std::uint32_t>(draws.below(4)), draws.between(1500, 8000)});
    }
    spec.queue.order = QueueSpec::Order::fcfs;
    auto const expected = finishes_by_hand(spec);
    auto const r = run(spec, rule("equal-split"));
    for (std::size_t j = 0; j < spec.jobs.size(); ++j) CHECK(r.seen.jobs[j].finish_s == Approx(expected[j]).epsilon(1e-9));
  }
}

TEST_CASE("A job waits for a rack with room though enough GPUs are free in all, for its own rack, and for empty ones if it is larger than one") {
  auto wide = job("wide", line(), 100, 3, 24);
  auto own = job("own", line(), 100, 2, 8);
  own.rack = 1;
  auto spec = racked(32, 16, {job("a", line(), 100, 0, 12), job("b", line(), 200, 1, 12), own, wide}, {});
  spec.queue.order = QueueSpec::Order::fcfs;
  auto r = run(spec, rule("proportional"));
  CHECK(r.seen.jobs[1].start_s == 1);
  CHECK(r.seen.jobs[2].start_s == 100);  // 8 GPUs are free from 1 s on, 4 in each rack; then 16 in the first
  CHECK(r.seen.jobs[3].start_s == 201);  // 24 are free at 200 s, and the second rack is not empty before 201 s
  spec.queue.order = QueueSpec::Order::easy;
  CHECK(run(spec, rule("proportional")).seen.jobs[3].start_s == 201);

  RackRoom room(RackingSpec{16, 0, {}}, 48);
  room.seat(0, room.find(4, 2));
  auto const pieces = room.find(24, 0);
  REQUIRE(pieces.size() == 2);
  CHECK((pieces[0].node == 1 && pieces[0].gpus == 16 && pieces[1].node == 3 && pieces[1].gpus == 8));
  CHECK(room.find(40, 0).empty());
  room.leave(0);
  CHECK(room.find(40, 0).size() == 3);
}

TEST_CASE("What racks cannot hold, and who does not know them, is refused with its reason") {
  auto spec = racked(32, 16, {job("a", line(), 100, 0, 24)}, {});
  CHECK(refused(spec, rule("proportional")) == "nothing");
  spec.jobs[0].rack = 1;
  CHECK(refused(spec, rule("proportional")) ==
        "jobs.a: it asks for 24 GPUs in one rack, which has 16 (it could never start, and would block the queue for ever); give it fewer, or no rack");
  spec.jobs[0].gpus = 8;
  spec.jobs[0].rack = 3;
  CHECK(refused(spec, rule("proportional")) == "jobs.a: there is no rack 2 (they are numbered from 0 on); name one of them");
  spec.racks.reset();
  CHECK(refused(spec, rule("proportional")) == "jobs.a: there is no rack 2 (there are no racks at all); add racks: {gpus: 32}, say, or take its rack away");
  spec.jobs[0].rack = 0;
  spec.racks = RackingSpec{12, 0, {}};
  CHECK(refused(spec, rule("proportional")) ==
        "racks.gpus: racks of 12 GPUs do not make up a cluster of 32 (their number must be whole, and at most 65535); change one of the two");
  spec.racks = RackingSpec{16, 0, {{0, 2, 1000}}};
  CHECK(refused(spec, rule("proportional")) == "racks.limits: there is no rack 2 (there are 2, numbered from 0 on); name one of them");
  spec.racks->limits.clear();
  auto pauses = rule("proportional");
  pauses.kind = TimelinePolicySpec::Kind::pause_greedy;
  CHECK_THAT(refused(spec, pauses),
             Catch::Contains("it does not know of racks, as no policy does that acts on single jobs; take a rule, or remove racks"));
  CHECK_THROWS_WITH(TimelineSession(Timeline(spec)), "this timeline has racks, which a controller of single jobs does not know; take them away");
  spec.control.loop = Loop::open;
  CHECK_THAT(refused(spec, rule("proportional")), Catch::Contains("its loop does not know of racks, as none but exact does; write loop: exact, or remove racks"));
}
