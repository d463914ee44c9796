#!/usr/bin/env bash
# Executes every notebook in a copy and fails if a cell does, or if outputs were left in one that is kept in git.
#   WATTFILL=build/release/wattfill notebooks/run.sh [OUT_DIR]         OUT_DIR: keep the executed notebooks as HTML
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
WATTFILL=$(readlink -f "${WATTFILL:-$here/../build/release/wattfill}")
export WATTFILL MPLBACKEND=agg PYDEVD_DISABLE_FILE_VALIDATION=1
if ! command -v jupyter-nbconvert >/dev/null || ! /usr/bin/python3 -c 'import pandas, matplotlib, ipykernel' 2>/dev/null; then
  echo 'SKIPPED: the notebooks are not executed: jupyter-nbconvert, ipykernel, pandas or matplotlib is not there (apt install jupyter-nbconvert python3-ipykernel python3-pandas python3-matplotlib)'
  exit 77
fi
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export WATTFILL_NOTEBOOK_OUT=$work/out JUPYTER_PATH=$work/jupyter
mkdir -p "$work/jupyter/kernels/python3"
printf '{"argv": ["/usr/bin/python3", "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3", "language": "python"}\n' >"$work/jupyter/kernels/python3/kernel.json"
WATTFILL_PYTHON=${WATTFILL_PYTHON:-$(dirname "$WATTFILL")/python}
export WATTFILL_PYTHON
status=0
for book in "$here"/*.ipynb; do
  if grep -qE '"output_type"|"execution_count": [0-9]' "$book"; then
    echo "FAILED: $(basename "$book") holds outputs; strip them: jupyter-nbconvert --clear-output --inplace $book"
    status=1
  fi
  if grep -q 'import wattfill' "$book" && ! PYTHONPATH=$WATTFILL_PYTHON /usr/bin/python3 -c 'import wattfill' 2>/dev/null; then
    echo "SKIPPED: $(basename "$book"): the Python module is not in $WATTFILL_PYTHON (cmake -DWATTFILL_PYTHON=ON)"
    continue
  fi
  start=$SECONDS
  if (cd "$here" && jupyter-nbconvert --to html --execute --output-dir "$work/html" --log-level WARN "$book"); then
    echo "$(basename "$book"): $((SECONDS - start)) s"
  else
    echo "FAILED: $(basename "$book")"
    status=1
  fi
done
if [[ -n ${1:-} ]]; then
  mkdir -p "$1"
  cp "$work"/html/*.html "$1"
fi
exit "$status"
