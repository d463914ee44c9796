#include "wattfill/study/timeline_study.hpp"

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/timelines.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

Curve const& curve() {
  static Curve const c = make_curve("c", {{100, 5}, {400, 10}}, 2);
  return c;
}

TimelineStudySpec random_jobs(std::uint64_t replications) {
  TimelineStudySpec study;
  study.seed = 5;
  study.run.cluster = {16, 50};
  study.run.limit = {{0, 4000}, {20'000, 2500}};
  study.arrivals.emplace();
  study.arrivals->rate_per_h = 20;
  study.arrivals->until_s = 40'000;
  study.arrivals->replications = replications;
  ArrivalGroup group;
  group.name = "g";
  group.curves = {&curve()};
  group.work = {600, 900, {}};
  study.arrivals->groups = {group};
  study.policies = {rule("proportional"), rule("oracle")};
  return study;
}

}  // namespace

TEST_CASE("A timeline study gives the same bits whatever the threads, and each replication alone those of the whole") {
  auto const study = random_jobs(70);
  std::vector<double> rows, again;
  auto const take = [](std::vector<double>& into) {
    return TimelineOptions{[&](std::uint64_t, std::span<double const> m) { into.insert(into.end(), m.begin(), m.end()); }, {}, nullptr};
  };
  auto const one = run_timelines(study, *make_thread_executor(1), take(rows));
  auto const three = run_timelines(study, *make_thread_executor(3), take(again));
  CHECK(same_bits(rows, again));
  CHECK(one.metrics.count() == 70);
  CHECK(*one.reference == 0);
  for (std::size_t m = 0; m < metric::count; ++m) CHECK(same_bits(one.metrics.mean(m), three.metrics.mean(m)));
  auto const alone = run_replication(study, 66, {});
  CHECK(same_bits(alone, std::span(rows).subspan(66 * alone.size(), alone.size())));
  CHECK(one.vs_reference.mean(one.column(0, metric::energy_j)) == 0);
  CHECK(one.metrics.mean(one.column(1, metric::finished)) > 0);
}

TEST_CASE("Different seeds give different jobs, and a policy more changes no other's row") {
  auto study = random_jobs(1);
  auto const first = run_replication(study, 0, {});
  study.seed = 6;
  CHECK_FALSE(same_bits(first, run_replication(study, 0, {})));
  study.seed = 5;
  study.policies.insert(study.policies.begin(), rule("equal-split"));
  auto const more = run_replication(study, 0, {});
  CHECK(same_bits(first, std::span(more).subspan(metric::count)));
}

TEST_CASE("One replication is a result of its own, and a stop ends the run") {
  auto const study = random_jobs(3);
  auto const row = run_replication(study, 2, {});
  auto const result = result_of(study, row);
  CHECK(result.metrics.count() == 1);
  CHECK(result.metrics.mean(result.column(1, metric::end_s)) == row[metric::count + metric::end_s]);
  std::atomic<bool> const stop{true};
  CHECK_THROWS_AS(run_timelines(study, *make_thread_executor(1), {{}, {}, &stop}), Interrupted);
}

TEST_CASE("A policy that cannot be made is named") {
  auto study = random_jobs(1);
  study.policies.push_back(rule("no-such"));
  CHECK(contains(refusal([&] { run_replication(study, 0, {}); }), "no-such"));
}
