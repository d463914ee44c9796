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
  CHECK(files.commit() == std::vector<std::string>{"power.csv", "jobs.csv", "events.csv"});
  CHECK(text_of(folder / "power.csv") ==
        "policy,replication,limit.x,time_s,limit_w,gpu_w,it_w,meter_w,meter_shown_w,limit_it_w,limit_meter_w\n"
        "proportional,0,7,0,,800,,,,,\nproportional,0,7,300,200,200,,,,,\nproportional,0,7,1700,200,0,,,,,\n");
  CHECK(text_of(folder / "jobs.csv") ==
        "policy,replication,limit.x,job,submit_s,start_s,finish_s,energy_j,gpus,work_s,left_s,slowdown,deadline_s\n"
        "proportional,0,7,a,0,0,1700,520000,2,1000,0,1.7,1500\nproportional,0,7,\"b,\"\"x\"\"\",5,5,5,0,2,0,0,,\n");
  CHECK(text_of(folder / "events.csv") ==
        "policy,replication,limit.x,time_s,event,job,value\n"
        "proportional,0,7,0,submit,a,\nproportional,0,7,0,start,a,\nproportional,0,7,5,submit,\"b,\"\"x\"\"\",\n"
        "proportional,0,7,5,start,\"b,\"\"x\"\"\",\nproportional,0,7,5,finish,\"b,\"\"x\"\"\",\n"
        "proportional,0,7,300,limit,,200\nproportional,0,7,1700,finish,a,\n");
}

TEST_CASE("With a facility the power rows go on to the meter, and every component has its energy") {
  Folder const folder;
  auto study = small();
  FacilitySpec facility;  // hosts draw half of what the GPUs draw above idle, a quarter of the IT load is lost in cables
  facility.gpus = 2;
  facility.host_per_gpu_watt = 0.5;
  facility.distribution_loss = 0.25;
  study.run.metering = {facility, {{600, 21}}};
  study.run.cluster.gpus = 2;
  study.run.jobs.pop_back();
  study.run.limit.clear();
  study.run.meter_limit = {{300, 375}};
  TimelineFiles files(folder.path(), {});
  run_replication(study, 0, [&](std::size_t p, Timeline const& timeline) {
    files.start(study.policies[p].shown(), 0, {}, timeline);
    return p == 0 ? &files : nullptr;
  });
  CHECK(files.commit() == std::vector<std::string>{"power.csv", "jobs.csv", "events.csv", "facility.csv"});
  CHECK(text_of(folder / "power.csv") ==
        "policy,replication,time_s,limit_w,gpu_w,it_w,meter_w,meter_shown_w,limit_it_w,limit_meter_w\n"
        "proportional,0,0,,800,1200,1500,1500,,\nproportional,0,300,375,200,300,375,375,,375\nproportional,0,1700,375,0,0,0,0,,375\n");
  CHECK(contains(text_of(folder / "events.csv"), "proportional,0,300,limit_meter,,375\nproportional,0,600,outdoor,,21\n"));
  auto const parts = text_of(folder / "facility.csv");
  CHECK(parts.starts_with("policy,replication,component,energy_j,share,meaning\n"));
  // 300 s at 800 W and 1400 s at 200 W of GPUs: 520 kJ, half as much in hosts, a quarter of both in cables.
  CHECK(contains(parts, "proportional,0,gpu,520000,0.5333333333333333,"));
  CHECK(contains(parts, "proportional,0,host,260000,"));
  CHECK(contains(parts, "proportional,0,distribution,195000,0.2,"));
  CHECK(std::ranges::count(parts, '\n') == 12);
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
