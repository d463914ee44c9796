#!/usr/bin/env python3
"""Runs mixed studies for hours and says whether memory stays flat, energy ledgers close and the same study gives the same bytes.

    soak.py PROGRAM [--seconds 7200] [--parts long,events,mixed] [--out FILE] [--folder DIR]

Three things at once, each of one thread:
  long    one snapshot study of 10^9 replications for the whole time, its memory sampled; interrupted at the end (exit 130)
  events  timelines of 300,000 events a run, in processes of some ten minutes to an hour, memory sampled. In every row the sum of the classes' energy clocks
          (energy_j) is held against the integral of the whole cluster's watts, which cost_usd is at a constant price: the error of the ledger
  mixed   short studies of every kind, one after another, half of the time: peak memory of each and the digest of its results, which must be those of the
          first time
FILE is written anew every minute. Exit 1: a process failed, a digest changed, a ledger is off by more than 1e-9, or memory grew by more than 1 MB an hour
(fit over the samples after the first tenth of a process that lived for ten minutes; peaks of short studies over their rounds) and 2 % of what it was.
"""
import argparse
import csv
import hashlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEDGER = 1e-9  # relative
GROWTH_MB_H, GROWTH_SHARE = 1.0, 0.02

LONG = """wattfill: 1
name: long
kind: snapshot
seed: 5
curves: [h200-pfi-2026]
mixes: {m: {replications: 1000000000, jobs: 100, draw: {all: {where: {}}}}}
cuts: [0.1, 0.2, 0.3]
policies: [equal-split, proportional, pfi-aware, oracle]
reference: proportional
"""
EVENTS = """wattfill: 1
name: events
kind: timeline
seed: 9
curves: [emerald-a100, h200-pfi-2026]
cluster: {gpus: 60000, idle_gpu_w: 55}
jobs:
  arrivals:
    rate_per_h: 3600
    until_s: 100000
    replications: 1
    groups: {all: {where: {}, gpus: {1: 0.5, 8: 0.4, 32: 0.1}, work: {median_s: 700, mean_s: 1000}}}
limit: {steps: [[0, 3000000], [20000, 1500000], [40000, 3000000], [60000, 1000000], [70000, 2500000]]}
price: price.csv
policies: [proportional, oracle]
"""
USD_PER_MWH = 1000
SWEEP = """wattfill: 1
name: sweep
kind: snapshot
seed: 5
curves: [h200-pfi-2026]
mixes: {m: {replications: 20, jobs: 50, draw: {all: {where: {}}}}}
cuts: [0.1, 0.3]
policies: [proportional, oracle]
sweep: {mixes.m.jobs: [%s], min_speed: [0, 0.5]}
""" % ", ".join(str(jobs) for jobs in range(10, 110))

# What is run in turn: command, scenario (shipped, or one of the texts above), settings that make it short.
MIXED = (
    ("run", "smoke", ()),
    ("run", "emerald", ()),
    ("run", "facility_h200", ("mixes.random.replications=50",)),
    ("run", "rack_limits", ()),
    ("run", "perseus_cluster", ()),
    ("run", "sweep", ()),
    ("run", "aps_replay", ()),
    ("run", "grid_event_3h", ()),
    ("run", "closed_loop", ("jobs.arrivals.replications=3",)),
    ("run", "week_of_arrivals", ("jobs.arrivals.replications=3",)),
    ("run", "contract", ("jobs.arrivals.replications=2",)),
    ("run", "campaign", ()),
    ("pipeline", "pipeline_gpt3_a100", ()),
    ("pipeline", "pipeline_kareus", ()),
)


def slope(points):
    """Least squares: growth a unit of x, and its standard error."""
    n = len(points)
    if n < 3:
        return 0.0, float("inf")
    x0, y0 = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    xx = sum((x - x0) ** 2 for x, _ in points)
    if xx == 0:
        return 0.0, float("inf")
    b = sum((x - x0) * (y - y0) for x, y in points) / xx
    left = sum((y - y0 - b * (x - x0)) ** 2 for x, y in points)
    return b, (left / (n - 2) / xx) ** 0.5


class Watched:
    """A process whose memory is sampled every five seconds."""

    def __init__(self, soak, name, words):
        self.soak, self.name, self.points, self.begun = soak, name, [], time.monotonic()
        self.log = soak.folder / f"{name}.log"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(words, cwd=soak.folder, env=soak.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def sample(self):
        try:
            with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
                for line in status:
                    if line.startswith("VmRSS:"):
                        self.points.append((time.monotonic() - self.begun, int(line.split()[1]) / 1024))
        except OSError:
            pass

    def wait(self, until):
        """Until it ends or the time is over; the exit status, None if it still runs."""
        while self.process.poll() is None and time.monotonic() < until:
            self.sample()
            time.sleep(min(5.0, max(0.1, until - time.monotonic())))
        return self.process.poll()

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=120)

    def said(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def figures(self):
        """Seconds, first and last MB after the first tenth, growth [MB/h], its standard error."""
        lived = self.points[-1][0] if self.points else 0.0
        later = [(t / 3600, mb) for t, mb in self.points if t > max(60.0, lived / 10)]
        growth, error = slope(later)
        return lived, later[0][1] if later else 0.0, later[-1][1] if later else 0.0, growth, error


class Soak:
    def __init__(self, given, folder):
        self.program, self.out, self.folder = str(pathlib.Path(given.program).resolve()), given.out, pathlib.Path(folder)
        self.environment = {**os.environ, "WATTFILL_CURVES": str(ROOT / "curves")}
        self.begun = time.monotonic()
        self.end = self.begun + given.seconds
        self.problems, self.watched = [], []
        self.events, self.rows, self.worst = 0, 0, 0.0
        self.peaks, self.digests = {}, {}
        every = {"long": self.long, "events": self.count_events, "mixed": self.mixed}
        self.parts = [every[name] for name in given.parts.split(",")]
        for name, text in (("long", LONG), ("events", EVENTS), ("sweep", SWEEP)):
            (self.folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        (self.folder / "price.csv").write_text(f"time_s,usd_per_mwh\n0,{USD_PER_MWH}\n", encoding="utf-8")

    def left_s(self):
        return self.end - time.monotonic()

    def long(self):
        watched = Watched(self, "long", ["nice", "-n", "5", self.program, "run", "long.yaml", "--out", "long", "--threads", "1", "--rows", "summary", "--keep-every", "never"])
        self.watched.append(watched)
        status = watched.wait(self.end)
        if status is None:
            status = watched.interrupt()
        if status != 130:
            self.problems.append(f"long: exit {status}, not 130: {watched.said()[-500:]}")

    def read_rows(self, file):
        with open(file, newline="", encoding="utf-8") as text:
            for row in csv.DictReader(text):
                energy = float(row["energy_j"])
                error = abs(float(row["cost_usd"]) / USD_PER_MWH * 3.6e9 / energy - 1)
                self.worst = max(self.worst, error)
                self.events += int(row["events"])
                self.rows += 1
                if not error <= LEDGER:
                    self.problems.append(f"events: seed {row.get('seed')}, replication {row['replication']}, {row['policy']}: ledger off by {error}")

    def count_events(self):
        number, rate, planned_s = 0, None, 0.0
        while self.left_s() > 20:
            # First a few runs to learn the rate, then ten minutes, then most of the time that is left.
            runs = 4 if rate is None else max(4, int(rate * planned_s))
            number += 1
            out = f"events{number}"
            watched = Watched(self, out, [self.program, "run", "events.yaml", "--out", out, "--threads", "1", "--keep-every", "never", "--seed", str(number),
                                          "--set", f"jobs.arrivals.replications={runs}"])
            self.watched.append(watched)
            status = watched.wait(self.end)
            if status is None:
                status = watched.interrupt()
                if status != 130:
                    self.problems.append(f"{out}: exit {status}, not 130: {watched.said()[-500:]}")
                return
            if status != 0:
                self.problems.append(f"{out}: exit {status}: {watched.said()[-500:]}")
                return
            self.read_rows(self.folder / out / "replications.csv")
            rate = runs / (time.monotonic() - watched.begun)
            planned_s = 600.0 if number == 1 else 0.6 * self.left_s()
            planned_s = min(planned_s, 0.8 * self.left_s())

    def one_of(self, command, name):
        own = self.folder / f"{name}.yaml"
        return [self.program, command, str(own if own.exists() else ROOT / "scenarios" / f"{name}.yaml"), "--out", f"mixed-{name}", "--quiet"]

    @staticmethod
    def peak_of(process):
        """Waits for its end; the most memory it was seen to have had [MB]. (What wait4 says counts this program's own, from before the exec.)"""
        peak = 0.0
        while process.poll() is None:
            try:
                with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                    text = status.read()
                if not text.startswith("Name:\tpython"):
                    peak = max([peak] + [int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith("VmHWM:")])
            except OSError:
                pass
            time.sleep(0.02)
        return peak

    def mixed(self):
        while True:
            for command, name, settings in MIXED:
                if self.left_s() < 5:
                    return
                words = self.one_of(command, name) + [word for setting in settings for word in ("--set", setting)]
                if command == "run":
                    words += ["--threads", "1"]
                begun = time.monotonic()
                with open(self.folder / "mixed.log", "w+", encoding="utf-8") as log:
                    process = subprocess.Popen(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
                    peak = self.peak_of(process)
                    if process.returncode != 0:
                        log.seek(0)
                        self.problems.append(f"{name}: exit {process.returncode}: {log.read()[-500:]}")
                        continue
                files = sorted(file for file in (self.folder / f"mixed-{name}").rglob("*") if file.is_file() and file.name != "manifest.json")
                digest = hashlib.sha256(b"".join(file.name.encode() + file.read_bytes() for file in files)).hexdigest()
                if self.digests.setdefault(name, digest) != digest:
                    self.problems.append(f"{name}: other bytes than the first time")
                took = time.monotonic() - begun
                self.peaks.setdefault(name, []).append(((begun - self.begun) / 3600, peak))
                time.sleep(max(0.0, min(took, self.left_s() - 5)))

    def report(self, over):
        lines = [f"soak of {(time.monotonic() - self.begun) / 3600:.2f} h{'' if over else ' so far'}"]
        lines.append(f"events: {self.events:.4g} in {self.rows} runs that were counted; largest relative error of a ledger {self.worst:.2g}")
        lines.append("memory of long-lived processes (after their first tenth):")
        grown = []
        for watched in self.watched:
            lived, first, last, growth, error = watched.figures()
            if lived > 60:
                lines.append(f"  {watched.name:10} {lived:6.0f} s, {first:.1f} -> {last:.1f} MB, {growth:+.3f} +- {error:.3f} MB/h")
            if lived >= 600 and growth > GROWTH_MB_H and growth * lived / 3600 > GROWTH_SHARE * first:
                grown.append(f"{watched.name}: {growth:.2f} MB/h")
        lines.append("peak memory of short studies (times run, least and largest peak, growth):")
        for name, points in self.peaks.items():
            growth, error = slope(points)
            peaks = [mb for _, mb in points]
            lines.append(f"  {name:20} {len(points):4} times, {min(peaks):.1f} to {max(peaks):.1f} MB, {growth:+.3f} +- {error:.3f} MB/h")
            if len(points) > 10 and growth > max(GROWTH_MB_H, 3 * error) and points[-1][1] > (1 + GROWTH_SHARE) * points[0][1]:
                grown.append(f"{name}: {growth:.2f} MB/h")
        rounds = sum(len(points) for points in self.peaks.values())
        lines.append(f"short studies: {rounds} runs of {len(self.peaks)} kinds, the same bytes every time unless said below")
        lines += [f"PROBLEM: {problem}" for problem in self.problems] + [f"PROBLEM: memory grew: {one}" for one in (grown if over else ())]
        text = "\n".join(lines) + "\n"
        if self.out:
            part = pathlib.Path(f"{self.out}.part")
            part.write_text(text, encoding="utf-8")
            part.replace(self.out)
        return text, not self.problems and not grown

    def run(self):
        def guarded(act):
            def inner():
                try:
                    act()
                except Exception as error:  # pylint: disable=broad-except
                    self.problems.append(f"{act.__name__}: {error!r}")
            return inner
        threads = [threading.Thread(target=guarded(act)) for act in self.parts]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(20)
            self.report(False)
        text, fine = self.report(True)
        print(text, end="")
        return 0 if fine else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=7200)
    parser.add_argument("--parts", default="long,events,mixed")
    parser.add_argument("--out")
    parser.add_argument("--folder", help="where results lie while it runs; a temporary folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wattfill soak ", dir=given.folder) as folder:
        sys.exit(Soak(given, folder).run())


if __name__ == "__main__":
    main()
