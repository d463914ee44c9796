#!/usr/bin/env python3
"""The snapshot model of wattfill, written a second time, from its description alone.

This file is a check, not a product: it shares no code and no method with the C++ program. It is meant to be read next to the
model's text. Levels are found by bisection over classes (never from sorted breakpoints), the concave hull by gift wrapping.

    snapshot.py CURVES.csv --gpus a=8,b=16 --counts a=20,b=15 --cuts 0,0.1,0.2

prints one CSV row per policy and cut, with every digit.
"""
import argparse
import csv
import math
import sys

import numpy as np

UNRESPONSIVE = 0.02   # relative spread of the draw below which a job counts as not reacting to its cap
SAME = 1e-9           # "worse than proportional" means worse by more than this share (rounding is not a loss)

# Columns of a points file, by the names they may have.
COLUMNS = {"curve": ("curve", "Workload"), "cap": ("cap_w", "GPU power cap"), "draw": ("power_w", "power per GPU"), "speed": ("speed", "throughput")}


# ---------------------------------------------------------------------------------------------------------------- curves

def usable(draws, speeds):
    """Points sorted by draw, equal draws merged, speed made non-decreasing (weighted isotonic regression)."""
    xs = sorted(set(draws))
    groups = []                                        # [weighted mean speed, weight, the draws it covers]
    for x in xs:
        here = [t for d, t in zip(draws, speeds) if d == x]
        groups.append([sum(here) / len(here), len(here), [x]])
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            (t1, w1, x1), (t2, w2, x2) = groups[-2:]
            groups[-2:] = [[(t1 * w1 + t2 * w2) / (w1 + w2), w1 + w2, x1 + x2]]
    return np.array(xs), np.array([t for t, _, covered in groups for _ in covered])


def pfi(caps, draws, speeds):
    """Mean over the capped points slower than uncapped of (1 - P/Pmax) / (1 - T/Tmax); raw points; no such point: infinite."""
    top = max(caps)
    p_max = np.mean([p for c, p in zip(caps, draws) if c == top])
    t_max = np.mean([t for c, t in zip(caps, speeds) if c == top])
    terms = [(1 - p / p_max) / (1 - t / t_max) for c, p, t in zip(caps, draws, speeds) if c < top and t < t_max]
    return sum(terms) / len(terms) if terms else math.inf


def quadratic_response(caps, draws, speeds):
    """(b, a), both >= 0, least squares of 1 - T/Tmax = b x + a x^2 over x = 1 - P/Pmax; raw points.

    With one distinct x the fit is not unique: the straight line (a = 0) is taken."""
    top = max(caps)
    p_max = np.mean([p for c, p in zip(caps, draws) if c == top])
    t_max = np.mean([t for c, t in zip(caps, speeds) if c == top])
    x = np.array([1 - p / p_max for c, p in zip(caps, draws) if c < top])
    y = np.array([1 - t / t_max for c, t in zip(caps, speeds) if c < top])
    if not np.any(x):
        return 0.0, 0.0
    if len(set(x)) == 1:
        return max(0.0, x @ y / (x @ x)), 0.0
    candidates = [(max(0.0, x @ y / (x @ x)), 0.0),               # the border a = 0 (first: wins ties)
                  (0.0, max(0.0, (x * x) @ y / (x**2 @ x**2)))]   # the border b = 0
    if len(set(x[x != 0])) > 1:
        b, a = np.linalg.lstsq(np.stack([x, x * x], 1), y, rcond=None)[0]
        if a >= 0 and b >= 0:
            return float(b), float(a)                             # the free optimum is allowed: nothing beats it
    return min(candidates, key=lambda s: float(np.sum((y - s[0] * x - s[1] * x * x) ** 2)))


class Curve:
    """One job's measured points on one GPU type, and what the policies read from them."""

    def __init__(self, name, caps, draws, speeds, gpus, features=None, tags=None):
        self.name, self.gpus = name, gpus
        self.features, self.tags = features or {}, tags or {}
        self.x, self.y = usable(draws, speeds)
        self.uncapped = float(self.x[-1])
        self.t_max = float(self.y[-1])
        self.unresponsive = (self.x[-1] - self.x[0]) / self.x[-1] < UNRESPONSIVE
        self.pfi = max(0.05, pfi(caps, draws, speeds))     # beliefs are clipped at 0.05 (model.md section 3)
        self.b, self.a = quadratic_response(caps, draws, speeds)

    def speed(self, draw):
        return float(np.interp(draw, self.x, self.y))

    def floor(self, min_speed):
        """Lowest draw that is measured and keeps the agreed share of full speed."""
        if self.unresponsive:
            return self.uncapped
        wanted = min_speed * self.t_max
        if self.y[0] >= wanted:
            return float(self.x[0])
        i = next(i for i in range(1, len(self.x)) if self.y[i] >= wanted)
        share = (wanted - self.y[i - 1]) / (self.y[i] - self.y[i - 1])
        return float(self.x[i - 1] + share * (self.x[i] - self.x[i - 1]))


def read_curves(path, gpus):
    """Points file -> {name: Curve}; `gpus` maps a curve's name to its GPUs (curves without an entry are left out)."""
    points = {}
    with open(path, newline="", encoding="utf-8-sig") as f:
        reader = csv.DictReader(f)
        column = {key: next(n for n in names if n in reader.fieldnames) for key, names in COLUMNS.items()}
        for row in reader:
            points.setdefault(row[column["curve"]], []).append([float(row[column[k]]) for k in ("cap", "draw", "speed")])
    return {name: Curve(name, *zip(*points[name]), gpus=gpus[name]) for name in points if name in gpus}


# --------------------------------------------------------------------------------------------------------------- demands

class Demand:
    """Jobs that are alike: `count` jobs of one curve with one agreed minimum speed and one priority."""

    def __init__(self, curve, count, objective="gpu_speed", min_speed=0.0, priority=1.0):
        self.curve, self.count, self.gpus = curve, count, curve.gpus
        self.min_speed = min_speed
        self.uncapped, self.floor = curve.uncapped, curve.floor(min_speed)
        self.p_max = self.gpus * self.uncapped                    # watts of the whole job
        self.headroom = self.gpus * (self.uncapped - self.floor)  # watts of the whole job
        self.value = {"gpu_speed": self.gpus, "normalized": 1.0, "weighted": priority, "tokens": curve.t_max}[objective]

    def hull(self):
        """Upper concave hull of the usable curve on [floor, uncapped], by gift wrapping: [(draw, speed), ...]."""
        inside = [(x, y) for x, y in zip(self.curve.x, self.curve.y) if x > self.floor]
        at, hull = (self.floor, self.curve.speed(self.floor)), []
        hull.append(at)
        while at[0] < self.uncapped:
            ahead = [p for p in inside if p[0] > at[0]]
            at = max(ahead, key=lambda p: ((p[1] - at[1]) / (p[0] - at[0]), p[0]))
            hull.append(at)
        return hull


def total_w(demands, draws):
    return sum(d.count * d.gpus * x for d, x in zip(demands, draws))


def bisect(power, target, low, high):
    """Levels low < high as close as floats get, with power(low) <= target < power(high); power is non-decreasing."""
    while True:
        middle = low + (high - low) / 2
        if not low < middle < high or high - low < 1e-300:
            return low, high
        if power(middle) <= target:
            low = middle
        else:
            high = middle


def fill(demands, draws_at, target, low, high):
    """Draws at the level in [low, high] where they total `target`. At a jump all jumping classes move the same share of it."""
    power = lambda level: total_w(demands, draws_at(level))
    if power(high) <= target:
        return draws_at(high)
    if power(low) >= target:
        return draws_at(low)
    low, high = bisect(power, target, low, high)
    share = (target - power(low)) / (power(high) - power(low))
    return [a + share * (b - a) for a, b in zip(draws_at(low), draws_at(high))]


def clamp(demand, draw):
    return min(max(draw, demand.floor), demand.uncapped)


# -------------------------------------------------------------------------------------------------------------- policies
# Each takes (demands, target in watts) and gives a draw per GPU for each demand.

def equal_split(demands, target):
    return fill(demands, lambda level: [clamp(d, level) for d in demands], target, 0.0, max(d.uncapped for d in demands))


def proportional(demands, target):
    return fill(demands, lambda level: [clamp(d, level * d.uncapped) for d in demands], target, 0.0, 1.0)


def headroom_fair(demands, target):
    return fill(demands, lambda f: [d.floor + f * (d.uncapped - d.floor) for d in demands], target, 0.0, 1.0)


def curtail(demands, weights, target):
    """Cut each job's watts in proportion to its weight; who hits the floor stops, the others go on by the same rule.

    Infinite weights go to the floor first, weights of 0 (or less) last; each of these two groups gives up the same share of
    its headroom."""
    first = [math.isinf(w) for w in weights]
    last = [w <= 0 for w in weights]
    cuts = [w for w in weights if w > 0 and not math.isinf(w)]
    most = max([d.headroom / w for d, w in zip(demands, weights) if w > 0 and not math.isinf(w)], default=0.0)

    def at(f_first, level, f_last):
        draws = []
        for d, w, is_first, is_last in zip(demands, weights, first, last):
            if is_first or is_last:
                draws.append(d.uncapped - (f_first if is_first else f_last) * (d.uncapped - d.floor))
            else:
                draws.append(max(d.floor, d.uncapped - level * w / d.gpus))
        return draws

    if total_w(demands, at(1, 0, 0)) < target:
        return fill(demands, lambda up: at(-up, 0, 0), target, -1.0, 0.0)
    if cuts and total_w(demands, at(1, most, 0)) < target:
        return fill(demands, lambda up: at(1, -up, 0), target, -most, 0.0)
    return fill(demands, lambda up: at(1, most, -up), target, -1.0, 0.0)


def class_weighted(demands, target, named, factor=2.0):
    return curtail(demands, [d.p_max * (factor if named(d.curve) else 1.0) for d in demands], target)


def telemetry(demands, target, feature, per="gpu"):
    return curtail(demands, [d.curve.features[feature] * (1.0 if per == "job" else d.p_max) for d in demands], target)


def pfi_paper(demands, target, fixed=None):
    return curtail(demands, [d.p_max / d.curve.t_max * (d.curve.pfi if fixed is None else fixed) for d in demands], target)


def pfi_aware(demands, target, fixed=None):
    return curtail(demands, [d.p_max**2 * (d.curve.pfi if fixed is None else fixed) / d.value for d in demands], target)


def pfi_ranked(demands, target):
    draws = [d.uncapped for d in demands]
    for i in sorted(range(len(demands)), key=lambda i: (-demands[i].curve.pfi, demands[i].curve.name)):
        d = demands[i]
        over = total_w(demands, draws) - target
        if over > 0:
            draws[i] = max(d.floor, d.uncapped - over / (d.count * d.gpus))
    return draws


def quadratic(demands, target):
    """Equal believed marginal loss of objective per watt: value / P_max x (b + 2 a x), x the share of P_max cut."""
    def cut_at(d, rate):
        deepest = 1 - d.floor / d.uncapped
        slope = rate * d.p_max / d.value - d.curve.b              # >= 0 where the first watt is worth cutting
        if slope < 0:
            return 0.0
        return min(deepest, slope / (2 * d.curve.a)) if d.curve.a > 0 else deepest

    steepest = max(d.value / d.p_max * (d.curve.b + 2 * d.curve.a) for d in demands)
    # Rates from -1 (below every marginal loss: nothing is cut) to beyond the largest (everything is at its floor).
    return fill(demands, lambda up: [d.uncapped * (1 - cut_at(d, -up)) for d in demands], target, -2 * steepest - 1.0, 1.0)


def oracle(demands, target):
    """Marginal filling on the concave hulls of the true curves.

    Returns (parts, bound): parts[i] is a list of (draw, jobs) for demand i; bound is the largest objective any allocation
    can have (the hulls filled to the last watt, jobs divisible). Classes whose marginal gains tie are filled in their order."""
    hulls = [d.hull() for d in demands]

    def gain(d, low, high):                                       # objective per watt of one job along a hull edge
        return d.value * (high[1] - low[1]) / d.curve.t_max / (d.gpus * (high[0] - low[0]))

    def vertex(d, hull, level):                                   # the last vertex all of whose edges gain more than `level`
        k = 0
        while k + 1 < len(hull) and gain(d, hull[k], hull[k + 1]) > level:
            k += 1
        return k

    def power(up):
        return total_w(demands, [h[vertex(d, h, -up)][0] for d, h in zip(demands, hulls)])

    steepest = max([gain(d, a, b) for d, h in zip(demands, hulls) for a, b in zip(h, h[1:])], default=0.0)
    if power(1.0) <= target:
        start, end = [len(h) - 1 for h in hulls], [len(h) - 1 for h in hulls]
    elif power(-2 * steepest) >= target:
        start, end = [0 for _ in hulls], [0 for _ in hulls]
    else:
        low, high = bisect(power, target, -2 * steepest, 0.0) if power(0.0) > target else (0.0, 1.0)
        start = [vertex(d, h, -low) for d, h in zip(demands, hulls)]
        end = [vertex(d, h, -high) for d, h in zip(demands, hulls)]

    left = target - total_w(demands, [h[k][0] for h, k in zip(hulls, start)])
    parts, bound = [], 0.0
    for d, hull, k, k_end in zip(demands, hulls, start, end):
        parts.append([(hull[k][0], d.count)])
        bound += d.value * d.count * hull[k][1] / d.curve.t_max
        while k < k_end and left > 0:                             # (edges of one class only tie where three points are in line)
            (x0, y0), (x1, y1) = hull[k], hull[k + 1]
            step = d.gpus * (x1 - x0)                             # watts that lift one job along this edge
            bound += d.value * min(d.count, left / step) * (y1 - y0) / d.curve.t_max
            if left >= d.count * step:
                parts[-1] = [(x1, d.count)]
                left -= d.count * step
            else:
                whole = int(left // step)
                rest = left - whole * step
                parts[-1] = [(x0, d.count - whole - 1), (x0 + rest / d.gpus, 1), (x1, whole)]
                left = 0.0
            k += 1
    return [[(x, n) for x, n in part if n > 0] for part in parts], bound


# ---------------------------------------------------------------------------------------------------------------- scores

def scores(demands, parts, target, reference_draws):
    """Everything reported of one mix under one policy at one target; `reference_draws`: what `proportional` gives."""
    jobs = [(d, x, n, d.curve.speed(x), d.curve.speed(x) / d.curve.t_max, d.curve.speed(ref) / d.curve.t_max)
            for d, part, ref in zip(demands, parts, reference_draws) for x, n in part]
    count = sum(n for _, _, n, *_ in jobs)
    gpus = sum(n * d.gpus for d, _, n, *_ in jobs)
    speed = sum(n * t for _, _, n, t, _, _ in jobs)
    power = sum(n * d.gpus * x for d, x, n, *_ in jobs)
    floors = sum(d.count * d.gpus * d.floor for d in demands)
    kept, p5 = 0, None
    for _, _, n, _, r, _ in sorted(jobs, key=lambda j: j[4]):     # smallest v with at least 5 % of jobs at T/Tmax <= v
        kept += n
        if p5 is None and 20 * kept >= count:
            p5 = r
    sum_r = sum(n * r for _, _, n, _, r, _ in jobs)
    return {
        "target_w": target,
        "power_w": power,
        "shortfall_w": max(0.0, floors - target),
        "speed": speed,
        "speed_per_job": speed / count,
        "speed_normalized": sum_r / count,
        "speed_gpu": sum(n * d.gpus * r for d, _, n, _, r, _ in jobs) / gpus,
        "speed_p5": p5,
        "speed_min": min(r for *_, r, _ in jobs),
        "jain": sum_r**2 / (count * sum(n * r * r for _, _, n, _, r, _ in jobs)),
        "share_worse": sum(n for _, _, n, _, r, ref in jobs if r < ref * (1 - SAME)) / count,
        "share_below_min": sum(n for d, _, n, _, r, _ in jobs if r < d.min_speed * (1 - SAME)) / count,
        "value": sum(n * d.value * r for d, _, n, _, r, _ in jobs) / sum(d.count * d.value for d in demands),
    }


def standard_policies(named=lambda curve: False, factor=2.0, feature=None, objective="gpu_speed"):
    """{label: policy} of every policy that applies."""
    policies = {
        "equal-split": equal_split,
        "proportional": proportional,
        "class-weighted": lambda ds, b: class_weighted(ds, b, named, factor),
        "pfi-aware": pfi_aware,
        "pfi-aware-1": lambda ds, b: pfi_aware(ds, b, fixed=1.0),
        "pfi-ranked": pfi_ranked,
        "headroom-fair": headroom_fair,
        "quadratic": quadratic,
        "oracle": oracle,
    }
    if objective == "tokens":
        policies["pfi-paper"] = pfi_paper
        policies["pfi-paper-1"] = lambda ds, b: pfi_paper(ds, b, fixed=1.0)
    if feature is not None:
        policies["telemetry"] = lambda ds, b: telemetry(ds, b, feature)
        policies["telemetry-job"] = lambda ds, b: telemetry(ds, b, feature, per="job")
    return policies


def study(demands, cuts, policies):
    """Yields (policy label, cut, scores) of one mix; the oracle's scores also hold its hull `bound`."""
    uncapped = total_w(demands, [d.uncapped for d in demands])
    for cut in cuts:
        target = (1 - cut) * uncapped
        reference = proportional(demands, target)
        bound = oracle(demands, target)[1] / sum(d.count * d.value for d in demands)
        for label, policy in policies.items():
            answer = policy(demands, target)
            parts = answer[0] if label == "oracle" else [[(x, d.count)] for x, d in zip(answer, demands)]
            yield label, cut, {**scores(demands, parts, target, reference), "bound": bound}


def mapping(text, kind):
    return {name: kind(value) for name, value in (item.rsplit("=", 1) for item in text.split(",") if item)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("curves", help="CSV of points: curve,cap_w,power_w,speed (extra columns ignored)")
    parser.add_argument("--gpus", required=True, help="GPUs per curve: name=48,...")
    parser.add_argument("--counts", required=True, help="jobs per curve: name=20,...")
    parser.add_argument("--cuts", required=True, help="0,0.1,...")
    parser.add_argument("--objective", default="gpu_speed", choices=("gpu_speed", "normalized", "weighted", "tokens"))
    parser.add_argument("--priority", default="", help="priority per curve under --objective weighted: name=2,... (else 1)")
    parser.add_argument("--min-speed", type=float, default=0.0)
    parser.add_argument("--class-weighted", default="", help="curves that class-weighted names: name,...")
    parser.add_argument("--factor", type=float, default=2.0)
    args = parser.parse_args()

    curves = read_curves(args.curves, mapping(args.gpus, int))
    priority = mapping(args.priority, float)
    demands = [Demand(curves[name], count, args.objective, args.min_speed, priority.get(name, 1.0))
               for name, count in sorted(mapping(args.counts, int).items()) if count > 0]
    named = set(args.class_weighted.split(","))
    policies = standard_policies(lambda c: c.name in named, args.factor, objective=args.objective)
    out = csv.writer(sys.stdout, lineterminator="\n")
    header = None
    for label, cut, row in study(demands, [float(c) for c in args.cuts.split(",")], policies):
        if header is None:
            header = list(row)
            out.writerow(["policy", "cut"] + header)
        out.writerow([label, repr(cut)] + [repr(float(row[k])) for k in header])


if __name__ == "__main__":
    main()
