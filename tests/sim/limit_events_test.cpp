#include "wattfill/sim/limit_events.hpp"

#include <algorithm>
#include <cmath>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/timelines.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double at(std::vector<LimitStep> const& steps, double x) {
  double now = !steps.empty() && steps.front().time_s <= 0 ? steps.front().limit_w : never;
  for (auto const& step : steps)
    if (step.time_s <= x) now = step.limit_w;
  return now;
}

}  // namespace

TEST_CASE("A fall is owed a ramp later and aimed for a lead earlier; a rise counts at once") {
  std::vector<LimitStep> const announced{{0, 900}, {100, 500}, {300, 900}};
  CHECK(owed_limit(announced, {0, 0, 0}) == announced);
  CHECK(owed_limit(announced, {0, 50, 0}) == std::vector<LimitStep>{{0, 900}, {150, 500}, {300, 900}});
  CHECK(owed_limit(announced, {0, 250, 0}) == std::vector<LimitStep>{{0, 900}});  // over before it had to be met
  CHECK(aimed_limit(announced, {20, 0, 20}) == std::vector<LimitStep>{{-20, 900}, {80, 500}, {300, 900}});
  CHECK(aimed_limit(announced, {0, 50, -30}) == std::vector<LimitStep>{{0, 900}, {130, 500}, {300, 900}});
  // A limit that begins later than the run is a fall, too.
  CHECK(owed_limit(std::vector<LimitStep>{{10, 900}}, {0, 5, 0}) == std::vector<LimitStep>{{15, 900}});
  CHECK(aimed_limit(std::vector<LimitStep>{{10, 900}}, {5, 0, 5}) == std::vector<LimitStep>{{5, 900}});
  CHECK(owed_limit({}, {0, 5, 0}).empty());
}

TEST_CASE("Owed and aimed limits are the extremes of their windows at every instant of random limits") {
  Draws draws(3);
  for (int n = 0; n < 200; ++n) {
    std::vector<LimitStep> steps;
    double t = draws.chance(0.5) ? 0 : draws.between(1, 50);
    for (std::size_t i = 0, count = 1 + draws.below(12); i < count; ++i, t += std::floor(draws.between(1, 40)))
      steps.push_back({t, 100.0 * double(draws.below(6))});
    auto const ramp = std::floor(draws.between(0, 60)), lead = std::floor(draws.between(-ramp, 60));
    LimitTerms const terms{60, ramp, lead};
    auto const owed = owed_limit(steps, terms), aimed = aimed_limit(steps, terms);
    for (int k = 0; k < 60; ++k) {
      auto const x = std::floor(draws.between(0, 300)) + (draws.chance(0.5) ? 0.5 : 0.0);
      // The extreme over a closed window: its ends and every step within.
      auto const extreme = [&](double from, double to, bool highest) {
        double best = at(steps, from);
        for (auto const& step : steps)
          if (from <= step.time_s && step.time_s <= to) best = highest ? std::max(best, step.limit_w) : std::min(best, step.limit_w);
        return best;
      };
      INFO("case " << n << ", x " << x << ", ramp " << ramp << ", lead " << lead);
      CHECK(at(owed, x) == extreme(x - ramp, x, true));
      CHECK(at(aimed, x) == (lead >= 0 ? extreme(x, x + lead, false) : extreme(x + lead, x, true)));
    }
  }
}

TEST_CASE("Random events have the gaps, depths and lengths that were asked for, the same for every policy, others in every replication") {
  LimitEventsSpec spec{1000, 3600, 0.1, 0.3, 600, 900, 4200.0 * 20000};
  auto const limit = draw_limit(spec, 5, 0);
  CHECK(draw_limit(spec, 5, 0) == limit);
  CHECK(draw_limit(spec, 5, 1) != limit);
  CHECK(draw_limit(spec, 6, 0) != limit);
  CHECK(limit.front() == LimitStep{0, 1000});
  double gaps = 0, lengths = 0, cuts = 0, n = 0;
  for (std::size_t i = 1; i + 1 < limit.size(); i += 2) {
    gaps += limit[i].time_s - limit[i - 1].time_s;
    lengths += limit[i + 1].time_s - limit[i].time_s;
    auto const cut = 1 - limit[i].limit_w / 1000;
    CHECK((0.1 - 1e-12 <= cut && cut <= 0.3 + 1e-12));
    cuts += cut;
    ++n;
    CHECK(limit[i + 1].limit_w == 1000);
  }
  // Standard errors: 3600 / sqrt(n); 900 sqrt(exp(s^2) - 1) / sqrt(n) with exp(s^2) = (900 / 600)^2; 0.2 / sqrt(12 n). Bands of 3 sigma.
  CHECK(n > 15000);
  CHECK(std::abs(gaps / n - 3600) < 3 * 3600 / std::sqrt(n));
  CHECK(std::abs(lengths / n - 900) < 3 * 900 * std::sqrt(1.25) / std::sqrt(n));
  CHECK(std::abs(cuts / n - 0.2) < 3 * 0.2 / std::sqrt(12 * n));
  spec.mean_gap_s = spec.median_s = spec.mean_s = 1e-3;
  CHECK(refusal([&] { draw_limit(spec, 0, 0); }) == "limit.random: there are more than a million events; raise mean_gap_s, or end them earlier (until_s)");
}

TEST_CASE("A fleet that acts ahead is under the limit in time; one that uses its ramp owes nothing before its deadline") {
  auto const curve = make_curve("c", {{100, 5}, {400, 10}});
  auto const study = [&](LimitTerms const& terms) {
    std::vector<LimitStep> const announced{{0, 400}, {100, 100}, {300, 400}};
    TimelineSpec spec;
    spec.jobs = {job("a", curve, 1000)};
    spec.limit = owed_limit(announced, terms);
    spec.aim = aimed_limit(announced, terms);
    return run(spec, rule("proportional"));
  };
  auto const early = study({20, 0, 20}), late = study({0, 50, -50});
  CHECK(early.seen.jobs[0].finish_s == 1000 + 110);  // 220 s at half speed
  CHECK(early.at(metric::unused_j) == 0);            // below a limit that does not bind
  CHECK(late.seen.jobs[0].finish_s == 1000 + 75);    // 150 s
  CHECK(late.at(metric::over_limit_s) == 0);
  CHECK(early.seen.count(EventKind::aim) == 3);
  // Acting as it falls while the ramp is owed: as without a ramp, and nothing is over the limit.
  auto const prompt = study({0, 50, 0});
  CHECK(prompt.seen.jobs[0].finish_s == 1000 + 100);
  CHECK(prompt.at(metric::over_limit_s) == 0);
}
