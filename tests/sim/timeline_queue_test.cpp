// Who starts when: order of the queue, backfill, holding back, and the waits of queueing theory.
#include <algorithm>
#include <cmath>
#include <map>

#include "sim/job_queue.hpp"
#include "support/catch.hpp"
#include "support/timelines.hpp"
#include "wattfill/core/fixed_math.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

Curve const& plain() {
  static Curve const curve = make_curve("plain", {{100, 5}, {400, 10}}, 1);
  return curve;
}

std::map<std::string, double> starts(TimelineSpec const& spec) {
  Timeline const timeline(spec);
  Recorder seen;
  timeline.run(rule("proportional"), &seen);
  std::map<std::string, double> by_id;
  for (std::size_t j = 0; j < seen.jobs.size(); ++j) by_id[timeline.jobs()[j].id] = seen.jobs[j].start_s;
  return by_id;
}

double exponential(Draws& draws, double mean) { return -mean * fixed_log(1 - draws.share()); }

/// Probability of waiting in M/M/c (Erlang C), offered load a = lambda / mu.
double erlang_c(int c, double a) {
  double term = 1, sum = 1;
  for (int k = 1; k < c; ++k) sum += term *= a / k;
  auto const last = term * a / c * c / (c - a);
  return last / (sum + last);
}

}  // namespace

TEST_CASE("First come first served blocks behind the head; EASY lets short and narrow jobs pass it") {
  TimelineSpec spec;
  spec.cluster.gpus = 10;
  spec.jobs = {job("a", plain(), 100, 0, 6), job("b-wide", plain(), 100, 1, 8),  // reserved for 100
               job("c-short", plain(), 50, 2, 4), job("d-long", plain(), 500, 3, 2), job("e-long", plain(), 500, 4, 1)};
  spec.queue.order = QueueSpec::Order::fcfs;
  auto order = starts(spec);
  CHECK(order == std::map<std::string, double>{{"a", 0}, {"b-wide", 100}, {"c-short", 200}, {"d-long", 200}, {"e-long", 200}});
  spec.queue.order = QueueSpec::Order::easy;
  order = starts(spec);
  // c ends before 100; at 52 d takes the two GPUs that b leaves free, e would delay b and waits.
  CHECK(order == std::map<std::string, double>{{"a", 0}, {"b-wide", 100}, {"c-short", 2}, {"d-long", 52}, {"e-long", 200}});
}

TEST_CASE("Jobs start by priority, and waiting makes up for it at the given rate") {
  TimelineSpec spec;
  spec.cluster.gpus = 1;
  spec.queue.order = QueueSpec::Order::fcfs;
  spec.queue.by_priority = true;
  spec.jobs = {job("first", plain(), 7200), job("low", plain(), 10, 1), job("high", plain(), 10, 3601)};
  spec.jobs[1].terms.priority = 1;
  spec.jobs[2].terms.priority = 3;
  CHECK(starts(spec)["low"] == 7210);
  spec.queue.aging_per_h = 1.9;  // low has waited 1 h longer
  CHECK(starts(spec)["low"] == 7210);
  spec.queue.aging_per_h = 2.1;
  CHECK(starts(spec)["low"] == 7200);
}

TEST_CASE("Held back, jobs start only while the limit has room for all floors; admitted, they start at once") {
  TimelineSpec spec;
  spec.cluster.gpus = 10;
  spec.jobs = {job("a", plain(), 400, 0, 4), job("b", plain(), 100, 10, 2), job("c", plain(), 100, 20, 1)};
  spec.limit = {{0, 550}, {50, 700}};
  CHECK(starts(spec)["b"] == 10);
  spec.queue.hold = true;
  auto const held = starts(spec);
  CHECK(held.at("a") == 0);
  CHECK(held.at("b") == 50);  // floors 400 + 200 W
  CHECK(held.at("c") == 50);  // behind it
}

TEST_CASE("A reservation is the first time with enough free GPUs, with all that end then") {
  std::vector<JobQueue::Running> running{{50, 2}, {20, 3}, {50, 4}, {10, 1}};
  auto const r = JobQueue::reserve(running, 1, 6);
  CHECK(r.time_s == 50);
  CHECK(r.spare == 5);
}

TEST_CASE("EASY never delays the reservation that the head of the queue was given (1000 random traces)") {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Draws draws(seed);
    TimelineSpec spec;
    spec.cluster.gpus = 4 + static_cast<double>(draws.below(28));
    for (int j = 0; j < 40; ++j) {
      auto const work = draws.chance(0.1) ? 0 : std::floor(draws.between(1, 300));
      spec.jobs.push_back(
          job("j" + std::to_string(j), plain(), work, std::floor(draws.between(0, 1500)), 1 + double(draws.below(std::size_t(spec.cluster.gpus)))));
      if (draws.chance(0.5)) spec.jobs.back().estimate_s = work * draws.between(1, 5);  // users ask for more than they need
    }
    Timeline const timeline(spec);
    Recorder seen;
    timeline.run(rule("proportional"), &seen);
    // Replays the starts: whenever a job becomes the head that cannot start, its reservation by the estimates of the jobs then running.
    auto const jobs = timeline.jobs();
    auto const estimate = [&](std::size_t j) { return jobs[j].estimate_s < 0 ? jobs[j].work_s : jobs[j].estimate_s; };
    for (std::size_t head = 0; head < jobs.size(); ++head) {
      auto const start = seen.jobs[head].start_s;
      // It became the head when all that came before it had started.
      auto since = jobs[head].submit_s;
      for (std::size_t j = 0; j < head; ++j) since = std::max(since, seen.jobs[j].start_s);
      if (!(start > since)) continue;
      std::vector<JobQueue::Running> running;
      auto free = spec.cluster.gpus;
      for (std::size_t j = 0; j < jobs.size(); ++j) {
        // Those that run at `since`, but not those that were let past it then.
        if (j == head || !(seen.jobs[j].start_s <= since) || !(seen.jobs[j].finish_s > since) || (j > head && seen.jobs[j].start_s == since)) continue;
        running.push_back({seen.jobs[j].start_s + estimate(j), jobs[j].gpus});
        free -= jobs[j].gpus;
      }
      REQUIRE(free < jobs[head].gpus);
      INFO("seed " << seed << ", job " << jobs[head].id);
      REQUIRE(start <= JobQueue::reserve(running, free, jobs[head].gpus).time_s * (1 + 1e-12));
    }
    double peak = 0;
    for (auto const& p : seen.powers) peak = std::max(peak, p.power_w);
    REQUIRE(peak <= 400 * spec.cluster.gpus);
  }
}

TEST_CASE("Waits are those of M/M/c, M/D/1 and M/G/1, and Little's law holds, within three sigma of batch means") {
  enum Work { exponential_work, fixed_work, two_kinds };  // all of mean 1
  struct Case {
    int servers;
    double load;  // of one server
    Work work;
    double expected_wait;
  };
  // M/M/c: C(c, a) / (c mu - lambda) with work of mean 1. M/G/1 (Pollaczek and Khinchine): lambda E[S^2] / (2 (1 - rho)); M/D/1: E[S^2] = 1; four
  // fifths of 1/2 and one of 3: 2.
  for (auto const& c : {Case{1, 0.5, exponential_work, 1.0}, Case{4, 0.7, exponential_work, erlang_c(4, 2.8) / (4 - 2.8)}, Case{1, 0.6, fixed_work, 0.6 / 0.8},
                        Case{1, 0.5, two_kinds, 0.5 * 2 / (2 * 0.5)}}) {
    Draws draws(42);
    TimelineSpec spec;
    spec.cluster.gpus = c.servers;
    spec.queue.order = QueueSpec::Order::fcfs;
    constexpr std::size_t jobs = 30'000, batches = 30;
    double t = 0;
    for (std::size_t j = 0; j < jobs; ++j) {
      t += exponential(draws, 1 / (c.load * c.servers));
      spec.jobs.push_back(job(std::to_string(j), plain(),
                              c.work == exponential_work ? exponential(draws, 1)
                              : c.work == fixed_work     ? 1
                              : draws.chance(0.8)        ? 0.5
                                                         : 3,
                              t));
    }
    Timeline const timeline(std::move(spec));
    Recorder seen;
    auto const m = timeline.run(rule("proportional"), &seen);
    std::vector<double> means(batches, 0.0);
    for (std::size_t j = 0; j < jobs; ++j) means[j * batches / jobs] += (seen.jobs[j].start_s - timeline.jobs()[j].submit_s) * batches / jobs;
    double mean = 0, spread = 0;
    for (double x : means) mean += x / batches;
    for (double x : means) spread += (x - mean) * (x - mean) / (batches - 1);
    INFO(c.servers << " servers: " << mean << " expected " << c.expected_wait << " sigma " << std::sqrt(spread / batches));
    CHECK(std::fabs(mean - c.expected_wait) < 3 * std::sqrt(spread / batches));
    CHECK(m[metric::wait_mean_s] == Approx(mean).epsilon(1e-9));
    // Little: the mean number of jobs that wait, over time, is arrivals a second x mean wait; by the events of the log, in three sigma of the theory's.
    double waiting = 0, number = 0, last = 0;
    for (auto const& e : seen.events) {
      waiting += number * (e.time_s - last);
      last = e.time_s;
      number += e.kind == EventKind::submit ? 1 : e.kind == EventKind::start ? -1 : 0;
    }
    CHECK(waiting / jobs == Approx(mean).epsilon(1e-9));
    auto const rate = c.load * c.servers;
    CHECK(std::fabs(waiting / last - rate * c.expected_wait) < 3 * rate * std::sqrt(spread / batches));
    // The mean number of jobs in service, seen by the power drawn, is arrivals x mean service time: an identity of sums over the whole run.
    double work = 0;
    for (auto const& j : timeline.jobs()) work += j.work_s;
    CHECK(m[metric::energy_j] / 400 == Approx(work).epsilon(1e-12));
  }
}
