#include "wattfill/report/timeline_files.hpp"

#include <algorithm>

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/timelines.hpp"

using namespace wattfill;
using namespace wattfill::testing;

namespace {

TimelineStudySpec small() {
  static Curve const curve = make_curve("c", {{100, 5}, {400, 10}}, 2);
  TimelineStudySpec study;
  study.run.jobs = {job("a", curve, 1000), job("b,\"x\"", curve, 0, 5)};
  study.run.jobs[0].deadline_s = 1500;
  study.run.limit = {{300, 200}};
  study.policies = {rule("proportional"), rule("oracle")};
  return study;
}

}  // namespace

TEST_CASE("Power, jobs and events of a run are written as they come, in numbers that read back bit for bit") {
  Folder const folder;
  auto const study = small();
  TimelineFiles files(folder.path(), {"limit.x"});
  run_replication(study, 0, [&](std::size_t p, Timeline const& timeline) {
    files.start(study.policies[p].shown(), 0, {"7"}, timeline);
    return p == 0 ? &files : nullptr;
  });
  files.commit();
  CHECK(text_of(folder / "power.csv") ==
        "policy,replication,limit.x,time_s,limit_w,gpu_w,it_w,meter_w\n"
        "proportional,0,7,0,,800,,\nproportional,0,7,300,200,200,,\nproportional,0,7,1700,200,0,,\n");
  CHECK(text_of(folder / "jobs.csv") ==
        "policy,replication,limit.x,job,submit_s,start_s,finish_s,energy_j,gpus,work_s,left_s,slowdown,deadline_s\n"
        "proportional,0,7,a,0,0,1700,520000,2,1000,0,1.7,1500\nproportional,0,7,\"b,\"\"x\"\"\",5,5,5,0,2,0,0,,\n");
  CHECK(text_of(folder / "events.csv") ==
        "policy,replication,limit.x,time_s,event,job,value\n"
        "proportional,0,7,0,submit,a,\nproportional,0,7,0,start,a,\nproportional,0,7,5,submit,\"b,\"\"x\"\"\",\n"
        "proportional,0,7,5,start,\"b,\"\"x\"\"\",\nproportional,0,7,5,finish,\"b,\"\"x\"\"\",\n"
        "proportional,0,7,300,limit,,200\nproportional,0,7,1700,finish,a,\n");
}

TEST_CASE("Rows and summary have a cell for every column, and what does not exist is empty") {
  auto const study = small();
  auto const metrics = run_replication(study, 0, {});
  auto const columns = [](std::string const& line) { return std::ranges::count(line.substr(0, line.find('\n')), ','); };
  auto const rows = timeline_rows(study, 3, metrics, {"7"});
  CHECK(columns(timeline_header({"s"})) == columns(rows));
  CHECK(std::ranges::count(rows, '\n') == 2);
  CHECK(rows.starts_with("proportional,3,7,2,0,1700,520000,520000,0,0,10000,"));
  auto const summary = timeline_summary_rows(study, result_of(study, metrics), {"7"});
  CHECK(columns(timeline_summary_header({"s"})) == columns(summary));
  CHECK(summary.starts_with("proportional,7,1,2,,,0,,,1700,,,"));
  CHECK_FALSE(contains(rows, "nan"));
  CHECK_FALSE(contains(summary, "nan"));
}

TEST_CASE("The printed table names the policies") {
  auto const study = small();
  auto const table = timeline_table(study, result_of(study, run_replication(study, 0, {})));
  CHECK(contains(table, "1 replication\n"));
  CHECK(contains(table, "proportional"));
  CHECK(contains(table, "1.7000"));
}
