#include "wattfill/study/study.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/snapshots.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

/// Keeps all rows as numbers, and as a text that says which rows came when.
class Rows final : public RowSink {
 public:
  void format(std::size_t mix, std::uint64_t first, std::uint64_t count, std::span<double const> scores, RowText& text) const override {
    if (count == 0 || scores.size() % count != 0) throw std::logic_error("ragged");
    text.aside = std::to_string(mix) + " " + std::to_string(first) + " " + std::to_string(count) + "\n";
    text.aside.append(reinterpret_cast<char const*>(scores.data()), scores.size_bytes());
  }
  void write(std::string_view aside, std::string_view) override {
    std::string const text(aside);
    auto const end = text.find('\n');
    unsigned long long mix = 0, first = 0, count = 0;
    if (std::sscanf(text.c_str(), "%llu %llu %llu", &mix, &first, &count) != 3) throw std::logic_error("no head");
    heads.push_back({mix, first, count});
    std::vector<double> numbers((text.size() - end - 1) / sizeof(double));
    std::memcpy(numbers.data(), text.data() + end + 1, numbers.size() * sizeof(double));
    values.insert(values.end(), numbers.begin(), numbers.end());
  }
  std::vector<std::array<unsigned long long, 3>> heads;
  std::vector<double> values;
};

std::deque<Curve> const& shared_curves() {
  static auto const curves = [] {
    Draws draws(21);
    return random_curves(draws, 7);
  }();
  return curves;
}

void append(std::vector<double>& all, Moments const& moments, std::size_t columns) {
  for (std::size_t c = 0; c < columns; ++c) {
    all.push_back(moments.mean(c));
    all.push_back(moments.half_width(c));
  }
}

/// Every number of a result in one row.
std::vector<double> numbers_of(StudyResult const& result) {
  std::vector<double> all;
  auto const columns = result.policies * result.targets * score::count;
  for (auto const& mix : result.mixes) {
    append(all, mix.scores, columns);
    if (result.reference) append(all, mix.vs_reference, columns);
    if (result.oracle) append(all, mix.vs_oracle, columns);
    for (auto const* estimates : {&mix.gap_closed, &mix.gap_closed_outer, &mix.objective_outer})
      for (auto const& e : *estimates) all.insert(all.end(), {e.value, e.low, e.high});
  }
  for (auto& x : all)
    if (std::isnan(x)) x = -99;
  return all;
}

}  // namespace

TEST_CASE("results and rows are the same bits with 1, 2, 3 and 8 threads and both executors") {
  auto study = small_study(shared_curves());
  study.outer.draws = 6;
  study.outer.clusters = true;
  std::vector<double> results, rows;
  for (unsigned threads : {1U, 2U, 3U, 8U})
    for (auto const& executor : {make_executor(threads), make_thread_executor(threads)}) {
      CAPTURE(threads);
      Rows sink;
      RunOptions options;
      options.rows = &sink;
      auto const numbers = numbers_of(run_study(study, *executor, options));
      if (results.empty()) {
        results = numbers;
        rows = sink.values;
        CHECK(rows.size() == 301 * study.policies.size() * study.cuts.size() * score::count);
      }
      CHECK(same_bits(numbers, results));
      CHECK(same_bits(sink.values, rows));
      std::uint64_t next = 0;
      for (auto const& [mix, first, count] : sink.heads) {  // mixes one after the other, replications without a gap
        CHECK(first == (mix == 0 ? next : 0));
        if (mix == 0) next += count;
      }
      CHECK(next == 300);
    }
  CHECK(same_bits(numbers_of(run_study(study, *make_thread_executor(1))), results));  // rows are observation only
}

TEST_CASE("means, intervals and paired differences are those of the rows") {
  auto const study = small_study(shared_curves());
  Rows sink;
  RunOptions options;
  options.rows = &sink;
  auto const result = run_study(study, *make_thread_executor(2), options);
  auto const columns = result.policies * result.targets * score::count;
  REQUIRE(result.reference == 1);
  REQUIRE(result.oracle == 11);
  auto const value = [&](std::size_t row, std::size_t column) { return sink.values[row * columns + column]; };
  auto const length = result.targets * score::count;
  for (std::size_t c = 0; c < columns; ++c) {
    if (c % score::count == score::hull_gap) continue;
    long double sum = 0, difference = 0, squares = 0;
    for (std::size_t r = 0; r < 300; ++r) {
      sum += value(r, c);
      difference += value(r, c) - value(r, *result.reference * length + c % length);
    }
    for (std::size_t r = 0; r < 300; ++r) squares += (value(r, c) - sum / 300) * (value(r, c) - sum / 300);
    auto const& mix = result.mixes[0];
    CAPTURE(c);
    REQUIRE(mix.scores.count() == 300);
    REQUIRE(mix.scores.mean(c) == Approx(static_cast<double>(sum / 300)).epsilon(1e-12).margin(1e-14));
    REQUIRE(mix.vs_reference.mean(c) == Approx(static_cast<double>(difference / 300)).epsilon(1e-9).margin(1e-9));
    REQUIRE(mix.scores.half_width(c) == Approx(1.959963984540054 * std::sqrt(static_cast<double>(squares) / 299 / 300)).epsilon(1e-9).margin(1e-9));
  }
  // Gap closed is a ratio of means over mixes.
  for (std::size_t p = 0; p < result.policies; ++p) {
    auto const at = [&](std::size_t policy) { return result.mixes[0].scores.mean(result.column(policy, 2, score::objective)); };
    CHECK(result.mixes[0].gap_closed[p * 3 + 2].value == Approx((at(p) - at(1)) / (at(11) - at(1))).margin(1e-9));
    CHECK(std::isnan(result.mixes[0].gap_closed[p * 3].value));  // cut 0
  }
}

TEST_CASE("a study that stops ends after the first piece with which the interval is narrow enough, with any threads, and its rows are the first of all") {
  auto study = small_study(shared_curves());
  study.mixes.resize(1);
  study.mixes[0].replications = 5000;
  study.policies = {policy("proportional"), policy("oracle")};
  study.cuts = {0.1, 0.3};
  constexpr std::uint64_t piece = 1092;  // 14 chunks of 5000 / 64 replications
  RunOptions options;
  Rows all;
  options.rows = &all;
  run_study(study, *make_thread_executor(2), options);
  auto const half_width = [&](std::uint64_t n, std::size_t column) {
    double sum = 0, squares = 0;
    auto const value = [&](std::uint64_t r) { return all.values[r * 4 * score::count + column]; };
    for (std::uint64_t r = 0; r < n; ++r) sum += value(r);
    auto const mean = sum / static_cast<double>(n);
    for (std::uint64_t r = 0; r < n; ++r) squares += (value(r) - mean) * (value(r) - mean);
    return 1.959963984540054 * std::sqrt(squares / static_cast<double>(n - 1) / static_cast<double>(n));
  };
  auto const widest = [&](std::uint64_t n, std::size_t first, std::size_t end) {
    double most = 0;
    for (auto cell = first; cell < end; ++cell) most = std::max(most, half_width(n, cell * score::count + score::speed_gpu));
    return most;
  };
  struct Case {
    StopSpec stop;
    std::uint64_t expected;
  };
  auto const between = [&](std::size_t first, std::size_t end) { return (widest(2 * piece, first, end) + widest(3 * piece, first, end)) / 2; };
  std::vector<Case> const cases{{{score::speed_gpu, between(0, 4), "", 1024}, 3 * piece},
                                {{score::speed_gpu, between(2, 4), "oracle", 1024}, 3 * piece},
                                {{score::speed_gpu, 10, "", 1093}, 2 * piece},
                                {{score::speed_gpu, 10, "", 2}, piece},
                                {{score::speed_gpu, 1e-12, "", 2}, 5000},
                                {{score::hull_gap, 10, "", 2}, 5000}};  // it is NaN but for the oracle
  for (auto const& [stop, expected] : cases) {
    study.stop = stop;
    std::vector<double> first;
    for (unsigned threads : {1U, 2U, 3U}) {
      CAPTURE(stop.half_width, stop.policy, stop.least, threads);
      Rows rows;
      std::uint64_t done = 0;
      options.rows = &rows;
      options.progress = [&](std::uint64_t more) { done += more; };
      auto const result = run_study(study, *make_thread_executor(threads), options);
      REQUIRE(result.mixes[0].scores.count() == expected);
      REQUIRE(done == 5000);
      auto const values = std::span(all.values).first(expected * 4 * score::count);
      REQUIRE(same_bits(rows.values, std::vector<double>(values.begin(), values.end())));
      double sum = 0;
      for (std::uint64_t r = 0; r < expected; ++r) sum += values[r * 4 * score::count + 3 * score::count + score::objective];
      CHECK(result.mixes[0].scores.mean(result.column(1, 1, score::objective)) == Approx(sum / static_cast<double>(expected)).epsilon(1e-12));
      CHECK(result.mixes[0].gap_closed[3].value == 1);
      CHECK(result.mixes[0].gap_closed[3].low == 1);
      if (first.empty()) first = numbers_of(result);
      REQUIRE(same_bits(numbers_of(result), first));
    }
  }
}

TEST_CASE("a single replication is that row of the full run, and mixes without it are left out") {
  auto const study = small_study(shared_curves());
  Rows all;
  RunOptions options;
  options.rows = &all;
  run_study(study, *make_thread_executor(2), options);
  auto const columns = study.policies.size() * study.cuts.size() * score::count;
  for (std::uint64_t r : {0, 1, 63, 64, 299}) {
    CAPTURE(r);
    Rows one;
    RunOptions only;
    only.rows = &one;
    only.replication = r;
    auto const result = run_study(study, *make_executor(3), only);
    CHECK(result.mixes.size() == (r == 0 ? 2 : 1));
    CHECK(replications_of(study, only) == result.mixes.size());
    CHECK(one.heads.front() == std::array<unsigned long long, 3>{0, r, 1});
    CHECK(same_bits(std::span(one.values).first(columns), std::span(all.values).subspan(r * columns, columns)));
    CHECK(result.mixes[0].scores.mean(0) == one.values[0]);
    CHECK(std::isnan(result.mixes[0].scores.half_width(0)));
  }
  RunOptions beyond;
  beyond.replication = 300;
  CHECK(contains(refusal([&] { run_study(study, *make_thread_executor(1), beyond); }), "no mix has so many replications"));
}

TEST_CASE("another mix, another policy and another cut change nothing of what was there") {
  auto study = small_study(shared_curves());
  study.mixes.resize(1);
  auto const before = run_study(study, *make_thread_executor(1));
  auto extra = study.mixes[0];
  extra.name = "another";
  study.mixes.insert(study.mixes.begin(), extra);
  study.policies.push_back(expression("p_max"));
  study.cuts.push_back(0.5);
  auto const after = run_study(study, *make_thread_executor(1));
  for (std::size_t p = 0; p < before.policies; ++p)
    for (std::size_t t = 0; t < before.targets; ++t)
      for (std::size_t s = 0; s < score::count; ++s) {
        auto const was = before.mixes[0].scores.mean(before.column(p, t, s)), is = after.mixes[1].scores.mean(after.column(p, t, s));
        REQUIRE((same_bits(was, is) || (std::isnan(was) && std::isnan(is))));
      }
  CHECK(after.mixes[0].scores.mean(after.column(1, 1, score::objective)) != after.mixes[1].scores.mean(after.column(1, 1, score::objective)));
}

TEST_CASE("different seeds, different mixes; the interval shrinks with replications") {
  auto study = small_study(shared_curves());
  study.mixes.resize(1);
  auto const objective = [&] { return run_study(study, *make_thread_executor(1)).mixes[0].scores; };
  auto const column = (1 * 3 + 2) * score::count + score::objective;
  auto const first = objective();
  study.seed = 0;
  CHECK(objective().mean(column) != first.mean(column));
  study.mixes[0].replications = 4800;  // 16 times as many: a quarter of the width, to 5 sigma of its own error (1/sqrt(2 x 300))
  CHECK(objective().half_width(column) / first.half_width(column) == Approx(0.25).epsilon(5 * 0.041));
}

TEST_CASE("a chunk holds at most 1024 replications and blocks stay bounded, however long the study") {
  auto study = small_study(shared_curves());
  study.mixes.resize(1);
  study.policies = {policy("proportional"), policy("oracle")};
  study.cuts = {0.2};
  study.mixes[0].jobs = 5;
  study.mixes[0].replications = 100001;
  Rows sink;
  RunOptions options;
  options.rows = &sink;
  std::uint64_t done = 0;
  options.progress = [&](std::uint64_t n) { done += n; };
  auto const result = run_study(study, *make_thread_executor(2), options);
  for (auto const& [mix, first, count] : sink.heads) CHECK(count <= 1024);
  CHECK(done == 100001);
  CHECK(result.mixes[0].scores.count() == 100001);
  CHECK(result.mixes[0].gap_closed[1].value == 1);
}

TEST_CASE("progress adds up to the replications of the study, outer ones included") {
  auto study = small_study(shared_curves());
  study.outer.draws = 3;
  study.outer.clusters = true;
  std::uint64_t done = 0;
  RunOptions options;
  options.progress = [&](std::uint64_t n) { done += n; };
  run_study(study, *make_executor(2), options);
  CHECK(done == 4 * 301);
  CHECK(replications_of(study, {}) == 4 * 301);
}

TEST_CASE("a run that is stopped ends with Interrupted, in the study and in the outer bootstrap") {
  auto study = small_study(shared_curves());
  study.mixes.resize(1);
  study.outer.draws = 100;
  for (std::uint64_t at : {0, 1, 300, 600}) {
    for (unsigned threads : {1U, 3U}) {
      CAPTURE(at, threads);
      std::atomic<bool> stop{at == 0};
      std::uint64_t done = 0;
      RunOptions options;
      options.stop = &stop;
      options.progress = [&](std::uint64_t n) {
        done += n;
        if (done >= at) stop = true;
      };
      CHECK_THROWS_AS(run_study(study, *make_executor(threads), options), Interrupted);
      CHECK_THROWS_AS(run_study(study, *make_thread_executor(threads), options), Interrupted);
    }
  }
}

TEST_CASE("without a reference or an oracle there are no differences to them and no gap closed") {
  auto study = small_study(shared_curves());
  study.policies = {policy("equal-split"), policy("oracle")};
  auto result = run_study(study, *make_thread_executor(1));
  CHECK(result.reference == std::nullopt);
  CHECK(result.oracle == 1);
  CHECK(result.mixes[0].gap_closed.empty());
  CHECK(result.mixes[0].vs_reference.count() == 0);
  study.reference = "split";
  study.policies = {labelled(policy("equal-split"), "split"), policy("quadratic")};
  result = run_study(study, *make_thread_executor(1));
  CHECK(result.reference == 0);
  CHECK(result.oracle == std::nullopt);
  CHECK(result.mixes[0].vs_reference.count() == 300);
  CHECK(result.mixes[0].gap_closed.empty());
}

TEST_CASE("a result knows the jobs of its mix, drawn or listed") {
  auto const result = run_study(small_study(shared_curves()), *make_thread_executor(1));
  CHECK(result.mixes[0].jobs == 25);
  CHECK(result.mixes[1].jobs == 21);  // seven curves, three jobs each
}

TEST_CASE("targets are the cuts, or the limits in watts where there are any") {
  StudySpec study;
  study.cuts = {0.1, 0.2};
  CHECK(targets_of(study).size() == 2);
  CHECK(targets_of(study)[1].value == 0.2);
  study.limits_w = {5000};
  REQUIRE(targets_of(study).size() == 1);
  CHECK(targets_of(study)[0].kind == Target::Kind::limit_w);
}

TEST_CASE("allocations of a replication: every mix that has it, every policy and target, and they are the snapshot's") {
  auto const study = small_study(shared_curves());
  auto const first = allocations(study, 0), later = allocations(study, 5);
  CHECK(first.size() == 2 * 12 * 3);
  CHECK(later.size() == 12 * 3);
  Snapshot const snapshot(study.mixes[0], study.policies, targets_of(study), study.belief, study.objective, study.seed);
  auto const expected = snapshot.allocate(5, 11, 2);
  auto const& found = later.back();
  CHECK(found.mix == "drawn");
  CHECK(found.policy == "oracle");
  REQUIRE(found.classes.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(same_bits(found.classes[i].draw_w, expected[i].draw_w));
}
