#!/usr/bin/env python3
"""Infers, from the measured minutes of the APS event of 2025-05-01, the actions that made it. Needs Python 3 only; see README.md beside it.

    infer_actions.py            fits, writes actions.csv, parameters.json, report.md and tests/sim/data/aps_expected.csv
    infer_actions.py --replay   replays the committed actions.csv and parameters.json and prints the fit
"""
import csv
import json
import math
import sys

import plant
from plant import JOBS, MINUTES, UNCAPPED, Plant, mean, rmse

NODE = 8          # GPUs come and go by nodes of eight
STEPS_S = (60, 20, 5)  # of action times and durations in the descent; all end on a grid of 5 s, the data are minutes
# What is set, not fitted: the hour is the word "hourly"; 100 W is the lowest cap of the sweep, where the six curves draw 98 to 103 W; a paused job
# reads exactly 0.0 W in the trace.
FIXED = {"hourly_period_s": 3600.0, "overhead_w_per_gpu": 100.0, "paused_w_per_gpu": 0.0}
START = {"pause_checkpoint_s": 105.0, "restart_s": 180.0, "hourly_checkpoint_s": 35.0}
RESTART_STARTS_S = (90, 180, 270, 360)
HOLD = 15         # minutes that a run state lasts at least: shorter ones cannot be told from the phases of a pause
RESIZE_AHEAD_S = 5
WORTH = 0.002     # an action must lower the mean-square error of the total by (this x mean total)^2


def without_short_dips(y):
    """Running median of five minutes: dips of one or two minutes, as the hourly checkpoints make, are no actions."""
    return [sorted(y[max(0, i - 2):i + 3])[len(y[max(0, i - 2):i + 3]) // 2] for i in range(len(y))]


def errors(y, watts):
    """prefix sums of the squared error of a constant draw [W^2 minutes]"""
    sums = [0.0]
    for value in y:
        sums.append(sums[-1] + (value - watts) ** 2)
    return sums


def segmentation(y, watts, gpus, stateless, worth, resizes=True):
    """Stage 1: the cheapest sequence of actions on one job, on the minute grid, by dynamic programming over time.

    States: run at (GPUs, cap), and paused after it. Between two run states: a cap at the same GPUs (one action), or a pause and a resume with the cap
    kept (two actions; three if the GPUs change): a GPU count cannot change without a pause, and a cap needs none. A run state lasts HOLD minutes at
    least. Pauses and restarts of jobs with state take the minutes of START. Cost: squared error [W^2 minutes] + `worth` per action."""
    counts = list(range(NODE, gpus + 1, NODE)) if resizes else [gpus]
    run = [(g, cap) for g in counts for cap in watts]
    save, load = (0, 0) if stateless else (round(START["pause_checkpoint_s"] / 60), round(START["restart_s"] / 60))
    cost = {s: errors(y, s[0] * watts[s[1]]) for s in run}
    overhead = {g: errors(y, g * FIXED["overhead_w_per_gpu"]) for g in counts}
    zero = errors(y, FIXED["paused_w_per_gpu"] * gpus)
    running = [{s: (0.0 if s == (gpus, UNCAPPED) else math.inf) for s in run}]
    paused = [{s: math.inf for s in run}]
    came = [{}]  # (kind, state) at t -> (kind, state, time) before
    for t in range(1, MINUTES + 1):
        now, off, how = {}, {}, {}
        for s in run:                                          # one more minute
            now[s], how["run", s] = running[t - 1][s] + cost[s][t] - cost[s][t - 1], ("run", s, t - 1)
            off[s], how["off", s] = paused[t - 1][s] + zero[t] - zero[t - 1], ("off", s, t - 1)
        start = t - HOLD                                       # a run state entered at `start`
        for g, cap in run if start >= load else ():
            held = cost[g, cap][t] - cost[g, cap][start] + worth
            ways = [(running[start][g, other], ("run", (g, other), start)) for other in watts if other != cap]
            load_error = overhead[g][start] - overhead[g][start - load]
            ways += [(paused[start - load][h, cap] + load_error + (h != g) * worth, ("off", (h, cap), start - load)) for h in counts]
            least, way = min(ways)
            if least + held < now[g, cap]:
                now[g, cap], how["run", (g, cap)] = least + held, way
        for g, cap in run if t >= save else ():                # paused at t - save, the checkpoint through at t
            least = (running[t - save] if save else now)[g, cap] + overhead[g][t] - overhead[g][t - save] + worth
            if least < off[g, cap]:
                off[g, cap], how["off", (g, cap)] = least, ("run", (g, cap), t - save)
        running.append(now), paused.append(off), came.append(how)
    kind, state = min((("run", s) for s in run), key=lambda k: running[MINUTES][k[1]])
    t, actions = MINUTES, []
    while t > 0:
        before, old, since = came[t][kind, state]
        if (before, kind) == ("run", "run") and old != state:
            actions.append((60.0 * since, "cap", state[1]))
        elif (before, kind) == ("run", "off"):
            actions.append((60.0 * since, "pause", ""))
        elif (before, kind) == ("off", "run"):
            actions.append((60.0 * since, "resume", ""))
            if old[0] != state[0]:
                actions.append((60.0 * since, "resize", state[0]))
        kind, state, t = before, old, since
    return actions[::-1]


class Fit:
    """Stage 2: descent on action times and the clocks' readings at time 0, job by job, and around it on the durations that all jobs share. Objective: the
    sum over jobs of the squared error, so that errors of two jobs cannot cancel. `jobs`: those whose errors decide the durations; `minutes`: those that
    count; `free`: the shared parameters to fit; `clocks_free`: whether the clocks' readings are fitted."""

    def __init__(self, measured, actions, overheads, clocks, jobs=None, minutes=(0, MINUTES), stateless=None, free=tuple(START), clocks_free=True):
        self.measured, self.minutes, self.free, self.clocks_free = measured, minutes, free, clocks_free
        self.jobs = jobs or [job for job, _, _, _ in JOBS]
        self.actions = {job: list(actions[job]) for job in actions}
        self.plant = Plant(dict(overheads), dict(clocks), stateless=stateless)
        self.spec = {job: (curve, gpus) for job, _, curve, gpus in JOBS}
        self.error = {job: self.sse(job) for job in self.actions}

    def sse(self, job):
        first, last = self.minutes
        model = self.plant.minute_means(job, *self.spec[job], self.actions[job])
        return sum((a - b) ** 2 for a, b in zip(model[first:last], self.measured[job][first:last]))

    def groups(self, job):
        """What moves as one: a cap or a pause, a resume with its resize, both ends of a pause; and None, the job's clock."""
        groups, pause = [], None
        for i, (_, kind, _) in enumerate(self.actions[job]):
            if kind in ("cap", "pause"):
                groups.append((i,))
                pause = i
            elif kind == "resume":
                ends = (i - 1, i) if self.actions[job][i - 1][1] == "resize" else (i,)
                groups += [ends, (pause, *ends)]
        return groups + ([None] if job in self.plant.clocks and self.clocks_free else [])

    def try_moves(self, job, moves):
        """Applies [(group, delta)] to one job if that lowers its error."""
        old, clock = self.actions[job], self.plant.clocks.get(job)
        new = list(old)
        for group, delta in moves:
            if group is None:
                self.plant.clocks[job] = (self.plant.clocks[job] + delta) % FIXED["hourly_period_s"]
            else:
                for i in group:
                    new[i] = (new[i][0] + delta, *new[i][1:])
        if all(a[0] <= b[0] for a, b in zip(new, new[1:])) and (not new or 0 <= new[0][0] and new[-1][0] <= plant.END):
            self.actions[job] = new
            error = self.sse(job)
            if error < self.error[job] - 1e-3:
                self.error[job] = error
                return True
        self.actions[job] = old
        if clock is not None:
            self.plant.clocks[job] = clock
        return False

    def settle(self, job, pairs):
        """Descends on one job's times, one by one and, with `pairs`, two at a time."""
        deltas = [sign * step for step in STEPS_S for sign in (1, -1)]
        moved = True
        while moved:
            groups = self.groups(job)
            moved = any([self.try_moves(job, [(g, d)]) for g in groups for d in deltas])
            if pairs and not moved:
                moved = any(self.try_moves(job, [(g, d), (h, e)]) for i, g in enumerate(groups) for h in groups[i + 1:] for d in deltas for e in deltas)

    def scan_clocks(self):
        """Each clock's best reading of all half minutes of the hour: the error has many minima in it."""
        for job in self.plant.clocks if self.clocks_free else ():
            best = (self.error[job], self.plant.clocks[job])
            for reading in range(0, int(FIXED["hourly_period_s"]), 30):
                self.plant.clocks[job] = float(reading)
                best = min(best, (self.sse(job), float(reading)))
            self.error[job], self.plant.clocks[job] = best
        return self

    def settle_all(self, pairs):
        for job in self.actions:
            self.settle(job, pairs)
        return self

    def with_change(self, name, delta):
        """A fit with one shared duration changed and the times settled again; jobs keep the instants at which they run again."""
        other = Fit(self.measured, self.actions, self.plant.overheads, self.plant.clocks, self.jobs, self.minutes, self.plant.stateless, self.free,
                    self.clocks_free)
        other.plant.overheads[name] += delta
        if name == "restart_s":
            for job, sequence in other.actions.items():
                before = 0.0
                for i, (t, kind, value) in enumerate(sequence if job not in self.plant.stateless else ()):
                    before = max(before, t - delta if kind in ("resize", "resume") else t)
                    sequence[i] = (before, kind, value)
        other.error = {job: other.sse(job) for job in other.actions}
        return other.settle_all(pairs=False)

    def descend(self):
        fit, moved = self.settle_all(pairs=True), True
        while moved:
            moved = False
            for name in self.free:
                for delta in [sign * step for step in STEPS_S for sign in (1, -1)]:
                    if fit.plant.overheads[name] + delta < 0:
                        continue
                    other = fit.with_change(name, float(delta))
                    if other.objective() < fit.objective() - 1.0:
                        fit, moved = other, True
            fit.settle_all(pairs=True)
        return fit

    def objective(self):
        return sum(self.error[job] for job in self.jobs)

    def replay(self):
        return {job: self.plant.minute_means(job, *self.spec[job], self.actions[job]) for job in self.actions}


def initial_clocks(measured, actions):
    """Reading of each clock at time 0 from the job's deepest minute before its first pause: the first checkpoint."""
    clocks = {}
    for job, _, curve, _ in JOBS:
        if plant.read_tasks()[curve] == "inference":
            continue
        first = next((t for t, kind, _ in actions[job] if kind == "pause"), plant.END)
        minute = min(range(int(first // 60) - 1), key=lambda i: measured[job][i])
        clocks[job] = FIXED["hourly_period_s"] - 60.0 * minute
    return clocks


def best_fit(measured, actions, overheads=None, restarts=RESTART_STARTS_S, scans=(False,), **options):
    """The best of the descents from each start of restart_s (the objective has several minima in it), the clocks first read off the traces or scanned."""
    first, fits = Fit(measured, actions, {**FIXED, **START, **(overheads or {})}, initial_clocks(measured, actions), **options), []
    for restart_s in restarts:
        for scan in scans:
            fit = first.with_change("restart_s", float(restart_s) - first.plant.overheads["restart_s"])
            fits.append((fit.scan_clocks() if scan else fit).descend())
    return min(fits, key=Fit.objective)


def infer_sequences(measured, total, worth=WORTH):
    curves, tasks = plant.read_curves(), plant.read_tasks()
    price, found = MINUTES * (worth * mean(total)) ** 2, {}
    for job, _, curve, gpus in JOBS:
        stateless = tasks[curve] == "inference"
        found[job] = segmentation(measured[job] if stateless else without_short_dips(measured[job]), curves[curve], gpus, stateless, price)
    return found


def listed(actions):
    """[(time s, job, action, value)] by time. A resize of a paused job draws nothing, so it is listed just before the resume that shows it."""
    rows = [(t - (RESIZE_AHEAD_S if kind == "resize" else 0), job, kind, value) for job, sequence in actions.items() for t, kind, value in sequence]
    order = [job for job, _, _, _ in JOBS]
    return sorted(rows, key=lambda r: (r[0], order.index(r[1])))


def replay():
    """What the committed files say, against the test table and, where it is at hand, against the trace."""
    parameters = json.loads((plant.HERE / "parameters.json").read_text(encoding="utf-8"))
    by_job = Plant(parameters["overheads"], parameters["since_checkpoint_s"]).replay(plant.read_actions())
    model = plant.total_of(by_job)
    with open(plant.TABLE, newline="", encoding="utf-8") as file:
        off = max(abs(float(row["total_w"]) - w) for row, w in zip(csv.DictReader(file), model, strict=True))
    print(f"largest difference to {plant.TABLE.name}: {off:.4f} W")
    if not plant.DATA.exists():
        print(f"SKIPPED the comparison with the trace: no {plant.DATA}")
    else:
        measured, total = plant.read_trace()
        for name, a, b in [("total", model, total)] + [(job, by_job[job], measured[job]) for job, _, _, _ in JOBS]:
            print(f"{name}: RMSE {rmse(a, b):.1f} W = {100 * rmse(a, b) / mean(b):.3f} % of the mean {mean(b):.0f} W")
    return 0 if off < 0.001 else 1


def main():
    if sys.argv[1:] == ["--replay"]:
        return replay()
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    import report
    measured, total = plant.read_trace()
    sequences = infer_sequences(measured, total)
    report.write(best_fit(measured, sequences), sequences, measured, total)
    return 0


if __name__ == "__main__":
    sys.exit(main())
