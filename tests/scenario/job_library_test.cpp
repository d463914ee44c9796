#include "wattfill/scenario/job_library.hpp"

#include "scenario/mistakes.hpp"

using namespace wattfill;

namespace {

std::string const job_text =
    "wattfill: 1\nname: two\nkind: pipeline\nmegatron: {pipeline-model-parallel-size: 2, global-batch-size: 4}\n"
    "profile: {file: profile.csv}\ngpu: {model: A100, tdp_w: 400, blocking_w: 50}\ntau_s: 0.25\ncosts: measured\ncurve: {task: pretraining}\n";

std::string profile() {
  std::string text = "stage,instruction,clock_mhz,time_s,energy_j\n";
  for (auto const* stage : {"0", "1"})
    for (auto const* what : {"forward", "backward"}) text += std::string(stage) + "," + what + ",1000,1,300\n" + stage + "," + what + ",500,2,260\n";
  return text;
}

/// The libraries here are named by their paths; that they lie in a folder of curves makes them readable.
Scenario load(std::filesystem::path const& file) { return load_scenario(file, {{}, {std::filesystem::path(WATTFILL_SOURCE_DIR) / "curves"}, {}}); }

}  // namespace

TEST_CASE("A job gives its curve under one limit and its curve on the frontier, both at its full speed") {
  TemporaryFolder const folder;
  folder.write("profile.csv", profile());
  auto const library = job_library(load_pipeline(folder.write("job.yaml", job_text)), "mine");
  REQUIRE(library.curves.size() == 2);
  auto const *uniform = library.find("job"), *frontier = library.find("job-perseus");
  REQUIRE(uniform);
  REQUIRE(frontier);
  CHECK(frontier->curve.max_speed() == uniform->curve.max_speed());
  CHECK(frontier->curve.max_draw() < uniform->curve.max_draw());
  CHECK(frontier->curve.min_draw() < uniform->curve.min_draw());
  CHECK(frontier->task == "pretraining");
  CHECK(is_optimised("job-perseus"));
  CHECK(is_optimised("a-kareus"));
  CHECK_FALSE(is_optimised("job"));
  CHECK_FALSE(is_optimised("-perseus"));
}

TEST_CASE("A scenario takes curves from training jobs and optimises a share of a group; its mistakes are named") {
  TemporaryFolder const folder;
  folder.write("profile.csv", profile());
  folder.write("job.yaml", job_text);
  auto const study = [&](std::string const& training, std::string const& group, std::string const& more = "") {
    return folder.write("s.yaml", "wattfill: 1\nname: s\nkind: snapshot\ncurves: [" +
                                      (std::filesystem::path(WATTFILL_SOURCE_DIR) / "curves/emerald-a100.yaml").string() + "]\n" + training +
                                      "mixes:\n  m: {jobs: 10, draw: {g: {" + group + "}}}\ncuts: [0.3]\npolicies: [proportional]\n" + more);
  };
  auto const refused = [&](std::filesystem::path const& file) {
    try {
      load(file);
    } catch (InputError const& error) {
      return folder.relative(error.what());
    }
    return std::string("accepted");
  };
  auto const scenario = load(study("training: {mine: job.yaml}\n", "where: {library: mine}, optimised: {share: 0.25}, weight: 4"));
  auto const& draw = scenario.points[0].study.mixes[0].draw;
  REQUIRE(draw.size() == 2);
  CHECK(draw[0].curves.at(0)->name == "job");
  CHECK(draw[0].weight == 3);
  CHECK(draw[1].curves.at(0)->name == "job-perseus");
  CHECK(draw[1].weight == 1);
  auto const swept =
      load(study("training: {mine: job.yaml}\n", "where: {library: mine}, optimised: {share: 0}", "sweep: {mixes.m.draw.g.optimised.share: [0, 1]}\n"));
  CHECK(swept.points[0].study.mixes[0].draw.at(0).name == "g");
  CHECK(swept.points[1].study.mixes[0].draw.at(0).name == "g-perseus");
  CHECK(load(study("training: {mine: job.yaml}\n", "where: {library: mine}")).points[0].study.mixes[0].draw.at(0).curves.size() == 2);
  CHECK(refused(study("training: {mine: job.yaml}\n", "where: {library: mine}, optimised: {share: 0.5, by: kareus}")) ==
        "s.yaml:7:63: mixes.m.draw.g.optimised: no curve kareus is there for mine/job (a library holds NAME and NAME-kareus); use a library that has both, or "
        "remove optimised");
  CHECK(refused(study("training: {mine: none.yaml}\n", "where: {}")).find("none.yaml") != std::string::npos);
  CHECK(refused(study("training: {emerald-a100: job.yaml}\n", "where: {}")) ==
        "s.yaml:5:26: training.emerald-a100: two curve libraries are called \"emerald-a100\" (LIBRARY/CURVE would mean either); rename one");
}

TEST_CASE("A share of a group may run Kareus: the curves of a job made of partitions, drawn and scored") {
  TemporaryFolder const folder;
  folder.write(
      "job.yaml",
      "wattfill: 1\nname: k\nkind: pipeline\nmegatron: {pipeline-model-parallel-size: 2, global-batch-size: 4}\ngpu: {model: A100, tdp_w: 400, blocking_w: "
      "85}\n"
      "tau_s: 0.0005\ncosts: measured\nkareus: {clocks_mhz: [1410, 1200, 1005], sms: [4, 20], partitions: {f: {count: 28, groups: [[2e11, 2e8], [0, 3e8]], "
      "message_bytes: 1.5e8}, b: {direction: backward, count: 28, groups: [[4e11, 3e8], [0, 3e8]], message_bytes: 1.5e8}}}\n");
  auto const scenario = load(folder.write(
      "s.yaml",
      "wattfill: 1\nname: s\nkind: snapshot\ncurves: [" + (std::filesystem::path(WATTFILL_SOURCE_DIR) / "curves/emerald-a100.yaml").string() +
          "]\ntraining: {mine: job.yaml}\nmixes:\n  m: {jobs: 10, draw: {g: {where: {library: mine}, optimised: {share: 0, by: kareus}}}}\ncuts: [0.3]\n"
          "policies: [proportional]\nsweep: {mixes.m.draw.g.optimised.share: [0, 0.5, 1]}\n"));
  REQUIRE(scenario.points.size() == 3);
  auto const& plain = scenario.points[0].study.mixes[0].draw;
  auto const& half = scenario.points[1].study.mixes[0].draw;
  auto const& all = scenario.points[2].study.mixes[0].draw;
  REQUIRE(half.size() == 2);
  CHECK(half[0].curves.at(0)->name == "job");
  CHECK(half[1].name == "g-kareus");
  CHECK(half[1].weight == half[0].weight);
  CHECK(half[1].curves.at(0)->name == "job-kareus");
  // Overlap is faster at full draw, and slower clocks reach lower.
  CHECK(all.at(0).curves.at(0)->curve.max_speed() > 1.1 * plain.at(0).curves.at(0)->curve.max_speed());
  CHECK(all.at(0).curves.at(0)->curve.min_draw() < plain.at(0).curves.at(0)->curve.min_draw());
}
