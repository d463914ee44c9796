#include "wattfill/scenario/pipeline_file.hpp"

#include "support/catch.hpp"
#include "support/folder.hpp"

using namespace wattfill;
using wattfill::testing::Folder;

namespace {

constexpr char const* job_text =
    "wattfill: 1\nname: two\nkind: pipeline\n"
    "megatron: {pipeline-model-parallel-size: 2, tensor-model-parallel-size: 4, global-batch-size: 3}\n"
    "profile: {file: profile.csv, repeat: 2}\n"
    "gpu: {model: A100, tdp_w: 400, blocking_w: 80}\n";
constexpr char const* profile_text =
    "stage,instruction,clock_mhz,time_s,energy_j\n0,forward,1400,0.5,100\n0,backward,1400,1,200\n1,forward,1400,0.5,100\n1,backward,1400,1,200\n";

class Files {
 public:
  Files(std::string const& job, std::string const& profile) {
    folder_.write("job.yaml", job);
    folder_.write("profile.csv", profile);
  }
  PipelineScenario load(std::vector<std::string> const& sets = {}) const { return load_pipeline(folder_ / "job.yaml", sets); }
  std::string mistake(std::vector<std::string> const& sets = {}) const {
    try {
      load(sets);
    } catch (InputError const& error) {
      return folder_.relative(error.what());
    }
    return "accepted";
  }

 private:
  Folder folder_{"pipeline"};
};

std::string with(std::string text, std::string const& what, std::string const& by) { return text.replace(text.find(what), what.size(), by); }

}  // namespace

TEST_CASE("A pipeline scenario becomes a job; its echo loads to the same") {
  Files const files(job_text, profile_text);
  auto const scenario = files.load();
  CHECK(scenario.job.pipeline.stages == 2);
  CHECK(scenario.job.pipeline.microbatches == 3);
  CHECK(scenario.job.gpus_per_rank == 4);
  CHECK(scenario.job.blocking_w == 80);
  REQUIRE(scenario.job.profiles.size() == 4);
  CHECK(scenario.job.profiles[1].points[0].time_s == 2);  // repeat
  CHECK(scenario.job.profiles[1].points[0].energy_j == 400);
  CHECK(scenario.speed_unit() == "iterations/s");
  CHECK(Files(scenario.resolved, profile_text).load().resolved == scenario.resolved);
  auto const tokens = files.load({"megatron.seq-length=1000"});
  CHECK(tokens.speed_unit() == "tokens/s");
  CHECK(tokens.work() == 3000);
}

TEST_CASE("Stages of the profile stand for stages of the job; knobs are clocks or caps") {
  Files const files(job_text, "stage,instruction,cap_w,time,energy\n5,forward,300,0.5,100\n5,backward,300,1,200\n");
  auto const scenario = files.load({"profile.stages=[5, 5]"});
  CHECK(scenario.job.knob == Knob::cap_w);
  REQUIRE(scenario.job.profiles.size() == 4);
  CHECK(scenario.job.profiles[3].virtual_stage == 1);
}

TEST_CASE("Mistakes of a pipeline scenario and of its profile are located") {
  Files const files(job_text, profile_text);
  CHECK(files.mistake({"plan={deadline_s: 3, power_w: 200}"}) ==
        "--set plan={deadline_s: 3, power_w: 200}: plan: deadline_s, energy_j and power_w each say which plan is wanted; give one of them");
  CHECK(files.mistake({"tau_s=0"}) == "--set tau_s=0: tau_s: 0 is out of range (above 0 is possible); choose a value in the range");
  CHECK(files.mistake({"megatron.pipeline-model-parallel-sise=3"}) ==
        "--set megatron.pipeline-model-parallel-sise=3: megatron.pipeline-model-parallel-sise: unknown key (it would have no effect); did you mean "
        "\"pipeline-model-parallel-size\"?");
  auto const profile = [](std::string const& what, std::string const& by) { return Files(job_text, with(profile_text, what, by)).mistake(); };
  CHECK(profile("0,forward", "0,forwards") == "profile.csv:2:3: instruction: \"forwards\" is not known; did you mean \"forward\"?");
  CHECK(profile("0,forward,1400,0.5,100", "0,forward,1400,0.5,-1") == "profile.csv:2:20: energy_j: -1 is negative; correct it");
  CHECK(profile("0,forward,1400,0.5", "0,forward,1400,0") == "profile.csv:2:16: time_s: 0 is not positive; correct it");
  CHECK(profile("0,forward", "0.5,forward") == "profile.csv:2:1: stage: \"0.5\" is not a stage (whole numbers from 0); correct it");
  CHECK(profile("1,forward", "0,forward") ==
        "profile.csv:4:11: clock_mhz: 1400 is there twice for this stage and instruction (which one is meant?); remove one");
  CHECK(profile("clock_mhz", "clock") ==
        "profile.csv:1:1: clock_mhz: there is no column of this name (columns are found by name only); the columns are: stage, instruction, clock, time_s, "
        "energy_j");
}

TEST_CASE("A job made of partitions takes no profile; one of the two is needed") {
  std::string const text =
      "wattfill: 1\nname: k\nkind: pipeline\nmegatron: {pipeline-model-parallel-size: 2, global-batch-size: 3}\n"
      "gpu: {model: A100, tdp_w: 400, blocking_w: 80}\n";
  auto const made_of =
      "kareus: {clocks_mhz: [1410], sms: [8, 20], search: large, partitions: {mlp: {count: 28, groups: [[2e11, 2e8], [0, 1e8]], message_bytes: 1e8}}}\n";
  auto const scenario = Files(text + made_of, profile_text).load();
  REQUIRE(scenario.kareus);
  CHECK(scenario.job.profiles.empty());
  CHECK(scenario.kareus->search->per_batch == 32);
  CHECK(scenario.kareus->partitions[0].shape.groups[1].last == 1);
  CHECK(Files(scenario.resolved, profile_text).load().resolved == scenario.resolved);
  CHECK(Files(text, profile_text).mistake() ==
        "job.yaml:1:1: profile: this key is missing, and kareus too (what do the passes take?); add one, for example profile: {file: profile.csv}");
  CHECK(Files(text + made_of + "profile: {file: profile.csv}\n", profile_text).mistake() ==
        "job.yaml:1:1: profile: profile and kareus are both given (each says what the passes take); remove one");
}

TEST_CASE("A partition may be measured in sweeps, one a clock; its mistakes are named") {
  Folder const folder;
  std::string const head =
      "wattfill: 1\nname: k\nkind: pipeline\nmegatron: {pipeline-model-parallel-size: 2, global-batch-size: 3}\n"
      "gpu: {model: A100, tdp_w: 400, blocking_w: 80}\nkareus:\n  clocks_mhz: [1410, 1200]\n  sms: [8]\n  budget: {seeds: 3}\n  outside: [{flop: 5, bytes: "
      "6}]\n"
      "  partitions:\n    mlp: ";
  folder.write("sweep.csv",
               "overlap_start,overlap_end,comm_sm_number,comm_block_size,0:time (s),0:total energy (J)\n-1,-1,20,512,0.002,2\n0,2,8,512,0.001,1\n");
  auto const load = [&](std::string const& partition) { return load_pipeline(folder.write("k.yaml", head + partition + "\n")); };
  auto const mistake = [&](std::string const& partition) {
    try {
      load(partition);
    } catch (InputError const& error) {
      return folder.relative(error.what());
    }
    return std::string("accepted");
  };
  auto const scenario = load("{count: 2, ranks: 2, sweeps: [{clock_mhz: 1410, file: sweep.csv}, {clock_mhz: 1200, file: sweep.csv}]}");
  REQUIRE(scenario.kareus);
  auto const& table = scenario.kareus->partitions.at(0).table;
  REQUIRE(table.settings.size() == 4);
  CHECK(table.settings[3] == PartitionSetting{1200, 0, 2, 8, 512});
  CHECK(table.costs[0].energy_j == 1);  // of one of two GPUs
  CHECK(scenario.files.size() == 3);
  CHECK(scenario.kareus->outside.at(0).bytes == 6);
  CHECK(scenario.fields.kareus->budget->seeds == 3);
  CHECK(load_pipeline(folder.write("again.yaml", scenario.resolved)).resolved == scenario.resolved);
  CHECK(mistake("{count: 2, message_bytes: 1, sweeps: [{clock_mhz: 1410, file: sweep.csv}]}") ==
        "k.yaml:12:10: kareus.partitions.mlp: sweeps and groups or message_bytes are both given (each says what settings cost); remove one");
  CHECK(
      mistake("{count: 2, groups: [[1, 2]]}") ==
      "k.yaml:12:10: kareus.partitions.mlp: groups and message_bytes are not both given, and sweeps are missing, too (what does a setting cost?); add either");
  CHECK(mistake("{count: 2, sweeps: [{clock_mhz: 990, file: sweep.csv}]}") ==
        "k.yaml:12:30: kareus.partitions.mlp.sweeps.0.clock_mhz: 990 MHz is not among kareus.clocks_mhz (it would not be used); add it there");
  CHECK(mistake("{count: 2, sweeps: [{clock_mhz: 1410, file: sweep.csv}, {clock_mhz: 1410, file: sweep.csv}]}") ==
        "k.yaml:12:66: kareus.partitions.mlp.sweeps.1.clock_mhz: there are two sweeps at 1410 MHz (which one counts?); keep one");
}

TEST_CASE("What is no map is no pipeline, and a newer version is refused") {
  Folder const folder;
  auto const mistake = [&](std::string const& text) {
    try {
      load_pipeline(folder.write("k.yaml", text));
    } catch (InputError const& error) {
      return folder.relative(error.what());
    }
    return std::string("accepted");
  };
  CHECK(mistake("[1]\n") == "k.yaml:1:1: a list stands where a pipeline scenario belongs; see scenarios/README.md for its keys");
  CHECK(mistake("wattfill: 2\n") ==
        "k.yaml:1:11: wattfill: this pipeline scenario has format version 2, this program reads versions up to 1 (newer keys may mean other "
        "things); use a newer wattfill");
}
