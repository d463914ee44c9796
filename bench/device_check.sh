#!/usr/bin/env bash
# Checks and measures the CUDA code on a machine that has a device, nvcc and nothing else; under five minutes, no network.
#
#   bench/device_check.sh [--host] [FILE.tables...]
#
# The tables are mixes of real studies, prepared where wattfill is built:  build/dev/bench/device_tables bench/snapshot.yaml FOLDER
# Without any, they are made here if this tree holds that program. Where the program runs (with the libraries that `ldd` names beside it:
# LD_LIBRARY_PATH), the host's own kernel is measured, too, on all cores. --host: no device, loops on the host in its place: a trial of the check itself.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
start=$SECONDS
host=()
if [[ ${1:-} == --host ]]; then
  host=(--host)
  shift
fi
tables=("$@")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc) || { echo 'device_check: no nvcc was found; put it on PATH' >&2; exit 2; }
program=
for build in build/release build/dev; do
  if [[ -x $build/bench/device_tables ]] && "$build/bench/device_tables" --help >/dev/null 2>&1; then program=$build/bench/device_tables; fi
done
if [[ ${#tables[@]} == 0 ]]; then
  [[ -n $program ]] || { echo 'device_check: no tables were given, and device_tables (a bench) is not built here; see the head of this script' >&2; exit 2; }
  for scenario in bench/snapshot.yaml scenarios/paper.yaml; do "$program" "$scenario" "$work"; done
  tables=("$work"/*.tables)
fi

# The flags that decide bits are those of CMakeLists.txt: nothing is contracted on either side, and each thread has a stream of its own.
echo "== building with $("$nvcc" --version | grep -o 'release [0-9.]*')"
arch=native
if [[ ${#host[@]} == 1 ]]; then arch=sm_75; fi
flags=(-std=c++20 -O3 --fmad=false --default-stream=per-thread -Xcompiler -ffp-contract=off -arch="$arch" -DWATTFILL_CUDA -Iinclude -Isrc -Ibench)
objects=()
for source in bench/device_check.cu bench/device_flops.cpp src/study/cuda_launch.cu src/study/cuda_driver.cu src/study/device.cpp src/core/error.cpp; do
  object=$work/$(basename "$source").o
  "$nvcc" "${flags[@]}" -c "$source" -o "$object" &
  objects+=("$object")
done
for job in $(jobs -p); do wait "$job" || { echo 'device_check: a source did not compile' >&2; exit 2; }; done
"$nvcc" -arch="$arch" "${objects[@]}" -o "$work/device_check"
echo "built in $((SECONDS - start)) s"

echo '== checks and measurements'
timeout -k 5 150 "$work/device_check" "${host[@]}" "${tables[@]}"

if [[ ${#host[@]} == 0 ]]; then
  echo '== the host, for comparison'
  if [[ -n $program ]]; then
    timeout -k 5 60 "$program" --measure bench/snapshot.yaml
  else
    echo 'not measured: device_tables does not run here'
  fi
fi
echo "== done in $((SECONDS - start)) s"
