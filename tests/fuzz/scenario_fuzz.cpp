// Scenarios of every kind, through the readers that the program uses; nothing is run. What is accepted is echoed, and the echo means the same.
#include "fuzz/fuzz.hpp"
#include "wattfill/scenario/campaign_file.hpp"
#include "wattfill/scenario/contract_file.hpp"
#include "wattfill/scenario/pipeline_file.hpp"
#include "wattfill/scenario/scenario.hpp"

using namespace wattfill;

namespace {

void write_library() {
  fuzz::folder().write("curves/lab.yaml", R"(wattfill: 1
gpu: {model: A100, tdp_w: 400}
provenance: measured
source: {citation: made by hand}
speed_unit: tokens/s
curves:
  - {name: a, architecture: dense, task: fine-tuning, model: small, gpus: 4, telemetry: {dram: 0.4}}
  - {name: b, architecture: moe, task: pretraining, model: large, gpus: 8, telemetry: {dram: 0.7}}
)");
  fuzz::folder().write("curves/lab.csv", "curve,cap_w,power_w,speed\na,200,190,10\na,300,280,14\na,400,370,16\nb,200,195,80\nb,300,290,90\nb,400,390,120\n");
  fuzz::folder().write("trace.csv", "id,curve,submit_s,work_s\nj,lab/a,0,100\n");
  fuzz::folder().write("series.csv", "time_s,limit_w,price_usd_per_mwh,carbon_g_per_kwh\n0,1000,50,300\n60,900,60,310\n");
  fuzz::folder().write(
      "profile.csv",
      "stage,instruction,frequency,time,energy\n0,forward,1400,0.1,30\n0,forward,1000,0.13,25\n0,backward,1400,0.2,60\n0,backward,1000,0.26,50\n"
      "1,forward,1400,0.1,30\n1,forward,1000,0.13,25\n1,backward,1400,0.2,60\n1,backward,1000,0.26,50\n");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static bool const once = (write_library(), true);
  static_cast<void>(once);
  std::string const text(reinterpret_cast<char const*>(data), size);
  auto const file = fuzz::folder().write("s.yaml", text);
  std::string echo;
  if (text.find("kind: pipeline") != std::string::npos) {
    fuzz::accepted([&] { echo = load_pipeline(file).resolved; });
  } else if (text.find("kind: contract") != std::string::npos) {
    fuzz::accepted([&] { read_contract(file); });
  } else if (text.find("kind: campaign") != std::string::npos) {
    if (fuzz::accepted([&] { echo = load_campaign(file).resolved; }))
      fuzz::require(load_campaign(fuzz::folder().write("echo.yaml", echo)).resolved == echo, "the echo of a campaign is its own echo");
  } else if (fuzz::accepted([&] { echo = load_scenario(file).resolved; })) {
    fuzz::require(load_scenario(fuzz::folder().write("echo.yaml", echo)).resolved == echo, "the echo of a scenario is its own echo");
  }
  return 0;
}
