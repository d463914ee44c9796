#!/usr/bin/env python3
"""wattfill and its numpy peers on the same work, in turns: evaluations (mix x policy x budget) per second of one thread, whole processes.

    python3 bench/compare.py build/release/wattfill [--rounds 5]

Each round runs every contestant once; the table gives medians, and the ratios are medians of the rounds' ratios, so that a machine that changes
speed between rounds does not change them. What one thread does is measured in its processor time, which other users of the machine hardly change; two threads
are compared with one by the clock. All contestants draw 100 jobs from the 25 curves of h200-pfi-2026 and compute all scores at 4 policies x 5 budgets.
"""
import argparse
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

BENCH = pathlib.Path(__file__).resolve().parent
POINTS = BENCH.parent / "curves" / "h200-pfi-2026.csv"
EVALUATIONS_A_MIX = 20


def gpus_of_curves(folder):
    """curve,gpus of the library, for the peers."""
    names = re.findall(r'^  - name: "?([^"\n]+)"?', (BENCH.parent / "curves" / "h200-pfi-2026.yaml").read_text(), re.M)
    gpus = re.findall(r"^    gpus: (\S+)", (BENCH.parent / "curves" / "h200-pfi-2026.yaml").read_text(), re.M)
    file = pathlib.Path(folder) / "gpus.csv"
    file.write_text("curve,gpus\n" + "".join(f"{n},{g}\n" for n, g in zip(names, gpus)))
    return file


def wattfill(program, folder, mixes, *options, clock="processor"):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([program, "run", str(BENCH / "snapshot.yaml"), "--quiet", "--out", f"{folder}/out", "--set", f"mixes.random.replications={mixes}", *options], check=True)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if clock == "processor":
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return mixes * EVALUATIONS_A_MIX / seconds


def numpy_peer(gpus, level, mixes):
    """The peer times its own loop: starting Python is not counted."""
    done = subprocess.run([sys.executable, str(BENCH / "peers" / "numpy_snapshot.py"), "--level", level, "--scores", "all", "--mixes", str(mixes), "--curves", str(POINTS),
                           "--gpus", str(gpus)], check=True, capture_output=True, text=True)
    return float(re.search(r"(\d+) evaluations/s", done.stderr + done.stdout).group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        gpus = gpus_of_curves(folder)
        contestants = {
            "wattfill, 1 thread": lambda: wattfill(arguments.program, folder, 3200000, "--rows", "summary", "--threads", "1"),
            "wattfill, 1 thread, by the clock": lambda: wattfill(arguments.program, folder, 3200000, "--rows", "summary", "--threads", "1", clock="wall"),
            "wattfill, 2 threads, by the clock": lambda: wattfill(arguments.program, folder, 3200000, "--rows", "summary", "--threads", "2", clock="wall"),
            "wattfill, 1 thread, every row written": lambda: wattfill(arguments.program, folder, 50000, "--rows", "all", "--threads", "1"),
            "numpy, user level": lambda: numpy_peer(gpus, "user", 1000),
            "numpy, job level": lambda: numpy_peer(gpus, "job", 2000),
            "numpy, class level": lambda: numpy_peer(gpus, "class", 20000),
        }
        rates = {name: [] for name in contestants}
        for _ in range(arguments.rounds):
            for name, run in contestants.items():
                rates[name].append(run())
    for name, values in rates.items():
        print(f"{name:40s} {statistics.median(values):12.0f} evaluations/s")

    def ratio(a, b):
        print(f"{a} / {b}: {statistics.median(x / y for x, y in zip(rates[a], rates[b])):.1f}")

    for peer in ("numpy, user level", "numpy, job level", "numpy, class level"):
        ratio("wattfill, 1 thread", peer)
    ratio("wattfill, 1 thread, every row written", "numpy, user level")
    ratio("wattfill, 2 threads, by the clock", "wattfill, 1 thread, by the clock")


if __name__ == "__main__":
    main()
