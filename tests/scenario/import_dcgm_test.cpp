// Raw logs into a curve library.
#include <span>
#include <string>

#include "support/catch.hpp"
#include "support/folder.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/scenario/import/import.hpp"

using namespace wattfill;
using wattfill::testing::Folder;

namespace {

std::string const runs_header = "curve,cap_w,gpus,power_log,throughput_log\n";
// Start-up to 10 s, training from then on, an evaluation from 14 s to 16 s, the end at 20 s.
std::string const speed_log = "time_s,tokens_per_s,phase\n10,0,train\n12,100,train\n14,104,train\n16,0,eval\n18,96,train\n20,100,train\n";

struct Logs {
  Folder folder;
  std::string power = "time_s,index,power_w\n5,0,90\n11,0,300\n11,1,310\n13,0,302\n13,1,308\n15,0,100\n17,0,304\n19,0,320\n21,0,80\n";
  std::string speed = speed_log, runs = runs_header + "job,400,2,p400.csv,s.csv\njob,200,2,p200.csv,s200.csv\n";

  Imported read(ImportRequest request = {}) {
    folder.write("p400.csv", power);
    folder.write("p200.csv", "time_s,index,power_w\n11,0,200\n11,1,198\n13,0,200\n13,1,198\n");
    folder.write("s.csv", speed);
    folder.write("s200.csv", "time_s,tokens_per_s\n10,50\n12,60\n14,60\n");
    request.input = folder.write("runs.csv", runs).string();
    request.library_name = "lab";
    if (request.gpu.empty()) request.gpu = "H100";
    return import_format("dcgm").read(request);
  }
  std::string refusal(ImportRequest const& request = {}) {
    try {
      read(request);
    } catch (InputError const& error) {
      return folder.relative(error.what());
    }
    return "accepted";
  }
};

std::span<CurvePoint const> points(Imported const& imported) { return imported.library.curves.front().curve.points(); }

}  // namespace

TEST_CASE("Only training counts: start-up, warm-up, evaluations and what comes after the end are left out of power and speed") {
  Logs logs;
  auto const imported = logs.read();
  REQUIRE(points(imported).size() == 2);
  auto const& top = points(imported)[1];
  CHECK(top.cap_w == 400);
  CHECK(top.power_w == Approx((300 + 310 + 302 + 308 + 304 + 320) / 6.0));
  CHECK(top.speed == Approx((0 + 100 + 104 + 96 + 100) / 5.0));  // the first row, of no speed yet, is training unless it is warm-up
  CHECK(imported.library.speed_unit == "tokens/s");
  CHECK(imported.library.curves.front().gpus == 2);
  CHECK(imported.library.tdp_w == 400);
  CHECK(imported.notes.front() ==
        "read job at 400 W: 5 rows of speed, 307.3333333333333 W, 80; power samples left out: 1 of start-up, 0 of warm-up, 1 of "
        "evaluations and checkpoints, 1 after the end");
}

TEST_CASE("The warm-up is cut by time, pauses are kept when asked for, and the statistic is the one that is named") {
  Logs logs;
  CHECK(points(logs.read({.warm_up_s = 3}))[1].speed == Approx((104 + 96 + 100) / 3.0));
  CHECK(points(logs.read({.warm_up_s = 3}))[1].power_w == Approx((302 + 308 + 304 + 320) / 4.0));
  auto const kept = logs.read({.keep_pauses = true});
  CHECK(points(kept)[1].power_w == Approx((300 + 310 + 302 + 308 + 304 + 320 + 100) / 7.0));
  CHECK(points(kept)[1].speed == Approx(400 / 6.0));
  CHECK(kept.library.statistic == "mean of training samples, evaluations and checkpoints kept");
  auto const median = logs.read({.statistic = "median"});
  CHECK(points(median)[1].power_w == 306);
  CHECK(points(median)[1].speed == 100);
  auto const top = logs.read({.statistic = "top-10"});  // one of six, one of five
  CHECK(points(top)[1].power_w == 320);
  CHECK(points(top)[1].speed == 104);
  CHECK(top.library.statistic == "mean of the top 10 % of training samples, of power and speed apart (arXiv:2609.11542; not mean power)");
  CHECK(logs.refusal({.statistic = "mode"}) == "--statistic: \"mode\" is not one that can be taken; write mean, median or top-10");
}

TEST_CASE("nvidia-smi's own form: dates, blanks, units behind numbers, missing readings; counters become telemetry") {
  Logs logs;
  logs.power =
      "timestamp, index, power.draw [W], utilization.gpu [%]\n"
      "2026/02/28 23:59:59.500, 0, 300.00 W, 90 %\n2026/02/28 23:59:59.500, 1, 310.00 W, 100 %\n2026/03/01 00:00:00.500, 0, [N/A], 80 %\n";
  logs.speed = "timestamp,tokens_per_s\n2026-02-28T23:59:59,100\n2026-03-01T00:00:01,110\n";
  logs.runs = runs_header + "job,400,2,p400.csv,s.csv\njob,200,2,p200.csv,s200.csv\n";
  auto const imported = logs.read();
  CHECK(points(imported)[1].power_w == 305);
  CHECK(imported.library.curves.front().telemetry.at("utilization_gpu") == Approx(90));
  CHECK(imported.notes[1] == "job at 400 W: 1 samples without power are left out");
}

TEST_CASE("Energy counters give the mean power, and one that falls is noticed") {
  Logs logs;
  // GPU 0 uses 300 W, falls once; GPU 1 uses 310 W.
  logs.power = "time_s,gpu,energy_mj\n10,0,1000000\n12,0,1600000\n13,0,5000\n14,0,305000\n10,1,0\n12,1,620000\n14,1,1240000\n";
  auto const imported = logs.read();
  CHECK(points(imported)[1].power_w == Approx(305));
  CHECK(imported.notes[0] == "job at 400 W: mean power from energy counters");
  CHECK(imported.notes[2] == "job at 400 W: an energy counter fell 1 time (rolled over or reset); these intervals are left out");
}

TEST_CASE("Units that are not said, and logs that do not fit together, are refused") {
  auto const with = [](auto change, ImportRequest const& request = {}) {
    Logs logs;
    change(logs);
    return logs.refusal(request);
  };
  CHECK(with([](Logs& l) { l.power = "time_s,index,power.draw\n11,0,300\n11,1,300\n"; }) ==
        "p400.csv:1:1: power.draw: its name does not say its unit (watts and milliwatts look alike); call it power_w or power_mw, or give --power-unit W");
  CHECK(with([](Logs& l) { l.power = "time_s,index,power.draw\n11,0,300000\n11,1,300000\n"; }, {.power_unit = "mW"}) == "accepted");
  CHECK(with([](Logs& l) { l.power = "time_s,index,energy\n11,0,300\n11,1,300\n"; }) ==
        "p400.csv:1:1: energy: its name does not say its unit (joules and millijoules look alike); call it energy_j, energy_mj or "
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION");
  CHECK(with([](Logs& l) { l.power = "index,power_w\n0,300\n"; }) ==
        "p400.csv:1:1: time_s: there is no time in it (samples belong to phases by their time); add a column time_s or timestamp");
  CHECK(with([](Logs& l) { l.power = "time_s,index,power_w\n11,0,300\n"; }) ==
        "p400.csv: index: the log speaks of 1 GPUs, the run of 2 (a draw is that of one GPU, so both must be known); correct gpus, or log every GPU of the job "
        "and no other");
  CHECK(with([](Logs& l) { l.power = "time_s,index,power_w\n11,0,a lot\n"; }) ==
        "p400.csv:2:6: power_w: \"a lot\" is not a number of W; correct or remove the row");
  CHECK(with([](Logs& l) { l.power = "timestamp,index,power_w\n2026/13/01 00:00:00,0,300\n"; }) ==
        "p400.csv:2:1: timestamp: \"2026/13/01 00:00:00\" is not a time such as 2026/11/30 13:05:07.250; correct or remove the row");
  CHECK(with([](Logs& l) { l.power = "timestamp,index,power_w\n2026/12/01 00:00:00,0,300\n2026/12/01 00:00:00,1,300\n"; }) ==
        "s.csv:1:1: time_s: this log counts time otherwise than p400.csv (one has dates, the other seconds); give both the same clock");
  CHECK(with([](Logs& l) { l.power = "time_s,index,power_w\n99,0,300\n99,1,300\n"; }) ==
        "p400.csv: there is no power while the job trains (the clocks of the two logs may differ); check their times");
  CHECK(with([](Logs& l) { l.speed = "time_s,tokens_per_s\n12,100\n12,100\n"; }) ==
        "s.csv:3:1: time_s: the times do not ascend (a restarted run has a log of its own); split the file or sort it");
  CHECK(with([](Logs& l) { l.speed = "time_s,steps\n12,100\n"; }) ==
        "s.csv:1:1: throughput: there is no speed in it; call the column throughput, or by its unit, such as tokens_per_s; the columns are: time_s, steps");
  CHECK(with([](Logs& l) { l.speed = "time_s,tokens_per_s,phase\n12,100,eval\n"; }) ==
        "s.csv: phase: no row is left as training (warm-up, start-up, evaluations and checkpoints are not counted); check phases and --warm-up");
  CHECK(with([](Logs& l) { l.speed = "time_s,throughput\n10,0\n12,100\n20,100\n"; }) ==
        "runs.csv: throughput_log: the logs count speed in several units (a library has one); import the runs of each unit apart");
  CHECK(with([](Logs& l) {
          l.runs = runs_header + "job,400,2,p400.csv,s.csv\njob,200,4,p200.csv,s200.csv\n";
        }).ends_with("correct gpus, or log every GPU of the job and no other"));
  CHECK(with([](Logs& l) { l.runs = runs_header + "job,0,2,p400.csv,s.csv\n"; }) == "runs.csv:2:5: cap_w: 0 is out of range (above 0 is possible)");
  Logs logs;
  logs.speed = "time_s,throughput\n10,0\n12,100\n20,100\n";
  logs.runs = runs_header + "job,400,2,p400.csv,s.csv\njob,300,2,p400.csv,s.csv\n";
  CHECK(logs.refusal() ==
        "runs.csv: throughput_log: the unit of throughput is not said (tokens and samples look alike); call the column by it, such as tokens_per_s, or give "
        "--speed-unit tokens/s");
  CHECK(logs.refusal({.speed_unit = "samples/s"}) == "accepted");
}
