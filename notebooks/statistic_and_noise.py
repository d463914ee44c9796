#!/usr/bin/env python3
"""How the statistic of a point and the noise between runs move PFI and its ranks.

    statistic_and_noise.py [LIBRARY.csv ...]        default: the two H200 libraries and the measured A100 one

Top-10 % means: a normal sample's top tenth has its mean 1.755 standard deviations up. Uncapped, draw fluctuates by a share s of itself; at a binding cap it does
not (the cap holds it), so the statistic raises P_max alone. Speed fluctuates alike at every cap and cancels. The figures follow from that assumption;
they are no measurement. Noise: every point's draw and speed times an independent normal factor, 0.4 % and 0.5 % between runs (0.04 % and 0.05 % within
one), 2000 draws of a fixed seed. Needs nothing but Python.
"""
import csv
import pathlib
import random
import statistics
import sys

TOP_TENTH = 1.755  # phi(1.2816) / 0.1
DRAWS = 2000


def read(path):
    curves = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            curves.setdefault(row["curve"], []).append((float(row["cap_w"]), float(row["power_w"]), float(row["speed"])))
    return {name: [(p, t) for _, p, t in sorted(points)] for name, points in curves.items()}


def pfi(points):
    """Mean of saved / lost over the capped points that lose speed; infinite if none does."""
    p_max, t_max = points[-1]
    ratios = [(1 - p / p_max) / (1 - t / t_max) for p, t in points[:-1] if t < t_max]
    return statistics.fmean(ratios) if ratios else float("inf")


def ranks(values):
    order = sorted(values)
    return [order.index(v) + (order.count(v) - 1) / 2 for v in values]


def spearman(x, y):
    return statistics.correlation(ranks(x), ranks(y))


def swapped(x, y):
    """Share of the pairs of curves whose order changes."""
    pairs = [(i, j) for i in range(len(x)) for j in range(i) if x[i] != x[j]]
    return sum((x[i] < x[j]) != (y[i] < y[j]) for i, j in pairs) / len(pairs)


def report(path):
    curves = read(path)
    base = [pfi(points) for points in curves.values()]
    print(f"{path.stem}: {len(curves)} curves")
    for s in (0.01, 0.02, 0.05):
        moved = [pfi([*points[:-1], (points[-1][0] * (1 + TOP_TENTH * s), points[-1][1])]) for points in curves.values()]
        ratio = [m / b for m, b in zip(moved, base)]
        print(f"  top-10 % mean, uncapped draw fluctuates by {s:.0%}: PFI x {min(ratio):.3f} to {max(ratio):.3f}, median {statistics.median(ratio):.3f};"
              f" Spearman {spearman(base, moved):.3f}, pairs swapped {swapped(base, moved):.1%}")
    for name, sp, st in (("within", 0.0004, 0.0005), ("between", 0.004, 0.005)):
        rng = random.Random(1)
        rho, pairs, spread = [], [], [[] for _ in curves]
        for _ in range(DRAWS):
            noisy = [pfi([(p * (1 + rng.gauss(0, sp)), t * (1 + rng.gauss(0, st))) for p, t in points]) for points in curves.values()]
            rho.append(spearman(base, noisy))
            pairs.append(swapped(base, noisy))
            for values, value in zip(spread, noisy):
                values.append(value)
        width = []
        for b, values in zip(base, spread):
            values.sort()
            width.append((values[int(0.975 * DRAWS)] - values[int(0.025 * DRAWS)]) / b)
        rho.sort()
        print(f"  noise {name} runs: 95 % of a PFI spans {min(width):.1%} to {max(width):.1%} of it, median {statistics.median(width):.1%};"
              f" Spearman {statistics.fmean(rho):.3f} (5 % below {rho[DRAWS // 20]:.3f}), pairs swapped {statistics.fmean(pairs):.1%}")


if __name__ == "__main__":
    shipped = pathlib.Path(__file__).resolve().parent.parent / "curves"
    files = [pathlib.Path(a) for a in sys.argv[1:]] or [shipped / f"{n}.csv" for n in ("h200-pfi-2026", "h200-pfi-2026-roofline", "emerald-a100")]
    for file in files:
        report(file)
