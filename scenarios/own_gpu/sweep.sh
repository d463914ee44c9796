#!/usr/bin/env bash
# Sweeps the power cap of this node's GPUs under a running job and writes a row for each cap: what one GPU drew, and how fast the job was.
#   sudo ./sweep.sh JOB TASK MODEL > mine.csv         (further jobs: sudo HEADER=0 ./sweep.sh ... >> mine.csv) while the job runs; its throughput is read with ./throughput.sh (yours: prints one number)
# Wants root, as setting a cap does. About two minutes a cap: one to settle, one to measure.
set -euo pipefail
job=$1 task=$2 model=$3
caps=${CAPS:-400 350 300 250 200 150}     # [W]; nvidia-smi -q -d POWER shows what your GPU allows
gpus=$(nvidia-smi --query-gpu=index --format=csv,noheader | wc -l)
trap 'nvidia-smi -pl "$(nvidia-smi --query-gpu=power.default_limit --format=csv,noheader,nounits | head -1 | cut -d. -f1)" >/dev/null' EXIT

[[ ${HEADER:-1} == 0 ]] || echo 'job,task,model,gpus,cap_w,power_w,throughput'
for cap in $caps; do
  nvidia-smi -pl "$cap" >/dev/null        # all GPUs of the node
  sleep 60                                # clocks and temperatures settle
  # the mean draw of one GPU over a minute: readings of all GPUs, a second apart
  power=$(timeout 60 nvidia-smi --query-gpu=power.draw --format=csv,noheader,nounits -l 1 | awk '{sum += $1; n += 1} END {printf "%.1f", sum / n}' || true)
  throughput=$(./throughput.sh)           # of the whole job over the same minute, in any unit that goes up when the job is faster
  echo "$job,$task,$model,$gpus,$cap,$power,$throughput"
done
