#!/usr/bin/env bash
# Tries the pages of `wattfill report` in a real Chromium.
#   tests/report/browser_test.sh PROGRAM WORK_FOLDER [SCREENSHOTS_DIR]
# PROGRAM: a wattfill whose page was bundled (-DWATTFILL_REPORT=ON). Exit 77 (skipped, loudly) where Chromium, npm or the bundle are not there.
set -euo pipefail
program=$(readlink -f "$1")
work=$2
shots=${3:-}
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
skip() {
  printf 'SKIPPED: the page is not tried in a browser: %s\n' "$1"
  exit 77
}
chromium=$(command -v chromium || command -v chromium-browser) || skip 'chromium is not there (apt install chromium)'
command -v npm >/dev/null || skip 'npm is not there (apt install nodejs npm)'
mkdir -p "$work/browser"
cp "$root/tests/report/browser/package.json" "$root/tests/report/browser/package-lock.json" "$work/browser/"
[[ -d $work/browser/node_modules/playwright-core ]] || npm ci --prefix "$work/browser" --no-audit --no-fund --ignore-scripts >"$work/npm.log" 2>&1 ||
  skip "npm could not fetch playwright-core and axe-core ($work/npm.log)"
cd "$work"
export WATTFILL_CURVES="$root/curves"
run() { # name, scenario, options
  local name=$1
  shift
  "$program" run "$@" --out "$work/$name" --quiet
}
mkdir -p "$work/hostile"
sed 's/name: "ft_llama_8b_dolly"/name: "<img src=x onerror=alert(2)>"/' "$root/curves/emerald-a100.yaml" >"$work/hostile/evil.yaml"
sed 's/^ft_llama_8b_dolly,/<img src=x onerror=alert(2)>,/' "$root/curves/emerald-a100.csv" >"$work/hostile/evil.csv"
cat >"$work/hostile/hostile.yaml" <<'YAML'
wattfill: 1
name: hostile
kind: snapshot
curves: [./evil]
mixes: {m: {replications: 20, jobs: 20, draw: {all: {where: {}}}}}
cuts: [0.1, 0.3]
policies: [proportional, oracle, {name: pfi-aware, label: "</script><img src=x onerror=alert(1)>"}]
reference: proportional
YAML
run hostile_out "$work/hostile/hostile.yaml"
run paper "$root/scenarios/paper.yaml" ${PAPER_SETS:---set mixes.random.replications=40 --set mixes.production.replications=40 --set outer.draws=10}
run event "$root/scenarios/grid_event_3h.yaml"
run facility "$root/scenarios/facility_h200.yaml" --replication 0
if [[ -f $root/../shared/data/emerald-phoenix-2025/aps_2025-05-01_power.csv ]]; then
  "$program" contract "$root/../shared/data/emerald-phoenix-2025/aps_2025-05-01_power.csv" "$root/scenarios/contracts/aps_2025-05-01.yaml" --out "$work/contract" --quiet
else
  echo 'SKIPPED: the contract page: ../shared/data is not there'
fi
status=0
for name in hostile_out paper event facility contract; do
  [[ -d $work/$name ]] || continue
  "$program" report "$work/$name" --out "$work/$name.html" || skip 'the page was not bundled (cmake -DWATTFILL_REPORT=ON)'
  size=$(stat -c %s "$work/$name.html")
  ((size < 5000000)) || { echo "FAILED: $name.html has $size bytes"; status=1; }
  echo "== $name ($size bytes)"
  WATTFILL_BROWSER_MODULES="$work/browser" CHROMIUM=$chromium node "$root/tests/report/browser.mjs" "$work/$name.html" "$shots" || status=1
done
exit "$status"
