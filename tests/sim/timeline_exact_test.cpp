// Exactness: against closed forms, against a simulator that books every job on its own in long double, against small time steps.
#include <algorithm>
#include <numeric>
#include <set>

#include "sim/snapshot_kernel.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/timelines.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

/// The same jobs one by one: no clocks, no heaps, no queue. Finish times and energies.
struct PlainSimulator {
  struct Job {
    std::size_t cls;
    long double submit, left, energy = 0, finish = -1;
    double draw = 0, speed = 0;
    bool active = false;
  };
  std::vector<Job> jobs;
  std::vector<Curve const*> curves;  // by class
  FillPlan plan;
  bool splits;
  std::vector<LimitStep> limit;
  std::vector<std::size_t> up, middle;  // of the split class
  std::size_t split = static_cast<std::size_t>(-1);

  double speed(std::size_t c, double w) const { return curves[c]->curve.speed(w) / curves[c]->curve.max_speed(); }

  void allocate(double limit_w) {
    std::vector<double> gpus(curves.size(), 0.0);
    for (auto const& j : jobs)
      if (j.active) gpus[j.cls] += curves[j.cls]->gpus;
    auto const at = plan.locate(gpus, limit_w);
    auto draws = plan.draws_at(at);
    std::size_t moving = static_cast<std::size_t>(-1);
    if (splits && at.theta > 0) {
      auto const here = plan.draws(at.knot), there = plan.draws(at.knot + 1);
      draws.assign(here.begin(), here.end());
      for (std::size_t c = 0; c < curves.size(); ++c)
        if (there[c] > here[c]) moving = c;
    }
    for (auto& j : jobs) {
      j.draw = draws[j.cls];
      j.speed = speed(j.cls, j.draw);
    }
    if (moving != split) up.clear(), middle.clear();
    split = moving;
    if (moving == static_cast<std::size_t>(-1)) return;
    auto const lower = draws[moving], upper = plan.draws(at.knot + 1)[moving];
    auto const active = [&](std::size_t i) { return jobs[i].active; };
    std::erase_if(up, [&](auto i) { return !active(i); });
    std::erase_if(middle, [&](auto i) { return !active(i); });
    std::vector<std::size_t> low;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (jobs[i].active && jobs[i].cls == moving && std::ranges::count(up, i) + std::ranges::count(middle, i) == 0) low.push_back(i);
    auto const take = [&](std::vector<std::size_t>& from, bool least) {
      auto const by_left = [&](std::size_t i, std::size_t k) { return jobs[i].left < jobs[k].left; };
      auto const place = least ? std::ranges::min_element(from, by_left) : std::ranges::max_element(from, by_left);
      auto const i = *place;
      from.erase(place);
      return i;
    };
    auto const parts = split_class(static_cast<double>(up.size() + middle.size() + low.size()), at.theta, lower, upper);
    auto const wanted = static_cast<std::size_t>(parts.up), between = parts.part > 0 ? std::size_t{1} : std::size_t{0};
    while (up.size() > wanted) {
      if (!middle.empty()) low.push_back(take(middle, true));
      middle.push_back(take(up, false));
    }
    while (up.size() < wanted) up.push_back(take(middle.empty() ? low : middle, true));
    while (middle.size() > between) low.push_back(take(middle, true));
    if (middle.size() < between) middle.push_back(take(low, true));
    for (auto i : up) jobs[i].draw = upper, jobs[i].speed = speed(moving, upper);
    for (auto i : middle) jobs[i].draw = parts.middle_w, jobs[i].speed = speed(moving, parts.middle_w);
  }

  void run() {
    long double t = 0;
    std::size_t step = 0;
    double limit_w = std::numeric_limits<double>::infinity();
    for (;;) {
      for (; step < limit.size() && limit[step].time_s <= t; ++step) limit_w = limit[step].limit_w;
      for (auto& j : jobs) j.active = j.active || (j.finish < 0 && j.submit <= t);
      allocate(limit_w);
      long double next = step < limit.size() ? static_cast<long double>(limit[step].time_s) : 1e300L;
      for (auto const& j : jobs) {
        if (j.active && j.speed > 0) next = std::min(next, t + j.left / j.speed);
        if (!j.active && j.finish < 0) next = std::min(next, j.submit);
      }
      if (next > 1e299L) return;
      for (auto& j : jobs) {
        if (!j.active) continue;
        auto const ends = j.speed > 0 && t + j.left / j.speed <= next;
        j.left -= j.speed * (next - t);
        j.energy += j.draw * (next - t);
        if (!ends) continue;
        j.active = false;
        j.finish = next;
      }
      t = next;
      if (std::ranges::all_of(jobs, [](Job const& j) { return j.finish >= 0; })) return;
    }
  }
};

PlainSimulator plain(TimelineSpec const& spec, std::string const& rule_name) {
  PlainSimulator sim;
  std::vector<std::string> names;
  for (auto const& j : spec.jobs) names.push_back(j.curve->name);
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  sim.curves.resize(names.size());
  auto const cls = [&](TimelineJob const& j) { return static_cast<std::size_t>(std::ranges::lower_bound(names, j.curve->name) - names.begin()); };
  for (auto const& j : spec.jobs) sim.curves[cls(j)] = j.curve;
  auto const beliefs = believe(sim.curves, {});
  std::vector<Demand> demands;
  for (std::size_t c = 0; c < names.size(); ++c) {
    auto const& curve = sim.curves[c]->curve;
    Demand d;
    d.believed = sim.curves[c];
    d.gpus = d.value = sim.curves[c]->gpus;
    d.uncapped_w = curve.max_draw();
    d.floor_w = curve.unresponsive() ? d.uncapped_w : curve.min_draw();
    d.pfi = beliefs[c].pfi;
    d.a = beliefs[c].a;
    d.b = beliefs[c].b;
    demands.push_back(d);
  }
  auto const rule = make_policy(policy(rule_name));
  sim.plan = rule->prepare(demands);
  sim.splits = rule->splits();
  sim.limit = spec.limit;
  for (auto const& j : spec.jobs) sim.jobs.push_back({cls(j), j.submit_s, j.work_s});
  sim.run();
  return sim;
}

}  // namespace

TEST_CASE("Finish times and energies of random jobs under many limit changes equal those of a simulator that books each job on its own") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Draws draws(seed);
    auto const curves = random_curves(draws, 2 + draws.below(6));
    TimelineSpec spec;
    double full_w = 0;
    auto const jobs = 5 + draws.below(45);
    for (std::size_t j = 0; j < jobs; ++j) {
      auto const& curve = curves[draws.below(curves.size())];
      spec.jobs.push_back(job("j" + std::to_string(100 + j), curve, draws.between(10, 5000), draws.chance(0.4) ? 0 : draws.between(0, 3000)));
      full_w += curve.gpus * curve.curve.max_draw();
    }
    std::ranges::sort(spec.jobs, [](auto const& l, auto const& r) { return std::tie(l.submit_s, l.id) < std::tie(r.submit_s, r.id); });
    for (int k = 0; k < 150; ++k) spec.limit.push_back({20.0 * k + draws.between(0, 19), full_w * draws.between(0.1, 1)});
    for (auto const* name : {"proportional", "oracle", "equal-split", "pfi-aware", "pfi-ranked", "headroom-fair", "quadratic"}) {
      INFO("seed " << seed << ", " << name);
      auto const r = run(spec, rule(name));
      auto const expected = plain(spec, name);
      for (std::size_t j = 0; j < jobs; ++j) {
        INFO("job " << spec.jobs[j].id);
        auto const finish = static_cast<double>(expected.jobs[j].finish), energy = static_cast<double>(expected.jobs[j].energy) * spec.jobs[j].gpus;
        if (finish < 0) {
          CHECK(std::isnan(r.seen.jobs[j].finish_s));
          continue;
        }
        CHECK(std::fabs(r.seen.jobs[j].finish_s - finish) <= 1e-9 * finish);
        CHECK(std::fabs(r.seen.jobs[j].energy_j - energy) <= 1e-9 * energy);
      }
    }
  }
}

TEST_CASE("Power-law curves given at exactly the used draws: a thousand limit changes, finish time and energy in closed form") {
  std::vector<double> draws;
  for (int i = 0; i < 60; ++i) draws.push_back(100 + 5 * i);
  auto const curve = root_curve(draws, 3);
  TimelineSpec spec;
  for (int j = 0; j < 4; ++j) spec.jobs.push_back(job("j" + std::to_string(j), curve, 7000));
  Draws random(9);
  for (int k = 0; k < 1000; ++k) spec.limit.push_back({11.0 * k, 12 * draws[random.below(60)]});
  long double work = 7000, energy = 0;
  double finish = 0;
  for (std::size_t k = 0; k < 1000; ++k) {
    auto const w = spec.limit[k].limit_w / 12;
    auto const v = std::sqrt(static_cast<long double>(w) / 400);
    auto const dt = std::min(11.0L, work / v);
    work -= v * dt;
    energy += w * dt * 3;
    finish = static_cast<double>(11.0L * static_cast<long double>(k) + dt);
    if (work <= 0) break;
  }
  REQUIRE(finish < 10900);
  for (auto const* name : {"proportional", "equal-split", "quadratic"}) {
    auto const r = run(spec, rule(name));
    for (auto const& row : r.seen.jobs) {
      CHECK(std::fabs(row.finish_s - finish) <= 1e-9 * finish);
      CHECK(std::fabs(row.energy_j - static_cast<double>(energy)) <= 1e-9 * row.energy_j);
    }
  }
}

TEST_CASE("Small time steps come to the same finish times and energy, to their step") {
  auto const fast = make_curve("fast", {{100, 2}, {250, 8}, {400, 10}}, 2), slow = make_curve("slow", {{150, 6}, {300, 10}}, 1);
  TimelineSpec spec;
  spec.jobs = {job("a", fast, 6), job("b", fast, 9, 2), job("c", slow, 5, 1), job("d", slow, 11)};
  spec.limit = {{0, 1500}, {3, 1300}, {5.5, 1200}, {8, 1150}, {12, 2000}};
  auto const r = run(spec, rule("proportional"));
  constexpr double dt = 1e-3;
  std::vector<double> left{6, 11, 5, 9}, finish(4, -1);  // in the run's order: a, d, c, b
  std::vector<Curve const*> const curves{&fast, &slow, &slow, &fast};
  std::vector<double> const submit{0, 0, 1, 2};
  double energy = 0;
  for (int step = 0; step < 40'000; ++step) {
    auto const t = step * dt;
    double limit = 0, total = 0;
    for (auto const& s : spec.limit)
      if (s.time_s <= t) limit = s.limit_w;
    auto const active = [&](std::size_t j) { return submit[j] <= t && finish[j] < 0; };
    for (std::size_t j = 0; j < 4; ++j)
      if (active(j)) total += curves[j]->gpus * curves[j]->curve.max_draw();
    auto const share = std::min(1.0, limit / total);  // no limit here is so low that a floor is met
    for (std::size_t j = 0; j < 4; ++j) {
      if (!active(j)) continue;
      auto const w = share * curves[j]->curve.max_draw();
      REQUIRE(w >= curves[j]->curve.min_draw());
      energy += curves[j]->gpus * w * dt;
      left[j] -= curves[j]->curve.speed(w) / curves[j]->curve.max_speed() * dt;
      if (left[j] <= 0) finish[j] = t + dt;
    }
  }
  for (std::size_t j = 0; j < 4; ++j) CHECK(std::fabs(r.seen.jobs[j].finish_s - finish[j]) < 10 * dt);
  CHECK(std::fabs(r.at(metric::energy_j) - energy) < 10 * dt * 2000);
}

TEST_CASE("Pauses, restarts, resizes, caps and hourly checkpoints of a list have finish times and energies in closed form") {
  auto const curve = make_curve("c", {{100, 4}, {200, 7}, {400, 10}}, 4);
  TimelineSpec spec;
  spec.jobs = {job("a", curve, 1000)};
  spec.cluster.gpus = 8;
  spec.checkpoint = {30, 90, 60, 20, 120, 0, 0, 0};  // save 30 s at 90 W, paused at 60 W, restart 20 s at 120 W
  TimelinePolicySpec replay;
  replay.kind = TimelinePolicySpec::Kind::replay;
  replay.label = "replay";
  using Kind = ActionSpec::Kind;
  replay.actions = {{Kind::resize, 900, "a", 8}, {Kind::cap, 100, "a", 200}, {Kind::pause, 300, "a", 0}, {Kind::resume, 500, "a", 0}};
  auto const r = run(spec, replay);
  // 100 s at 1, 200 s at 0.7 (cap 200 W), saved until 330, paused until 500, back at 520; 380 s at 0.7, saved until 930, on 8 GPUs from 950.
  auto const left = 1000 - 100 - 0.7 * 200 - 0.7 * 380;  // of the work on 4 GPUs
  auto const finish = 950 + left / 2 / 0.7;              // twice the GPUs, half the time
  auto const energy = 4 * (400 * 100 + 200 * 200 + 90 * 30 + 60 * 170 + 120 * 20 + 200 * 380 + 90 * 30.0) + 8 * (120 * 20 + 200 * (finish - 950));
  CHECK(r.seen.jobs[0].finish_s == Approx(finish).epsilon(1e-12));
  CHECK(r.seen.jobs[0].energy_j == Approx(energy).epsilon(1e-12));
  CHECK(r.at(metric::energy_overhead_j) == Approx(4 * (90 * 30 + 60 * 170 + 120 * 20 + 90 * 30.0) + 8 * 120 * 20.0).epsilon(1e-12));
  CHECK(r.at(metric::tokens) == Approx(10000).epsilon(1e-12));
  CHECK(r.seen.jobs[0].gpus == 8);

  // A cap of 150 W half-way between measured caps; acts 40 s after it is set. Checkpoints of 50 s every 300 s of its run, none while it is paused.
  spec.checkpoint = {0, 0, 60, 0, 0, 300, 50, 80};
  spec.control.settle_s = 40;
  replay.actions = {{Kind::cap, 60, "a", 150}, {Kind::pause, 580, "a", 0}, {Kind::resume, 640, "a", 0}};
  auto const s = run(spec, replay);
  // 100 s at 1, 200 s at 0.55, 50 s dip, 230 s at 0.55 until 580, paused until 640, 20 s at 0.55: the dip due at 600 comes at 660; then every 300 s.
  auto const rest = 1000 - 100 - 0.55 * (200 + 230 + 20 + 250 + 250 + 250 + 250);  // until the dip at 1860
  REQUIRE(rest > 0);
  REQUIRE(rest < 0.55 * 250);
  CHECK(s.seen.jobs[0].finish_s == Approx(1910 + rest / 0.55).epsilon(1e-12));
  CHECK(s.seen.count(EventKind::checkpoint) == 6);
}

TEST_CASE("A job's own checkpoints are counted in time that it runs: a pause in one is followed by its rest, and the k-th is computed, not accumulated") {
  auto const curve = make_curve("c", {{100, 4}, {400, 10}});
  TimelineSpec spec;
  spec.jobs = {job("a", curve, 500), job("b", curve, 500), job("serving", curve, 500)};
  spec.jobs[0].since_checkpoint_s = 5;  // in the middle of one
  spec.jobs[2].stateless = true;
  spec.checkpoint = {10, 50, 0, 20, 50, 100, 15, 80};
  TimelinePolicySpec replay;
  replay.kind = TimelinePolicySpec::Kind::replay;
  using Kind = ActionSpec::Kind;
  replay.actions = {{Kind::pause, 105, "b", 0}, {Kind::resume, 200, "b", 0}, {Kind::pause, 50, "serving", 0}, {Kind::resume, 60, "serving", 0}};
  auto const r = run(spec, replay);
  std::vector<double> a, b;
  for (auto const& e : r.seen.events)
    if (e.kind == EventKind::checkpoint) (e.job == 0 ? a : b).push_back(e.time_s);
  CHECK(a == std::vector<double>{95, 195, 295, 395, 495});
  CHECK(r.seen.jobs[0].finish_s == 500 + 10 + 5 * 15);
  // b: 5 s of the dip at 100 until the pause at 105; loaded at 220, the other 10 s, then 200 s of running time is at 315.
  CHECK(b == std::vector<double>{100, 315, 415, 515, 615});
  CHECK(r.seen.jobs[1].finish_s == 500 + 115 + 5 * 15);
  CHECK(r.seen.jobs[2].finish_s == 510);
}

TEST_CASE("Actions on jobs that do not run are ignored with a note, and unknown jobs are refused") {
  auto const curve = make_curve("c", {{100, 4}, {400, 10}});
  TimelineSpec spec;
  spec.jobs = {job("a", curve, 10)};
  TimelinePolicySpec replay;
  replay.kind = TimelinePolicySpec::Kind::replay;
  using Kind = ActionSpec::Kind;
  replay.actions = {{Kind::resume, 5, "a", 0}, {Kind::pause, 20, "a", 0}, {Kind::resize, 21, "a", 4}};
  auto const r = run(spec, replay);
  CHECK(r.seen.count(EventKind::ignored) == 1);  // the run ends with its last job
  CHECK(r.seen.jobs[0].finish_s == 10);
  spec.duration_s = 30;
  CHECK(run(spec, replay).seen.count(EventKind::ignored) == 3);
  replay.actions = {{Kind::pause, 5, "b", 0}};
  CHECK(refusal([&] { run(spec, replay); }) == "actions: there is no job \"b\"; actions name jobs by their id");
}

TEST_CASE("GPUs that are not free are not taken by a resize; those given up start other jobs") {
  auto const curve = make_curve("c", {{100, 4}, {400, 10}}, 4);
  TimelineSpec spec;
  spec.cluster.gpus = 8;
  spec.jobs = {job("a", curve, 100), job("b", curve, 100), job("c", curve, 10, 1, 2)};
  TimelinePolicySpec replay;
  replay.kind = TimelinePolicySpec::Kind::replay;
  using Kind = ActionSpec::Kind;
  replay.actions = {{Kind::resize, 10, "a", 6}, {Kind::resize, 20, "b", 2}};
  auto const r = run(spec, replay);
  CHECK(r.seen.count(EventKind::ignored) == 1);
  CHECK(r.seen.jobs[0].finish_s == 100);
  CHECK(r.seen.jobs[1].finish_s == 20 + 160);
  CHECK(r.seen.jobs[2].start_s == 20);
}

TEST_CASE("Deadlines and flex budgets are kept by the deadline policy where the rule alone would miss them") {
  auto const curve = make_curve("c", {{100, 4}, {200, 7}, {400, 10}}, 1);
  TimelineSpec spec;
  spec.jobs = {job("due", curve, 800), job("tier", curve, 500), job("any", curve, 500)};
  spec.jobs[0].deadline_s = 900;
  spec.jobs[1].mean_loss = 0.1;
  spec.limit = {{0, 1200}, {100, 750}, {2000, 1200}};
  auto const loose = run(spec, rule("proportional"));
  CHECK(loose.at(metric::deadline_misses) == 1);
  CHECK(loose.at(metric::budget_misses) == 1);
  auto policy = rule("proportional");
  policy.kind = TimelinePolicySpec::Kind::deadline;
  auto const r = run(spec, policy);
  CHECK(r.at(metric::deadline_misses) == 0);
  CHECK(r.at(metric::budget_misses) == 0);
  CHECK(r.at(metric::over_limit_s) == 0);
  auto const due = r.seen.jobs[1], tier = r.seen.jobs[2];  // any, due, tier
  CHECK(due.finish_s <= 900 * (1 + 1e-9));
  CHECK(tier.finish_s == Approx(500 / 0.9).epsilon(1e-9));
  // While all three run after 100 s: tier needs 400 / 455.6, due 700 / 800 of full speed; the third gets what is left of 750 W.
  auto const w = [&](double v) { return curve.curve.draw_for(10 * v); };
  auto const left = 750 - w(400 / (500 / 0.9 - 100)) - w(700.0 / 800);
  auto const& after = *std::ranges::find(r.seen.powers, 100.0, &Recorder::Power::time_s);
  CHECK(after.power_w == Approx(750).epsilon(1e-12));
  CHECK(left > 100);
  // Its energy until tier finishes: 100 s at 400 W, then `left`.
  auto const any = r.seen.jobs[0];
  CHECK(any.energy_j > 100 * 400 + left * (500 / 0.9 - 100));
  spec.carbon_g_per_kwh = {{150, 0}, {160, 0}, {170, 0}};  // looking again changes no bit
  auto const again = run(spec, policy);
  for (std::size_t j = 0; j < 3; ++j) CHECK(same_bits(again.seen.jobs[j].finish_s, r.seen.jobs[j].finish_s));
}
