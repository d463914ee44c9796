#!/usr/bin/env python3
"""wattfill and SimGrid on the same work, in turns: jobs that share a moving power limit equally; CPU time from jobs in memory to finish times in memory.

    python3 bench/compare_simgrid.py build/dev/bench/timeline_fluid build/dev/bench/simgrid_fluid [--rounds 5] [--most 1000000] [--patience-s 300]

Jobs of 25 classes (uncapped draws 200 to 680 W) all begin at 0; the limit moves 48 times and stays above what all jobs draw at least. Speed is in proportion to
draw, so that the work is SimGrid's own fluid model. Finish times of both must agree to 1e-6 of the run (SimGrid's own precision), else this fails. The table gives medians; a size
that took SimGrid longer than the patience is its last.
"""
import argparse
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile


def make_work(folder, jobs):
    draw = random.Random(jobs)
    watts = [200 + 20 * draw.randrange(25) for _ in range(jobs)]
    joules = [w * draw.uniform(1000, 20000) for w in watts]
    (folder / "jobs").write_text("".join(f"{w} {j!r}\n" for w, j in zip(watts, joules)))
    steps = 48
    limits = [(20000 * k / steps, sum(watts) * draw.uniform(0.5, 0.9) * (1 - 0.8 * k / steps)) for k in range(steps)]
    (folder / "limits").write_text("".join(f"{t!r} {w!r}\n" for t, w in limits))


def run(program, folder, name, rounds):
    """Median CPU time of the rounds but the first, which finds caches and pages cold; finish times of the last."""
    done = subprocess.run([program, folder / "jobs", folder / "limits", folder / name, str(rounds)], check=True, capture_output=True, text=True)
    finishes = dict(line.split() for line in (folder / name).read_text().splitlines())
    seconds = [float(line.split()[1]) for line in done.stdout.splitlines()]
    return statistics.median(seconds[1:] or seconds), {job: float(t) for job, t in finishes.items()}


def worst_difference(ours, theirs):
    if ours.keys() != theirs.keys():
        sys.exit("not the same jobs finished")
    return max(abs(ours[job] - theirs[job]) for job in ours) / max(theirs.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ours")
    parser.add_argument("simgrid")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=int, default=1000000)
    parser.add_argument("--patience-s", type=float, default=300)
    arguments = parser.parse_args()
    print(f"{'jobs':>8} {'wattfill s':>12} {'SimGrid s':>12} {'times':>8} {'difference':>11}", flush=True)
    jobs, patient = 100, True
    while jobs <= arguments.most:
        with tempfile.TemporaryDirectory() as text:
            folder = pathlib.Path(text)
            make_work(folder, jobs)
            ours, theirs, ratios, worst = [], [], [], 0
            inner = 21 if jobs <= 1000 else 3 if patient else 2
            for _ in range(arguments.rounds if jobs <= 1000 else 1):
                seconds, finishes = run(arguments.ours, folder, "ours", inner)
                ours.append(seconds)
                if not patient:
                    continue
                seconds, their_finishes = run(arguments.simgrid, folder, "theirs", inner if jobs <= 1000 else 1)
                theirs.append(seconds)
                ratios.append(seconds / ours[-1])
                worst = max(worst, worst_difference(finishes, their_finishes))
            if worst > 1e-6:
                sys.exit(f"finish times differ by {worst:.3g} of the run at {jobs} jobs")
            mine = statistics.median(ours)
            if theirs:
                print(f"{jobs:>8} {mine:>12.6f} {statistics.median(theirs):>12.6f} {statistics.median(ratios):>8.1f} {worst:>11.2g}", flush=True)
                patient = statistics.median(theirs) < arguments.patience_s / 100  # it grows with the square of the jobs
            else:
                print(f"{jobs:>8} {mine:>12.6f} {'not run':>12}", flush=True)
        jobs *= 10


if __name__ == "__main__":
    main()
