#!/usr/bin/env python3
"""What a snapshot study costs in numpy: three peers to measure wattfill against, on one thread.

Each mix is 100 jobs drawn from a curve library (with replacement, all curves equally likely) and meets the policies equal-split,
proportional, pfi-ranked and oracle at five budgets (cuts 0.1 to 0.5): 20 evaluations a mix, drawing included.

    --level user    arrays over the 100 jobs of a mix, policy by policy and budget by budget: what one writes first
    --level job     the same, tuned: budgets and policies vectorised, orders sorted once
    --level class   arrays over mixes x curve classes; everything that does not depend on the mix is tabulated once

All give the same numbers (`--check` compares them with each other and with tests/independent/snapshot.py).
The objective is GPU-weighted speed. Without --curves a made-up library of 25 curves on the caps 200 to 700 W stands in.
"""
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import csv
import ctypes
import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "independent"))
import snapshot  # noqa: E402  (curve preparation, outside the timing, and the reference of --check)

if hasattr(ctypes.CDLL(None), "mallopt"):   # glibc: keep freed arrays instead of giving their pages back (up to 3 times faster)
    for option in (-1, -3):                 # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
        ctypes.CDLL(None).mallopt(option, 1 << 30)

POLICIES = ("equal-split", "proportional", "pfi-ranked", "oracle")
CUTS = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
METRICS = ("speed_gpu", "speed_normalized", "speed_per_job", "speed_p5", "speed_min", "jain", "share_worse", "power_w")
BLOCK = 1024  # mixes drawn at once (both levels: the same mixes from the same seed)
CHUNK = {"speed": 1024, "all": 128}   # of those, mixes the class level works on at once (what stays in the cache was fastest)

# --------------------------------------------------------------------------------------------------------------- library

def stand_in_library():
    """25 curves, PFI-like figures from 1.1 to 2.7, 8 to 32 GPUs. Not measured; for timing only."""
    curves = []
    for k in range(25):
        pfi, p_max = 1.1 + 1.6 * k / 24, 700 * (0.93 - 0.03 * (k % 2))
        caps = [200, 300, 400, 500, 600, 700]
        draws = [min(c, p_max) for c in caps]
        cut = [1 - d / p_max for d in draws]
        speeds = [100 * (1 + k) * (1 - min(0.95, x / pfi * (0.45 + 0.9 * x))) for x in cut]
        curves.append(snapshot.Curve(f"stand-in-{k:02d}", caps, draws, speeds, (8, 16, 32)[k % 3]))
    return curves


class Tables:
    """The library as padded arrays over K curves: S points a curve, N hull edges in all."""

    def __init__(self, curves):
        self.curves = curves = sorted(curves, key=lambda c: c.name)
        demands = [snapshot.Demand(c, 1) for c in curves]
        K, S = len(curves), max(2, max(len(c.x) for c in curves))
        self.gpus = np.array([float(c.gpus) for c in curves])
        self.floor = np.array([d.floor for d in demands])
        self.uncapped = np.array([d.uncapped for d in demands])
        self.p_max, self.headroom = self.gpus * self.uncapped, self.gpus * (self.uncapped - self.floor)
        self.p_floor = self.gpus * self.floor
        self.t_max = np.array([c.t_max for c in curves])
        # T/Tmax of curve k at draw d: base[k, i] + slope[k, i] * d with i = how many inner points are <= d.
        self.inner = np.full((K, S - 2), np.inf)
        self.base, self.slope = np.zeros((K, S - 1)), np.zeros((K, S - 1))
        for k, c in enumerate(curves):
            n, r = len(c.x), c.y / c.t_max
            if n == 1:
                self.base[k] = 1.0
                continue
            self.inner[k, :n - 2] = c.x[1:-1]
            self.slope[k, :n - 1] = np.diff(r) / np.diff(c.x)
            self.base[k, :n - 1] = r[:-1] - self.slope[k, :n - 1] * c.x[:-1]
        by_pfi = sorted(range(K), key=lambda k: (-curves[k].pfi, curves[k].name))
        self.by_pfi = np.array(by_pfi)
        self.pfi_rank = np.argsort(self.by_pfi)
        # Hull edges in the order the oracle takes them.
        edges = []
        for k, d in enumerate(demands):
            hull = d.hull()
            for e, ((x0, y0), (x1, y1)) in enumerate(zip(hull, hull[1:])):
                edges.append(((y1 - y0) / (x1 - x0) / d.curve.t_max, k, e, x0, x1))
        edges.sort(key=lambda e: (-e[0], e[1], e[2]))
        self.edge_class = np.array([e[1] for e in edges])
        self.edge_low, self.edge_high = (np.array([e[i] for e in edges]) for i in (3, 4))
        self.edge_w = self.gpus[self.edge_class] * (self.edge_high - self.edge_low)
        E = max(e[2] for e in edges) + 1
        self.job_edge_rank = np.full((K, E), len(edges), np.uint16)
        self.job_edge_w = np.zeros((K, E))
        for rank, (_, k, e, x0, x1) in enumerate(edges):
            self.job_edge_rank[k, e], self.job_edge_w[k, e] = rank, self.gpus[k] * (x1 - x0)
        # T/Tmax of every class, and watts of one job of each, when the first n edges are full (oracle) ...
        full = np.tile(self.floor, (len(edges) + 1, 1))
        for n, (_, k, _, _, x1) in enumerate(edges):
            full[n + 1:, k] = x1
        self.full_rel, self.full_w = self.rel(full, np.arange(K)), full * self.gpus
        # ... when the first n classes are at their floor (pfi-ranked) ...
        down = np.tile(self.uncapped, (K + 1, 1))
        for n, k in enumerate(by_pfi):
            down[n + 1:, k] = self.floor[k]
        self.down_rel, self.down_w = self.rel(down, np.arange(K)), down * self.gpus
        # ... and at every level where a class starts or stops to rise or passes a point of its curve.
        points = [c.x[(c.x > f) & (c.x < c.uncapped)] for c, f in zip(curves, self.floor)]
        self.split_levels = np.unique(np.concatenate([self.floor, self.uncapped, *points]))
        draws = np.clip(self.split_levels[:, None], self.floor, self.uncapped)
        self.split_rel, self.split_w = self.rel(draws, np.arange(K)), draws * self.gpus
        self.prop_levels = np.unique(np.concatenate([self.floor / self.uncapped, [1.0],
                                                     *(x / c.uncapped for x, c in zip(points, curves))]))
        draws = np.clip(self.prop_levels[:, None] * self.uncapped, self.floor, self.uncapped)
        self.prop_rel, self.prop_w = self.rel(draws, np.arange(K)), draws * self.gpus

    def rel(self, draws, k):
        """T/Tmax at `draws` (last axis: one entry a curve in `k`, which broadcasts)."""
        inner = self.inner[k]
        i = np.zeros(np.broadcast_shapes(draws.shape, np.shape(k)), np.intp)
        for s in range(inner.shape[-1]):
            i += draws >= inner[..., s]
        flat = k * self.base.shape[1] + i
        return self.base.ravel()[flat] + self.slope.ravel()[flat] * draws


# ------------------------------------------------------------------------------------------------------------- job level

def level_over_jobs(starts, stops, rise, low_w, budgets):
    """Levels at which jobs that rise by `rise` W per unit of level from `starts` to `stops` total `budgets`."""
    breaks = np.concatenate([starts, stops])
    order = np.argsort(breaks)
    breaks = breaks[order]
    slope = np.cumsum(np.concatenate([rise, -rise])[order])
    power = np.empty_like(breaks)
    power[0] = 0.0
    np.cumsum(slope[:-1] * np.diff(breaks), out=power[1:])
    return np.interp(budgets - low_w, power, breaks)


def job_level(t, idx, scores):
    """One mix: `idx` is the curve of each job. Returns [metric, policy, cut]."""
    J = len(idx)
    gpus, floor, uncapped, p_max, headroom = t.gpus[idx], t.floor[idx], t.uncapped[idx], t.p_max[idx], t.headroom[idx]
    total, floors = p_max.sum(), (gpus * floor).sum()
    budgets = (1 - CUTS) * total
    draws = np.empty((4, len(CUTS), J))

    level = level_over_jobs(floor, uncapped, gpus, floors, budgets)
    np.clip(level[:, None], floor, uncapped, out=draws[0])

    share = level_over_jobs(floor / uncapped, np.ones(J), p_max, floors, budgets)
    np.maximum(share[:, None] * uncapped, floor, out=draws[1])

    rank = t.pfi_rank[idx]
    class_w = np.bincount(rank, headroom, len(t.gpus))
    need = total - budgets
    gone = np.cumsum(class_w) - class_w
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.nan_to_num(np.clip((need[:, None] - gone) / class_w, 0, 1))
    np.subtract(uncapped, part[:, rank] * (uncapped - floor), out=draws[2])

    watts = t.job_edge_w[idx].ravel()
    order = np.argsort(t.job_edge_rank[idx].ravel(), kind="stable")
    sorted_w = watts[order]
    taken = np.empty((len(CUTS), len(order)))
    taken[:, order] = np.clip((budgets - floors)[:, None] - (np.cumsum(sorted_w) - sorted_w), 0, sorted_w)
    np.add(floor, taken.reshape(len(CUTS), J, -1).sum(2) / gpus, out=draws[3])

    rel = t.rel(draws, idx)
    speed_gpu = rel @ gpus / gpus.sum()
    if scores == "speed":
        return speed_gpu[None]
    sums, fifth = rel.sum(2), (J + 19) // 20 - 1
    return np.stack([speed_gpu, sums / J, rel @ t.t_max[idx] / J, np.partition(rel, fifth, 2)[..., fifth], rel.min(2),
                     sums**2 / (J * np.einsum("pbj,pbj->pb", rel, rel)),
                     (rel < rel[1] * (1 - snapshot.SAME)).mean(2), draws @ gpus])


# ------------------------------------------------------------------------------------------------------------ user level

def user_draws(t, policy, idx, budget):
    """Draws of all jobs of one mix under one policy at one budget, as one writes it at first: sort the jobs, add up, search."""
    gpus, floor, uncapped, headroom = t.gpus[idx], t.floor[idx], t.uncapped[idx], t.headroom[idx]
    floors = (gpus * floor).sum()
    if policy == "equal-split":
        return np.clip(level_over_jobs(floor, uncapped, gpus, floors, budget), floor, uncapped)
    if policy == "proportional":
        return np.maximum(level_over_jobs(floor / uncapped, np.ones(len(idx)), t.p_max[idx], floors, budget) * uncapped, floor)
    if policy == "pfi-ranked":
        class_w = np.bincount(t.pfi_rank[idx], headroom, len(t.gpus))
        gone = np.cumsum(class_w)
        need = t.p_max[idx].sum() - budget
        k = np.searchsorted(gone, need)
        part = (np.arange(len(class_w)) < k).astype(float)
        if k < len(class_w) and class_w[k] > 0:
            part[k] = (need - gone[k] + class_w[k]) / class_w[k]
        return uncapped - part[t.pfi_rank[idx]] * (uncapped - floor)
    watts = t.job_edge_w[idx].ravel()
    order = np.argsort(t.job_edge_rank[idx].ravel(), kind="stable")
    filled = np.cumsum(watts[order])
    k = np.searchsorted(filled, budget - floors)
    taken = np.zeros_like(watts)
    taken[order[:k]] = watts[order[:k]]
    if k < len(order):
        taken[order[k]] = max(0.0, budget - floors - filled[k] + watts[order[k]])
    return floor + taken.reshape(len(idx), -1).sum(1) / gpus


def user_level(t, idx, scores):
    """One mix, policy by policy and budget by budget. Returns [metric, policy, cut]."""
    J, gpus, t_max = len(idx), t.gpus[idx], t.t_max[idx]
    total = t.p_max[idx].sum()
    out = np.empty((len(METRICS) if scores == "all" else 1, len(POLICIES), len(CUTS)))
    for b, cut in enumerate(CUTS):
        rels = {}
        for p, policy in enumerate(POLICIES):
            draws = user_draws(t, policy, idx, (1 - cut) * total)
            rels[policy] = rel, draws = t.rel(draws, idx), draws
            out[0, p, b] = rel @ gpus / gpus.sum()
        for p, policy in enumerate(POLICIES if scores == "all" else ()):
            rel, draws = rels[policy]
            out[1:, p, b] = (rel.mean(), (rel * t_max).mean(), np.sort(rel)[(J + 19) // 20 - 1], rel.min(), rel.sum()**2 / (J * (rel * rel).sum()),
                             (rel < rels["proportional"][0] * (1 - snapshot.SAME)).mean(), draws @ gpus)
    return out


# ----------------------------------------------------------------------------------------------------------- class level

def between_rows(table, at, part):
    """Linear interpolation between the rows `at` and `at` + 1 of a table."""
    return table[at] + part[..., None] * (table[at + 1] - table[at])


def pick(rows, at):
    return np.take_along_axis(rows, at, 1)


def position(power, targets):
    """Row (first of two) and share at which each mix's `power` [mix, row], non-decreasing, reaches its targets."""
    at = np.clip(np.count_nonzero(power[:, None, :] <= targets[:, :, None], axis=2) - 1, 0, power.shape[1] - 2)
    low = pick(power, at)
    rise = pick(power, at + 1) - low
    return at, np.clip(np.divide(targets - low, rise, out=np.zeros_like(low), where=rise > 0), 0, 1)


def class_level(t, counts, scores):
    """A block of mixes: `counts` [mix, curve]. Returns [metric, mix, policy, cut].

    Between two rows of its table every policy is linear in watts and (but for the marginal class of pfi-ranked and the oracle,
    handled apart) in speed: a matrix product gives power and speed of all mixes at all rows."""
    M, K = counts.shape
    weight = counts * t.gpus
    total = counts @ t.p_max
    budgets = np.maximum((1 - CUTS) * total[:, None], (counts @ (t.gpus * t.floor))[:, None])
    speed = np.empty((M, 4, len(CUTS)))
    rows = []
    for p, (watts, rel) in enumerate(((t.split_w, t.split_rel), (t.prop_w, t.prop_rel))):
        at, part = position(counts @ watts.T, budgets)
        at_rows = weight @ rel.T
        low = pick(at_rows, at)
        speed[:, p] = low + part * (pick(at_rows, at + 1) - low)
        rows.append((at, part))

    # pfi-ranked: n classes are at their floor, class k has gone `part` of the way.
    n, part = position(total[:, None] - counts @ t.down_w.T, total[:, None] - budgets)
    k = t.by_pfi[n]
    marginal = t.rel(t.uncapped[k] - part * (t.uncapped[k] - t.floor[k]), k)
    speed[:, 2] = pick(weight @ t.down_rel.T, n) + pick(weight, k) * (marginal - 1)
    ranked = n, k, marginal

    # Oracle: n edges are full, of the next one `whole` jobs are up, one is between and the others are down.
    power = counts @ t.full_w.T
    n, _ = position(power, budgets)
    k, low, high, step = t.edge_class[n], t.edge_low[n], t.edge_high[n], t.edge_w[n]
    left = np.maximum(budgets - pick(power, n), 0)
    jobs = pick(counts, k)
    whole = np.clip(np.floor(left / step), 0, np.maximum(jobs - 1, 0))
    one = np.minimum(jobs, 1)
    spent = np.minimum(left - whole * step, step)
    rel_low, rel_high, rel_one = t.rel(low, k), t.rel(high, k), t.rel(low + spent / t.gpus[k], k)
    speed[:, 3] = pick(weight @ t.full_rel.T, n) + t.gpus[k] * (whole * (rel_high - rel_low) + one * (rel_one - rel_low))

    speed /= weight.sum(1)[:, None, None]
    if scores == "speed":
        return speed[None]

    # Each policy as K classes and the two extra parts of the oracle's marginal class.
    everyone = counts.sum(1)[:, None, None]
    rels, parts = np.zeros((M, 4, len(CUTS), K + 2)), np.zeros((M, 4, len(CUTS), K + 2))
    rels[:, 0, :, :K] = between_rows(t.split_rel, *rows[0])
    rels[:, 1, :, :K] = between_rows(t.prop_rel, *rows[1])
    rels[:, 2, :, :K] = t.down_rel[ranked[0]]
    np.put_along_axis(rels[:, 2], ranked[1][:, :, None], ranked[2][:, :, None], 2)
    rels[:, 3, :, :K], rels[:, 3, :, K], rels[:, 3, :, K + 1] = t.full_rel[n], rel_high, rel_one
    parts[:, :, :, :K] = counts[:, None, None, :]
    parts[:, 3, :, K], parts[:, 3, :, K + 1] = whole, one
    np.put_along_axis(parts[:, 3], k[:, :, None], (jobs - whole - one)[:, :, None], 2)
    reference = np.empty((M, len(CUTS), K + 2))
    reference[:, :, :K] = rels[:, 1, :, :K]
    reference[:, :, K:] = np.take_along_axis(reference, k[:, :, None], 2)

    weighted = parts * rels
    sums = weighted.sum(3)
    squares = np.einsum("mpbk,mpbk->mpb", weighted, rels)
    tokens = weighted[..., :K] @ t.t_max
    tokens[:, 3] += t.t_max[k] * weighted[:, 3, :, K:].sum(2)
    worse = np.einsum("mpbk,mpbk->mpb", parts, rels < reference[:, None] * (1 - snapshot.SAME))
    present = np.where(parts > 0, rels, np.inf)
    order = np.argsort(present, 3)
    reached = 20 * np.cumsum(np.take_along_axis(parts, order, 3), 3) >= everyone[..., None]
    p5 = np.take_along_axis(present, np.take_along_axis(order, reached.argmax(3)[..., None], 3), 3)[..., 0]
    power_w = np.repeat(np.minimum(budgets, total[:, None])[:, None], 4, 1)
    return np.stack([speed, sums / everyone, tokens / everyone, p5, present.min(3), sums**2 / (everyone * squares),
                     worse / everyone, power_w])


# ---------------------------------------------------------------------------------------------------------------- driver

def blocks(t, mixes, jobs, seed):
    rng = np.random.Generator(np.random.PCG64(seed))
    for start in range(0, mixes, BLOCK):
        yield rng.integers(0, len(t.gpus), (BLOCK, jobs))[:mixes - start]


def count(t, idx):
    M, K = len(idx), len(t.gpus)
    return np.bincount((idx + K * np.arange(M)[:, None]).ravel(), minlength=M * K).reshape(M, K).astype(float)


def evaluate(t, idx, level, scores):
    """[metric, mix, policy, cut] of a block."""
    if level == "class":
        counts, step = count(t, idx), CHUNK[scores]
        return np.concatenate([class_level(t, counts[m:m + step], scores) for m in range(0, len(counts), step)], 1)
    one_mix = user_level if level == "user" else job_level
    return np.stack([one_mix(t, mix, scores) for mix in idx], 1)


def check(t, jobs, seed):
    worst = 0.0
    for number in (jobs, 1, 7, 33):
        idx = next(blocks(t, 6, number, seed))
        by_user, by_job, by_class = (evaluate(t, idx, level, "all") for level in ("user", "job", "class"))
        for m, counts in enumerate(count(t, idx)):
            demands = [snapshot.Demand(c, int(n)) for c, n in zip(t.curves, counts) if n]
            wanted = {name: policy for name, policy in snapshot.standard_policies().items() if name in POLICIES}
            for label, cut, row in snapshot.study(demands, [float(c) for c in CUTS], wanted):
                p, b = POLICIES.index(label), list(CUTS).index(cut)
                for i, metric in enumerate(METRICS):
                    for level, got in (("user", by_user), ("job", by_job), ("class", by_class)):
                        error = abs(got[i, m, p, b] - row[metric]) / max(1e-300, abs(row[metric]), 1.0)
                        worst = max(worst, error)
                        if not error <= 1e-9:
                            sys.exit(f"{level} level, {number} jobs, mix {m}, {label}, cut {cut}: {metric} is "
                                     f"{float(got[i, m, p, b])!r}, snapshot.py says {float(row[metric])!r}")
    print(f"user level = job level = class level = tests/independent/snapshot.py (largest difference {worst:.1e})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--curves", help="points: curve,cap_w,power_w,speed")
    parser.add_argument("--gpus", help="GPUs per curve: name=8,... or a CSV with the columns curve,gpus")
    parser.add_argument("--mixes", type=int, default=20000)
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--level", choices=("user", "job", "class"), default="class")
    parser.add_argument("--scores", choices=("speed", "all"), default="speed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="compare both levels with tests/independent on a few mixes")
    args = parser.parse_args()
    if args.curves:
        if not args.gpus:
            parser.error("--curves needs --gpus")
        if "=" in args.gpus:
            gpus = snapshot.mapping(args.gpus, int)
        else:
            with open(args.gpus, newline="") as f:
                gpus = {row["curve"]: int(row["gpus"]) for row in csv.DictReader(f)}
        curves = list(snapshot.read_curves(args.curves, gpus).values())
    else:
        curves = stand_in_library()
    t = Tables(curves)
    if args.check:
        return check(t, args.jobs, args.seed)

    sums, begin = 0.0, time.process_time()
    for idx in blocks(t, args.mixes, args.jobs, args.seed):
        sums = sums + evaluate(t, idx, args.level, args.scores).sum(1)
    seconds = time.process_time() - begin
    evaluations = args.mixes * len(POLICIES) * len(CUTS)
    print(f"{args.level} level, scores {args.scores}: {args.mixes} mixes x {len(POLICIES)} policies x {len(CUTS)} budgets in "
          f"{seconds:.3f} s: {evaluations / seconds:.0f} evaluations/s", file=sys.stderr)
    print("policy,cut", *(METRICS if args.scores == "all" else METRICS[:1]), sep=",")
    for (p, b) in np.ndindex(len(POLICIES), len(CUTS)):
        print(",".join((POLICIES[p], repr(float(CUTS[b])), *(repr(float(s / args.mixes)) for s in sums[:, p, b]))))


if __name__ == "__main__":
    main()
