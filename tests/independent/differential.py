#!/usr/bin/env python3
"""Runs wattfill on random small snapshot scenarios and compares every number with snapshot.py.

    differential.py build/release/wattfill 200 [--seed 1]

The first mismatch prints its seed, the scenario and the library, keeps them in a folder, and exits 1. Scenario i of a run with
--seed S is that of --seed S+i with N = 1.
"""
import argparse
import csv
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import snapshot

TOLERANCE = 1e-6      # relative; absolute below 1 W and for ratios
LIBRARY = "random-gpu"
TDP_W = 700
CUT_GRID = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 0.9)
KEYS = ("mix", "replication", "policy", "cut")
COMPARED = ("target_w", "power_w", "shortfall_w", "speed", "speed_per_job", "speed_normalized", "speed_gpu", "speed_p5", "speed_min")
# Columns compared only where the program writes them: its name -> ours.
IF_PRESENT = {"jain": "jain", "share_worse": "share_worse", "share_worse_than_proportional": "share_worse",
              "share_below_min": "share_below_min", "share_under_min_speed": "share_below_min"}

# How each policy is written in a scenario. {feature}: a telemetry key of the library.
POLICY_YAML = {
    "equal-split": "equal-split",
    "proportional": "proportional",
    "class-weighted": "{{name: class-weighted, factor: {factor}, where: {{architecture: {architecture}, task: {task}}}}}",
    "pfi-aware": "pfi-aware",
    "pfi-aware-1": "{{name: pfi-aware, pfi: 1, label: pfi-aware-1}}",
    "pfi-paper": "pfi-paper",
    "pfi-paper-1": "{{name: pfi-paper, pfi: 1, label: pfi-paper-1}}",
    "pfi-ranked": "pfi-ranked",
    "headroom-fair": "headroom-fair",
    "quadratic": "quadratic",
    "telemetry": "{{name: telemetry, feature: {feature}}}",
    "telemetry-job": "{{name: telemetry, feature: {feature}, per: job, label: telemetry-job}}",
    "oracle": "oracle",
}


# ---------------------------------------------------------------------------------------------------------- random input

def random_points(rng, kind):
    """[(cap, draw, speed)] of one curve."""
    size = 2 if kind == "two-point" else rng.randint(3, 8)
    caps = sorted(rng.sample(range(100, TDP_W + 1, 25), size))
    p_max, t_max = rng.uniform(0.5, 1.0) * TDP_W, 10 ** rng.uniform(-2, 4)
    if kind == "unresponsive":
        draws = [p_max * rng.uniform(0.985, 1.0) for _ in caps]
        draws[-1] = p_max
    else:
        share = sorted(rng.uniform(0.15, 0.98) for _ in caps[:-1])
        draws = [p_max * s for s in share] + [p_max]
    bend, depth = rng.uniform(0.3, 4.0), rng.uniform(0.1, 1.0)
    speeds = [t_max * (1 - depth * (1 - d / p_max) ** bend) for d in draws]
    if kind == "flat":
        speeds = [t_max for _ in draws]
    if kind == "noisy":                                    # not monotone; uncapped still draws most
        speeds = [t * rng.uniform(0.85, 1.1) for t in speeds]
    if kind == "repeated" and size > 3:                    # one cap, and one draw, measured twice
        caps[1], draws[2] = caps[0], draws[1]
    if kind == "crossed":                                  # the highest cap does not draw most
        draws[-1] = draws[-2] * rng.uniform(0.9, 0.999)
        speeds = [t * rng.uniform(0.95, 1.05) for t in speeds]
    return [(c, d, t) for c, d, t in zip(caps, draws, speeds)]


class Case:
    """One random scenario with its library."""

    def __init__(self, seed, skip, crossed, entry_min_speed):
        rng = random.Random(seed)
        self.seed = seed
        kinds = ["smooth"] * 4 + ["noisy"] * 3 + ["flat", "unresponsive", "two-point", "repeated"] + ["crossed"] * 2 * crossed
        self.curves = []
        for k in range(rng.randint(1, 8)):
            kind = rng.choice(kinds)
            points = random_points(rng, kind)
            gpus = rng.choice((1, 2, 4, 8, 16, 32, 64))
            features = {"dram_activity": round(rng.uniform(0.05, 0.9), 3)}
            tags = {"architecture": rng.choice(("dense", "moe")), "task": rng.choice(("fine-tuning", "pretraining"))}
            self.curves.append((f"c{k}-{kind}", points, gpus, features, tags))
        self.objective = rng.choice(("gpu_speed", "gpu_speed", "normalized", "weighted", "tokens"))
        self.min_speed = rng.choice((0.0, 0.0, 0.0, rng.uniform(0.1, 0.95), 0.5, 1.0))
        self.factor = rng.choice((2, 3.5, 0.5))
        self.cuts = sorted(rng.sample(CUT_GRID, rng.randint(1, 6)))
        self.mixes = {}
        for m in range(rng.randint(1, 3)):
            chosen = rng.sample(range(len(self.curves)), rng.randint(1, len(self.curves)))
            many = rng.choice((1, 5, 30, 2000))
            self.mixes[f"mix-{m}"] = [
                (k, rng.randint(1, many), round(rng.uniform(0.5, 5), 3),
                 round(rng.uniform(0, 0.9), 3) if entry_min_speed and rng.random() < 0.5 else None) for k in sorted(chosen)]
        points = {name: p for name, p, *_ in self.curves}
        self.models = [snapshot.Curve(name, *zip(*points[name]), gpus, features, tags)
                       for name, _, gpus, features, tags in self.curves]
        self.named = rng.choice(self.curves)[4]  # a filter that matches nothing is refused
        named = lambda c: c.tags == self.named
        policies = snapshot.standard_policies(named, self.factor, "dram_activity", self.objective)
        self.policies = {label: p for label, p in policies.items() if label not in skip}

    def library_yaml(self):
        lines = ["wattfill: 1", f"gpu: {{model: Random GPU, tdp_w: {TDP_W}}}", "provenance: derived",
                 "source: {citation: made up by a test, url: 'https://example.org/', licence: Apache-2.0, note: random}",
                 "speed_unit: tokens/s", "statistic: mean", "curves:"]
        for name, _, gpus, features, tags in self.curves:
            telemetry = ", ".join(f"{k}: {v!r}" for k, v in features.items())
            lines.append(f"  - {{name: {name}, architecture: {tags['architecture']}, task: {tags['task']}, model: {name}, "
                         f"gpus: {gpus}, telemetry: {{{telemetry}}}}}")
        return "\n".join(lines) + "\n"

    def library_csv(self):
        rows = [f"{name},{c},{d!r},{t!r}" for name, points, *_ in self.curves for c, d, t in points]
        return "\n".join(["curve,cap_w,power_w,speed"] + rows) + "\n"

    def scenario_yaml(self):
        lines = ["wattfill: 1", f"name: random-{self.seed}", "kind: snapshot", f"seed: {self.seed}", f"curves: [{LIBRARY}]",
                 f"objective: {self.objective}", f"min_speed: {self.min_speed!r}", "mixes:"]
        for mix, entries in self.mixes.items():
            lines += [f"  {mix}:", "    explicit:"]
            for k, count, priority, min_speed in entries:
                extra = f", priority: {priority!r}" if self.objective == "weighted" else ""
                extra += f", min_speed: {min_speed!r}" if min_speed is not None else ""
                lines.append(f"      - {{curve: {LIBRARY}/{self.curves[k][0]}, count: {count}{extra}}}")
        lines += [f"cuts: [{', '.join(map(repr, self.cuts))}]", "policies:"]
        lines += ["  - " + POLICY_YAML[label].format(factor=self.factor, feature="dram_activity", **self.named) for label in self.policies]
        lines += ["reference: proportional"] if "proportional" in self.policies else []
        return "\n".join(lines) + "\n"

    def write(self, folder):
        (folder / "curves").mkdir(parents=True)
        (folder / "curves" / f"{LIBRARY}.yaml").write_text(self.library_yaml())
        (folder / "curves" / f"{LIBRARY}.csv").write_text(self.library_csv())
        (folder / "scenario.yaml").write_text(self.scenario_yaml())

    def expected(self):
        """{(mix, policy, cut): scores}"""
        table = {}
        for mix, entries in self.mixes.items():
            demands = [snapshot.Demand(self.models[k], count, self.objective, self.min_speed if own is None else own,
                                       priority) for k, count, priority, own in entries]
            for label, cut, row in snapshot.study(demands, self.cuts, self.policies):
                table[mix, label, cut] = row
        return table


# -------------------------------------------------------------------------------------------------------------- compare

def close(got, want):
    return math.isfinite(got) and abs(got - want) <= TOLERANCE * max(1.0 if abs(want) < 1 else 0.0, abs(want))


def compare(case, path):
    """The first difference in words, or None."""
    expected = case.expected()
    with open(path, newline="", encoding="utf-8") as f:
        reader = csv.DictReader(f)
        missing = [c for c in (*KEYS, *COMPARED) if c not in reader.fieldnames]
        if missing:
            return f"replications.csv has no column {', '.join(missing)}; it has {', '.join(reader.fieldnames)}"
        columns = {c: c for c in COMPARED} | {c: ours for c, ours in IF_PRESENT.items() if c in reader.fieldnames}
        seen = set()
        for row in reader:
            cut = min(case.cuts, key=lambda c: abs(c - float(row["cut"])))
            key = row["mix"], row["policy"], cut
            if key not in expected or key in seen:
                return f"unexpected row {key}"
            seen.add(key)
            for column, ours in columns.items():
                got = float(row[column]) if row[column] else math.nan
                if not close(got, expected[key][ours]):
                    return f"{key}: {column} is {row[column] or 'empty'}, snapshot.py says {float(expected[key][ours])!r}"
    absent = set(expected) - seen
    return f"no row for {sorted(absent)[0]} ({len(absent)} rows absent)" if absent else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="path of a built wattfill")
    parser.add_argument("n", type=int, nargs="?", default=50, help="scenarios (default 50)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", default="", help="policies to leave out: label,...")
    parser.add_argument("--no-crossed", action="store_true", help="no curve whose highest cap does not draw most")
    parser.add_argument("--entry-min-speed", action="store_true", help="also min_speed per entry of a mix")
    parser.add_argument("--keep", help="write scenario --seed to this folder, with what is expected of it, and run nothing")
    args = parser.parse_args()
    make = lambda seed: Case(seed, set(args.skip.split(",")), not args.no_crossed, args.entry_min_speed)

    if args.keep:
        folder, case = pathlib.Path(args.keep), make(args.seed)
        case.write(folder)
        with open(folder / "expected.csv", "w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(("mix", "replication", "policy", "cut", *COMPARED))
            for (mix, label, cut), row in case.expected().items():
                out.writerow((mix, 0, label, repr(cut), *(repr(float(row[c])) for c in COMPARED)))
        return

    program, rows = str(pathlib.Path(args.program).resolve()), 0
    for seed in range(args.seed, args.seed + args.n):
        case = make(seed)
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"wattfill-differential-{seed}-"))
        case.write(folder / "case")
        done = subprocess.run([program, "run", str(folder / "case" / "scenario.yaml"), "--out", str(folder / "out"), "--quiet"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            problem = f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
        else:
            problem = compare(case, folder / "out" / "replications.csv")
        if problem:
            print(f"MISMATCH at seed {seed}: {problem}\n\n--- scenario.yaml\n{case.scenario_yaml()}\n--- {LIBRARY}.yaml\n"
                  f"{case.library_yaml()}\n--- {LIBRARY}.csv\n{case.library_csv()}\nkept in {folder}\n"
                  f"rerun: {sys.argv[0]} {args.program} 1 --seed {seed}")
            sys.exit(1)
        rows += len(case.mixes) * len(case.policies) * len(case.cuts)
        shutil.rmtree(folder)
    print(f"{args.n} scenarios, {rows} rows: wattfill and snapshot.py agree to {TOLERANCE:g}")


if __name__ == "__main__":
    main()
