#include "wattfill/report/study_files.hpp"

#include <charconv>
#include <cmath>
#include <set>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/snapshots.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

/// CSV as RFC 4180 reads it.
std::vector<std::vector<std::string>> parse_csv(std::string const& text) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const c = text[i];
    if (quoted) {
      if (c != '"')
        rows.back().back() += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        rows.back().back() += text[++i];
      else
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      rows.back().push_back("");
    } else if (c == '\n') {
      rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  REQUIRE(rows.back() == std::vector<std::string>{""});  // the text ends with its last line
  rows.pop_back();
  return rows;
}

double number(std::string const& cell) {
  if (cell.empty()) return std::nan("");
  double x = 0;
  auto const end = std::from_chars(cell.data(), cell.data() + cell.size(), x).ptr;
  REQUIRE(end == cell.data() + cell.size());
  return x;
}

/// One job on one GPU, 128 to 384 W, 10 to 40 tokens/s; a cut of a quarter.
struct OneJob {
  Curve curve = make_curve("a", {{128, 10}, {384, 40}});
  StudySpec study;
  OneJob() {
    MixSpec mix;
    mix.name = "m";
    mix.listed = {{&curve, 1, {}}};
    study.mixes = {mix};
    study.cuts = {0.25};
    study.policies = {policy("proportional"), labelled(policy("oracle"), "best")};
  }
};

std::string rows_text(Folder const& folder, StudySpec const& study, std::vector<std::string> const& columns = {}, std::vector<std::string> const& values = {},
                      unsigned threads = 1) {
  ReplicationsCsv file(folder / "replications.csv", columns);
  file.start(study, values);
  RunOptions options;
  options.rows = &file;
  run_study(study, *make_executor(threads), options);
  file.commit();
  return text_of(folder / "replications.csv");
}

}  // namespace

TEST_CASE("replications.csv of one job, to the byte") {
  Folder const folder("rows");
  OneJob const one;
  // 288 W of 384: 160/256 of the way from a quarter to full speed, 0.71875, 28.75 tokens/s. Headroom 256 W. An empty cell is not a number.
  CHECK(rows_text(folder, one.study) ==
        "mix,replication,policy,cut,target_w,power_w,shortfall_w,speed,speed_per_job,speed_normalized,speed_gpu,speed_p5,speed_min,objective_value,hull_gap,"
        "share_worse,"
        "share_below_min,jain_index,headroom_w,rank_errors\n"
        "m,0,proportional,0.25,288,288,0,28.75,28.75,0.71875,0.71875,0.71875,0.71875,0.71875,,0,0,1,256,0\n"
        "m,0,best,0.25,288,288,0,28.75,28.75,0.71875,0.71875,0.71875,0.71875,0.71875,0,0,0,1,256,0\n");
}

TEST_CASE("a limit in watts leaves the cut empty; sweep columns follow it; odd names are quoted") {
  Folder const folder("names");
  OneJob one;
  one.study.mixes[0].name = "a,\"b\"";
  one.study.policies[1].label = "two\nlines";
  one.study.limits_w = {288};
  auto const rows = parse_csv(rows_text(folder, one.study, {"mixes.m.jobs", "x,y"}, {"100", "\"q\""}));
  REQUIRE(rows.size() == 3);
  CHECK(std::vector<std::string>(rows[0].begin(), rows[0].begin() + 7) ==
        std::vector<std::string>{"mix", "replication", "policy", "cut", "mixes.m.jobs", "x,y", "target_w"});
  CHECK(std::vector<std::string>(rows[2].begin(), rows[2].begin() + 7) == std::vector<std::string>{"a,\"b\"", "0", "two\nlines", "", "100", "\"q\"", "288"});
  for (auto const& row : rows) CHECK(row.size() == rows[0].size());
}

TEST_CASE("every number of replications.csv reads back bit for bit, in order, the same file for any threads") {
  Folder const folder("bits");
  Draws draws(2);
  auto const curves = random_curves(draws, 6);
  auto const study = small_study(curves);
  auto const text = rows_text(folder, study);
  CHECK(rows_text(folder, study, {}, {}, 3) == text);
  auto const rows = parse_csv(text);
  REQUIRE(rows.size() == 1 + 301 * 12 * 3);
  Snapshot const snapshot(study.mixes[0], study.policies, targets_of(study), study.belief, study.objective, study.seed);
  std::size_t line = 1;
  for (std::uint64_t r = 0; r < 300; ++r) {
    auto const scored = replicate(snapshot, r);
    for (std::size_t p = 0; p < 12; ++p)
      for (std::size_t t = 0; t < 3; ++t, ++line) {
        auto const& row = rows[line];
        REQUIRE(row[0] == "drawn");
        REQUIRE(row[1] == std::to_string(r));
        REQUIRE(row[2] == study.policies[p].name);
        REQUIRE(number(row[3]) == study.cuts[t]);
        for (std::size_t s = 0; s < score::count; ++s) {
          auto const x = scored.at(p, t, s), y = number(row[4 + s]);
          if (!(std::isnan(x) ? row[4 + s].empty() : same_bits(x, y))) FAIL("line " << line << ", score " << s << ": " << x << " became " << row[4 + s]);
        }
      }
  }
}

TEST_CASE("summary.csv: a row per mix, policy and cut; means, intervals and gaps are the study's; one replication has no interval") {
  Draws draws(2);
  auto const curves = random_curves(draws, 6);
  auto study = small_study(curves);
  study.outer.draws = 5;
  study.outer.clusters = true;
  auto const result = run_study(study, *make_thread_executor(1));
  auto const rows = parse_csv(summary_header({"sweep"}) + summary_rows(study, result, {"s"}));
  REQUIRE(rows.size() == 1 + 2 * 12 * 3);
  auto const column = [&](std::string const& name) {
    auto const found = std::ranges::find(rows[0], name);
    REQUIRE(found != rows[0].end());
    return static_cast<std::size_t>(found - rows[0].begin());
  };
  auto const names = std::set<std::string>(rows[0].begin(), rows[0].end());
  CHECK(names.size() == rows[0].size());
  std::size_t line = 1;
  for (std::size_t m = 0; m < 2; ++m)
    for (std::size_t p = 0; p < 12; ++p)
      for (std::size_t t = 0; t < 3; ++t, ++line) {
        auto const& row = rows[line];
        auto const& mix = result.mixes[m];
        CAPTURE(line);
        REQUIRE(row.size() == rows[0].size());
        CHECK(row[column("mix")] == study.mixes[m].name);
        CHECK(row[column("policy")] == study.policies[p].name);
        CHECK(row[column("sweep")] == "s");
        CHECK(row[column("count")] == (m == 0 ? "300" : "1"));
        auto const c = result.column(p, t, score::objective);
        CHECK(same_bits(number(row[column("objective_value")]), mix.scores.mean(c)));
        CHECK(row[column("objective_value_low")].empty() == (m == 1));
        if (m == 0) CHECK(same_bits(number(row[column("objective_value_high")]), mix.scores.mean(c) + mix.scores.half_width(c)));
        CHECK(same_bits(number(row[column("objective_value_vs_reference")]), mix.vs_reference.mean(c)));
        CHECK(same_bits(number(row[column("objective_value_vs_oracle")]), mix.vs_oracle.mean(c)));
        auto const& gap = mix.gap_closed[p * 3 + t];
        CHECK(row[column("gap_closed")].empty() == std::isnan(gap.value));
        if (!std::isnan(gap.value)) CHECK(same_bits(number(row[column("gap_closed")]), gap.value));
        CHECK(row[column("hull_gap")].empty() == (study.policies[p].name != "oracle"));
        CHECK(row[column("outer_draws")] == "5");
        CHECK_FALSE(row[column("objective_value_outer_low")].empty());
        CHECK_FALSE(row[column("share_below_min_outer_high")].empty());
        CHECK_FALSE(row[column("shortfall_w_outer")].empty());
      }
}

TEST_CASE("summary.csv without reference, oracle or outer bootstrap leaves their cells empty") {
  OneJob one;
  one.study.policies = {policy("equal-split")};
  auto const result = run_study(one.study, *make_thread_executor(1));
  auto const rows = parse_csv(summary_header({}) + summary_rows(one.study, result, {}));
  REQUIRE(rows.size() == 2);
  for (std::size_t c = 0; c < rows[0].size(); ++c) {
    CAPTURE(rows[0][c]);
    for (auto part : {"_vs_", "gap_closed", "outer"})
      if (contains(rows[0][c], part)) CHECK(rows[1][c].empty());
  }
}

TEST_CASE("allocation.csv of one job, to the byte") {
  OneJob const one;
  CHECK(allocation_header({"x"}) + allocation_rows(allocations(one.study, 0), {"1"}) ==
        "mix,policy,cut,x,curve,job_priority,agreed_speed,jobs,gpus_per_job,draw_w,cap_w,speed_normalized\n"
        "m,proportional,0.25,1,lab/a,1,0,1,1,288,288,0.71875\n"
        "m,best,0.25,1,lab/a,1,0,1,1,288,288,0.71875\n");
}

TEST_CASE("the printed table names every mix and policy and shows first and last target") {
  Draws draws(2);
  auto const curves = random_curves(draws, 6);
  auto study = small_study(curves);
  study.cuts = {0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45};
  auto const text = summary_table(study, run_study(study, *make_thread_executor(1)));
  for (auto part : {"drawn: 300 replications", "listed: 1 replication,", "cut 0 ", "cut 0.45", "gap closed", "worse off"}) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }
  for (auto const& p : study.policies) CHECK(contains(text, p.name));
}
