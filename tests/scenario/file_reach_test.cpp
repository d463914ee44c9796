#include "wattfill/scenario/file_reach.hpp"

#include "scenario/mistakes.hpp"
#include "wattfill/scenario/pipeline_file.hpp"

using namespace wattfill;
namespace fs = std::filesystem;

namespace {

/// A folder `mine` with a scenario and libraries beside a file that is none of its business.
struct Strangers {
  TemporaryFolder folder;

  Strangers() {
    for (auto const* ending : {".yaml", ".csv"}) {
      fs::create_directories(folder.path() / "mine/curves");
      fs::copy_file(test_data() / (std::string("small") + ending), folder.path() / "mine/curves" / (std::string("small") + ending));
      fs::copy_file(test_data() / (std::string("twin") + ending), folder.path() / (std::string("twin") + ending));
    }
    folder.write("secret.csv", "id,curve,submit_s,work_s\nj,small/dense-b,0,secret\n");
    folder.write("mine/data/jobs.csv", "id,curve,submit_s,work_s\nj,small/dense-b,0,100\n");
  }
  std::string timeline(std::string const& trace) const {
    return "wattfill: 1\nname: t\nkind: timeline\ncurves: [small]\njobs: {trace: " + trace + "}\nlimit: {steps: [[0, 900]]}\npolicies: [proportional]\n";
  }
  std::string refusal(std::string const& text, LoadOptions const& options = {}) const {
    try {
      load_scenario(folder.write("mine/s.yaml", text), options);
    } catch (InputError const& error) {
      return folder.relative(error.what());
    }
    return "accepted";
  }
};

std::string outside(std::string const& what, std::string const& place) {
  return "mine/s.yaml:" + place + ": \"" + what +
         "\" lies outside of this file's folder and of the folders of curves (a scenario from a stranger could read any " +
         "file of yours); move it there, or add --allow-outside if you trust the scenario";
}

}  // namespace

TEST_CASE("A scenario reads files below its folder, however they are written, and no others") {
  Strangers const here;
  for (auto const* inside : {"data/jobs.csv", "./data/../data/jobs.csv", "../mine/data/jobs.csv"}) {
    INFO(inside);
    CHECK(here.refusal(here.timeline(inside)) == "accepted");
  }
  CHECK(here.refusal(here.timeline((here.folder / "mine/data/jobs.csv").string())) == "accepted");
  CHECK(here.refusal(here.timeline("../secret.csv")) == outside("../secret.csv", "5:15: jobs.trace"));
  CHECK(here.refusal(here.timeline("data/../../secret.csv")) == outside("data/../../secret.csv", "5:15: jobs.trace"));
  CHECK(here.refusal(here.timeline("/etc/passwd")) == outside("/etc/passwd", "5:15: jobs.trace"));
  CHECK(here.refusal(here.timeline("../nowhere.csv")) == outside("../nowhere.csv", "5:15: jobs.trace"));  // nor is said what is there
}

TEST_CASE("Links are followed before it is asked where a file lies") {
  Strangers const here;
  fs::create_symlink("../../secret.csv", here.folder.path() / "mine/data/link.csv");
  fs::create_directory_symlink("..", here.folder.path() / "mine/up");
  fs::create_symlink("jobs.csv", here.folder.path() / "mine/data/same.csv");
  CHECK(here.refusal(here.timeline("data/link.csv")) == outside("data/link.csv", "5:15: jobs.trace"));
  CHECK(here.refusal(here.timeline("up/secret.csv")) == outside("up/secret.csv", "5:15: jobs.trace"));
  CHECK(here.refusal(here.timeline("data/same.csv")) == "accepted");
}

TEST_CASE("What the user says counts: --allow-outside, --set, and folders given for curves") {
  Strangers const here;
  auto const readable = here.refusal(here.timeline("../secret.csv"), {{}, {}, {}, Outside::allowed});
  CHECK(readable == "mine/../secret.csv:2:19: work_s: \"secret\" is not a number; write digits, '.' for decimals, and no unit");
  CHECK(here.refusal(here.timeline("data/jobs.csv"), {{"jobs.trace=../secret.csv"}, {}, {}}) == readable);
  CHECK(here.refusal(scenario_with({{4, "curves: [../twin.yaml]"}})) == outside("../twin.yaml", "4:10: curves.0"));
  CHECK(here.refusal(scenario_with({{4, "curves: [../twin.yaml]"}}), {{}, {here.folder.path()}, {}}) == "accepted");
}

TEST_CASE("Libraries, models, actions, series and profiles are held to the same reach") {
  Strangers const here;
  fs::create_symlink("../../twin.yaml", here.folder.path() / "mine/curves/twin.yaml");  // by name, in the folder that came with the scenario
  fs::create_symlink("../../twin.csv", here.folder.path() / "mine/curves/twin.csv");
  CHECK(here.refusal(scenario_with({{4, "curves: [twin]"}})) == outside("twin", "4:10: curves.0"));
  fs::remove(here.folder.path() / "mine/curves/twin.yaml");
  fs::copy_file(here.folder.path() / "twin.yaml", here.folder.path() / "mine/curves/twin.yaml");  // the points alone are a link
  CHECK(here.refusal(scenario_with({{4, "curves: [twin]"}})) == outside("twin", "4:10: curves.0"));

  CHECK(here.refusal(scenario_with({{8, "policies: [proportional, pfi-aware]"}, {9, "pfi: {source: predicted, model: ../model.yaml}"}})) ==
        outside("../model.yaml", "9:33: pfi.model"));
  CHECK(here.refusal(scenario_with({{4, "curves: [small]"}, {9, "training: {job: ../job.yaml}"}})) == outside("../job.yaml", "9:17: training.job"));
  auto const base = here.timeline("data/jobs.csv");
  CHECK(here.refusal(base + "price: ../price.csv\n") == outside("../price.csv", "8:8: price"));
  auto text = base;
  text.replace(text.find("{steps: [[0, 900]]}"), 19, "{series: ../limit.csv}");
  CHECK(here.refusal(text) == outside("../limit.csv", "6:17: limit.series"));
  text = base;
  text.replace(text.find("[proportional]"), 14, "[{name: replay, actions: ../a.csv}]");
  CHECK(here.refusal(text + "reference: replay\n") == outside("../a.csv", "7:36: policies.0.actions"));

  here.folder.write("mine/job.yaml",
                    "wattfill: 1\nname: j\nkind: pipeline\nmegatron: {pipeline-model-parallel-size: 2, micro-batch-size: 1, global-batch-size: 4}\n"
                    "gpu: {model: NVIDIA A100 SXM, tdp_w: 400, blocking_w: 83.64}\nprofile: {file: ../profile.csv}\n");
  try {
    load_pipeline(here.folder / "mine/job.yaml");
    FAIL("accepted");
  } catch (InputError const& error) {
    CHECK(error.problems().front().what.starts_with("\"../profile.csv\" lies outside"));
  }
  try {
    load_pipeline(here.folder / "mine/job.yaml", {}, Outside::allowed);
    FAIL("accepted");
  } catch (InputError const& error) {
    CHECK(here.folder.relative(error.what()) == "mine/../profile.csv: there is no such file; check the path");
  }
}
