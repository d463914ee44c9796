#include "cli/starters.hpp"

namespace wattfill::cli {
namespace {

constexpr std::string_view snapshot = R"(# yaml-language-server: $schema=scenario.schema.json
# (wattfill schema scenario > scenario.schema.json gives your editor completion and checks)
#
# A snapshot study: random mixes of jobs meet a power cut; every policy divides the same watts among the same jobs.
# wattfill run snapshot.yaml; every key is explained in scenarios/README.md.
wattfill: 1
name: snapshot                   # results go to out/snapshot
kind: snapshot
seed: 1                          # same seed, same mixes

# Curve libraries: by name (wattfill curves lists them), or paths to your own, e.g. curves/my-gpu (wattfill import makes them).
curves: [emerald-a100]

# What counts: gpu_speed (GPU-weighted share of full speed) | normalized | weighted | tokens | flops
objective: gpu_speed

mixes:
  mine:
    replications: 200            # mixes drawn; more of them, narrower intervals
    jobs: 50
    draw:                        # groups with weights; inside a group every curve is equally likely
      pretraining: {where: {task: pretraining}, weight: 0.5}
      fine-tuning: {where: {task: fine-tuning}, weight: 0.3}
      inference: {where: {task: inference}, weight: 0.2}
  # by-hand:                     # or the jobs that really run
  #   explicit:
  #     - {curve: emerald-a100/ft_llama_8b_dolly, count: 20}

cuts: [0.1, 0.2, 0.3, 0.4]       # shares of what the mix draws uncapped; or limits_w: [...]

policies:                        # wattfill policies lists them
  - equal-split
  - proportional
  - pfi-aware
  - quadratic
  # - {name: expression, label: mine, curtail: "p_max^2 * pfi / value"}
  - oracle
reference: proportional          # what differences and the gap closed refer to

# min_speed: 0.5                 # what was promised to every job
# outer: {draws: 100, clusters: true}   # how much the answer depends on which curves were measured
# sweep: {mixes.mine.jobs: [20, 50, 100]}
)";

constexpr std::string_view timeline = R"(# yaml-language-server: $schema=scenario.schema.json
# (wattfill schema scenario > scenario.schema.json gives your editor completion and checks)
#
# A timeline study: jobs run while the power limit moves; finish times and energies are exact.
# wattfill run timeline.yaml; every key is explained in scenarios/README.md.
wattfill: 1
name: timeline                   # results go to out/timeline
kind: timeline
seed: 1
curves: [emerald-a100]           # wattfill curves lists them

cluster: {gpus: 128, idle_gpu_w: 55}

jobs:
  explicit:                      # work_s: seconds at full speed; mean_speed_loss: what was agreed with its owner
    - {id: first, curve: emerald-a100/ft_llama_8b_dolly, gpus: 32, work_s: 14400, mean_speed_loss: 0.1}
    - {id: second, curve: emerald-a100/pt_mpt_7b_fast, gpus: 64, work_s: 18000, mean_speed_loss: 0.25}
    - {id: third, curve: emerald-a100/infer_llama_8b, gpus: 32, submit_s: 1800, work_s: 10800}
  # trace: jobs.csv              # or a list in a file, or random arrivals:
  # arrivals: {...}

limit: {steps: [[0, 48000], [3600, 36000], [10800, 48000]]}   # [seconds, watts]: a cut for two hours

policies:
  - proportional
  - oracle
  - {name: deadline, label: agreed}     # keeps what was agreed, then proportional

sample_s: 300                    # rows of power.csv besides those where something changes
)";

constexpr std::string_view pipeline = R"(# yaml-language-server: $schema=pipeline.schema.json
# (wattfill schema pipeline > pipeline.schema.json gives your editor completion and checks)
#
# One training job in Megatron-LM's words: which clock for which pass of each stage, what that saves, and the power-speed curve it gives.
# wattfill pipeline pipeline.yaml; every key is explained in scenarios/README.md.
wattfill: 1
name: pipeline                   # results go to out/pipeline
kind: pipeline
megatron:                        # the flags of the job, without the dashes
  tensor-model-parallel-size: 1
  pipeline-model-parallel-size: 2
  data-parallel-size: 1
  micro-batch-size: 1
  global-batch-size: 8
  num-layers: 24
  seq-length: 2048
schedule: 1f1b
profile: {file: profile.csv}     # time and energy of one forward and one backward pass of each stage, at each clock; made up: put yours there
gpu: {model: A100, tdp_w: 400, blocking_w: 80}   # blocking_w: draw while a GPU waits
tau_s: 0.005                     # the time step of the optimiser
costs: measured                  # plans are made of the measured clocks
# plan: {deadline_s: 3}          # absent: as fast as possible, with the least energy
)";

constexpr std::string_view profile = R"(stage,instruction,clock_mhz,time_s,energy_j
0,forward,1410,0.100,30.0
0,forward,1200,0.110,27.0
0,forward,1005,0.128,25.0
0,backward,1410,0.200,62.0
0,backward,1200,0.221,55.5
0,backward,1005,0.257,51.5
1,forward,1410,0.115,34.5
1,forward,1200,0.127,31.0
1,forward,1005,0.148,28.8
1,backward,1410,0.230,71.0
1,backward,1200,0.254,63.5
1,backward,1005,0.296,59.0
)";

constexpr Starter all[] = {{"snapshot", snapshot, {}}, {"timeline", timeline, {}}, {"pipeline", pipeline, profile}};

}  // namespace

std::span<Starter const> starters() { return all; }

}  // namespace wattfill::cli
