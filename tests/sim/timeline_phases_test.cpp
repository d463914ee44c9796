// Phases of jobs, work that is lost, storage that is shared, caps that are rolled out: closed forms and brute force.
#include <cmath>

#include "sim/storage_clock.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/timelines.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

Curve const& training() {
  static Curve const curve = make_curve("training", {{100, 5}, {400, 10}});
  return curve;
}
Curve const& evaluation() {
  static Curve const curve = make_curve("evaluation", {{100, 2}, {200, 4}});
  return curve;
}

/// 300 s of training and 100 s of evaluation, again and again.
TimelineSpec cycling(double work_s) {
  TimelineSpec spec;
  spec.cycles = {{{&training(), 300}, {&evaluation(), 100}}};
  spec.jobs = {job("a", training(), work_s)};
  spec.jobs[0].cycle = 1;
  return spec;
}

}  // namespace

TEST_CASE("A job with phases draws and works by the curve of the phase it is in, and ends in the middle of one") {
  auto const r = run(cycling(1000), rule("proportional"));
  // 300 T, 100 E, 300 T, 100 E, 200 T.
  CHECK(r.seen.jobs[0].finish_s == 1000);
  CHECK(r.at(metric::energy_j) == 800 * 400 + 200 * 200.0);
  CHECK(r.at(metric::tokens) == 800 * 10 + 200 * 4.0);
  CHECK(r.seen.count(EventKind::phase) == 4);
  CHECK(r.at(metric::slowdown_mean) == 1);
  // Under 100 W both run at half speed.
  auto capped = cycling(1000);
  capped.limit = {{0, 100}};
  auto const half = run(capped, rule("oracle"));
  CHECK(half.seen.jobs[0].finish_s == 2000);
  CHECK(half.at(metric::energy_j) == 200000);
  // Cut in a phase of evaluation: progress in it is kept.
  auto cut = cycling(1000);
  cut.limit = {{350, 100}, {450, 400}};
  CHECK(run(cut, rule("proportional")).seen.jobs[0].finish_s == 1050);
  // A run that ends in a phase reports what is left of all of them, and the work done so far.
  auto stopped = cycling(1000);
  stopped.duration_s = 350;
  auto const s = run(stopped, rule("proportional"));
  CHECK(s.seen.jobs[0].left_s == 650);
  CHECK(s.at(metric::tokens) == 300 * 10 + 50 * 4.0);
}

TEST_CASE("One phase for ever is a job without phases; phases that share a curve change no time") {
  Draws draws(2);
  auto const curves = random_curves(draws, 4);
  TimelineSpec plain;
  for (int j = 0; j < 20; ++j) plain.jobs.push_back(job("j" + std::to_string(j), curves[draws.below(4)], draws.between(10, 900), draws.between(0, 500)));
  for (int k = 0; k < 20; ++k) plain.limit.push_back({60.0 * k, draws.between(5000, 60000)});
  auto whole = plain, cut = plain;
  for (auto* spec : {&whole, &cut})
    for (auto& j : spec->jobs) {
      spec->cycles.push_back(spec == &whole ? std::vector<JobPhase>{{j.curve, 1e6}} : std::vector<JobPhase>{{j.curve, 7}, {j.curve, 13}});
      j.cycle = static_cast<std::uint32_t>(spec->cycles.size());
    }
  for (auto const& name : {"proportional", "oracle"}) {
    auto const a = run(plain, rule(name)), b = run(whole, rule(name)), c = run(cut, rule(name));
    for (std::size_t j = 0; j < 20; ++j) {
      CHECK(same_bits(a.seen.jobs[j].finish_s, b.seen.jobs[j].finish_s));
      if (std::string(name) == "proportional") {
        CHECK(c.seen.jobs[j].finish_s == Approx(a.seen.jobs[j].finish_s).epsilon(1e-9));
        CHECK(c.seen.jobs[j].energy_j == Approx(a.seen.jobs[j].energy_j).epsilon(1e-9));
      }
    }
    CHECK(c.seen.energy(c.at(metric::end_s)) == Approx(c.at(metric::energy_j)).epsilon(1e-12));
    CHECK(b.at(metric::tokens) == Approx(a.at(metric::tokens)).epsilon(1e-12));
  }
}

TEST_CASE("A job with phases that is resized goes on in its phase, on the new number of GPUs") {
  auto spec = cycling(1000);
  spec.jobs[0].gpus = 2;  // both curves scale
  TimelinePolicySpec replay;
  replay.kind = TimelinePolicySpec::Kind::replay;
  replay.actions = {{ActionSpec::Kind::resize, 350, "a", 1}, {ActionSpec::Kind::resize, 450, "a", 2}};
  // At 350 s: 50 s of evaluation left on two GPUs, done in 100 s on one.
  auto const r = run(spec, replay);
  CHECK(r.seen.jobs[0].finish_s == 1050);
  CHECK(r.at(metric::energy_j) == 800 * 800 + 150 * 400 + 100 * 200.0);
  CHECK(r.at(metric::tokens) == Approx(2 * (800 * 10 + 200 * 4.0)).epsilon(1e-12));
}

TEST_CASE("Phases of no work, and too many of them, are refused") {
  auto spec = cycling(1000);
  spec.cycles[0][1].work_s = 0;
  CHECK(refusal([&] { Timeline{spec}; }) == "jobs.a: a phase has 0 s of work; it must be more than 0, and finite");
  spec.cycles[0] = {{&training(), 1e-3}};
  CHECK(refusal([&] { Timeline{spec}; }).empty());
  spec.jobs[0].work_s = 1001;
  CHECK(refusal([&] { Timeline{spec}; }) == "jobs.a: it goes through more than a million phases; make them longer, or give it less work");
}

TEST_CASE("A pause that saves nothing throws the job back to its own last checkpoint; one that loses a fixed time, by that") {
  TimelineSpec spec;
  spec.jobs = {job("a", training(), 1000)};
  spec.checkpoint.period_s = 200;
  spec.checkpoint.length_s = 10;
  spec.checkpoint.on_demand = false;
  spec.checkpoint.save_s = 50;  // not written
  TimelinePolicySpec replay;
  replay.kind = TimelinePolicySpec::Kind::replay;
  replay.actions = {{ActionSpec::Kind::pause, 350, "a", 0}, {ActionSpec::Kind::resume, 400, "a", 0}};
  // A checkpoint from 200 to 210 s holds 200 s of work. At 350 s: 340 s are done, 140 of them are lost.
  auto const r = run(spec, replay);
  CHECK(r.at(metric::lost_work_s) == 140);
  // 1000 s of work, 140 again, 50 s paused; checkpoints at 200 and then every 200 s of running time: at 450, 650, 850, 1050 s, 10 s each.
  CHECK(r.seen.jobs[0].finish_s == 1000 + 140 + 50 + 5 * 10);
  // In the middle of a checkpoint, that one does not count.
  replay.actions[0].time_s = 205;
  CHECK(run(spec, replay).at(metric::lost_work_s) == 200);
  spec.checkpoint = {};
  spec.checkpoint.lost_s = 300;
  replay.actions = {{ActionSpec::Kind::pause, 100, "a", 0},
                    {ActionSpec::Kind::resume, 100, "a", 0},
                    {ActionSpec::Kind::pause, 900, "a", 0},
                    {ActionSpec::Kind::resume, 900, "a", 0}};
  auto const fixed = run(spec, replay);
  CHECK(fixed.at(metric::lost_work_s) == 100 + 300);  // no more than was done
  CHECK(fixed.seen.jobs[0].finish_s == 1400);
  spec.jobs[0].stateless = true;
  CHECK(run(spec, replay).at(metric::lost_work_s) == 0);
}

TEST_CASE("Transfers share a storage as a fluid does: small steps come to the same ends") {
  Draws draws(6);
  for (int n = 0; n < 20; ++n) {
    struct Transfer {
      double at, length, rate, left, end;
    };
    std::vector<Transfer> all;
    for (int k = 0; k < 12; ++k) {
      auto const length = draws.between(1, 20);
      all.push_back({draws.between(0, 30), length, draws.between(1, 10), length, -1});
    }
    StorageClock clock(12);
    std::size_t begun = 0, ended = 0;
    std::ranges::sort(all, {}, &Transfer::at);
    auto exact = all;
    while (ended < exact.size()) {
      if (begun < exact.size() && exact[begun].at < clock.next()) {
        clock.add(static_cast<std::uint32_t>(begun), exact[begun].length, exact[begun].rate, exact[begun].at);
        ++begun;
        continue;
      }
      auto const t = clock.next();
      exact[clock.first()].end = t;
      clock.remove(clock.first(), t);
      ++ended;
    }
    double const dt = 1e-3;
    for (double t = 0; std::ranges::any_of(all, [](auto const& x) { return x.end < 0; }); t += dt) {
      double asked = 0;
      for (auto const& x : all)
        if (x.at <= t && x.end < 0) asked += x.rate;
      for (auto& x : all)
        if (x.at <= t && x.end < 0 && (x.left -= dt * std::min(1.0, 12 / asked)) <= 0) x.end = t + dt;
    }
    for (std::size_t k = 0; k < all.size(); ++k) CHECK(exact[k].end == Approx(all[k].end).margin(0.02));
  }
}

TEST_CASE("Checkpoints that contend for storage take longer together; one alone does not") {
  TimelineSpec spec;
  spec.jobs = {job("a", training(), 1000), job("b", training(), 1000), job("c", training(), 1000)};
  spec.checkpoint.save_s = 10;
  spec.checkpoint.restart_s = 20;
  spec.checkpoint.gb_per_gpu = 100;  // 10 GB/s to write, 5 GB/s to read
  spec.checkpoint.storage_gb_per_s = 15;
  TimelinePolicySpec replay;
  replay.kind = TimelinePolicySpec::Kind::replay;
  using Kind = ActionSpec::Kind;
  for (auto const* id : {"a", "b", "c"}) {
    replay.actions.push_back({Kind::pause, 100, id, 0});
    replay.actions.push_back({Kind::resume, 200, id, 0});
  }
  // 30 GB/s are asked for: 20 s instead of 10. Reading asks for 15: 20 s.
  auto const r = run(spec, replay);
  for (auto const& e : r.seen.events) {
    if (e.kind == EventKind::saved) CHECK(e.time_s == Approx(120).epsilon(1e-12));
    if (e.kind == EventKind::restarted) CHECK(e.time_s == Approx(220).epsilon(1e-12));
  }
  CHECK(r.seen.count(EventKind::saved) == 3);
  CHECK(r.seen.jobs[2].finish_s == Approx(1120).epsilon(1e-12));
  // The second comes 5 s later: 5 s alone, then both at 3/4 of their speed: a after 5 / 0.75 more, b after 10 s of clock.
  replay.actions = {{Kind::pause, 100, "a", 0}, {Kind::pause, 105, "b", 0}};
  spec.duration_s = 200;
  auto const two = run(spec, replay);
  std::vector<double> saved;
  for (auto const& e : two.seen.events)
    if (e.kind == EventKind::saved) saved.push_back(e.time_s);
  REQUIRE(saved.size() == 2);
  CHECK(saved[0] == Approx(105 + 5 / 0.75).epsilon(1e-12));
  CHECK(saved[1] == Approx(105 + 5 / 0.75 + 5).epsilon(1e-12));
  // With enough bandwidth nothing changes, to the bit.
  spec.checkpoint.storage_gb_per_s = 1000;
  auto plenty = run(spec, replay);
  spec.checkpoint.storage_gb_per_s = 0;
  CHECK(same_bits(plenty.metrics, run(spec, replay).metrics));
}

TEST_CASE("Caps are rolled out a tenth of the fleet after the other, rounded down to their step, and not below the device's range") {
  TimelineSpec spec;
  spec.jobs = {job("a", training(), 1e5)};
  spec.limit = {{0, 400}, {100, 200}};
  spec.duration_s = 1000;
  spec.control.loop = Loop::open;
  spec.control.rollout_s = 50;
  auto const r = run(spec, rule("proportional"));
  // From 400 to 200 W by 20 W at 105, 110, ..., 150 s.
  REQUIRE(r.seen.powers.size() == 12);
  for (std::size_t k = 1; k <= 11; ++k) {
    CHECK(r.seen.powers[k].time_s == 100 + 5.0 * (static_cast<double>(k) - 1));
    CHECK(r.seen.powers[k].power_w == Approx(400 - 20.0 * (static_cast<double>(k) - 1)).epsilon(1e-12));
  }
  CHECK(r.at(metric::time_to_limit_s) == 50);
  CHECK(r.at(metric::over_limit_j) == Approx(5 * 20 * (10 + 9 + 8 + 7 + 6 + 5 + 4 + 3 + 2 + 1.0)).epsilon(1e-12));
  // A lead of as much is under the limit in time.
  spec.aim = {{0, 400}, {50, 200}};
  CHECK(run(spec, rule("proportional")).at(metric::over_limit_s) == 0);
  spec.aim.clear();
  CHECK(refusal([&] { run(spec, rule("oracle")); }) ==
        "loop: caps cannot be rolled out under this rule (it treats jobs of one class differently); use loop: exact, or control.rollout_s: 0");
  spec.control.rollout_s = 0;
  spec.control.cap_step_w = 30;
  CHECK(run(spec, rule("proportional")).seen.powers.back().power_w == 180);
  spec.control.least_cap_w = 250;
  CHECK(run(spec, rule("proportional")).seen.powers.back().power_w == 250);
}
