#!/usr/bin/env python3
"""Writes expected_emerald.csv: what snapshot.py says about mixes of the six A100 curves of Emerald AI's Phoenix demonstration.

    make_expected_emerald.py dvfs_sweep.csv > expected_emerald.csv
"""
import csv
import sys

from snapshot import Demand, read_curves, standard_policies, study

GPUS = {"ft_llama_8b_dolly": 48, "ft_llama_8b_p3": 32, "infer_llama_8b": 16,
        "pt_mpt_13b_lg": 64, "pt_mpt_13b_sm": 48, "pt_mpt_7b_fast": 48}
PRIORITY = {"ft_llama_8b_dolly": 3.0, "ft_llama_8b_p3": 2.5, "infer_llama_8b": 4.0,
            "pt_mpt_13b_lg": 1.0, "pt_mpt_13b_sm": 1.5, "pt_mpt_7b_fast": 2.0}
NAMED = ("ft_llama_8b_dolly", "ft_llama_8b_p3")   # what class-weighted (factor 2) names
#        mix: jobs per curve in the order of GPUS, agreed minimum speed
MIXES = {
    "base": ([20, 20, 15, 15, 15, 15], 0.0),
    "base-min-speed": ([20, 20, 15, 15, 15, 15], 0.5),
    "one-class": ([0, 0, 0, 100, 0, 0], 0.0),
    "one-job": ([1, 0, 0, 0, 0, 0], 0.0),
    "one-each": ([1, 1, 1, 1, 1, 1], 0.0),
    "unequal": ([1, 2, 13, 8, 5, 3], 0.0),
    "two-classes": ([0, 40, 0, 3, 0, 0], 0.25),
    "thousands": ([2000, 3000, 2500, 1000, 5000, 4000], 0.0),
}
CUTS = [k * 5 / 100 for k in range(19)]
VALUES_MATTER = ("pfi-aware", "pfi-aware-1", "quadratic", "oracle")   # the others answer the same under any objective
COLUMNS = ("target_w", "power_w", "shortfall_w", "speed_gpu", "speed_normalized", "speed_p5", "speed_min")


def main():
    curves = read_curves(sys.argv[1], GPUS)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("mix", "objective", "policy", "cut", *COLUMNS, "value", "bound"))
    for mix, (counts, min_speed) in MIXES.items():
        for objective in ("gpu_speed", "normalized", "weighted"):
            demands = [Demand(curves[name], count, objective, min_speed, PRIORITY[name])
                       for name, count in zip(GPUS, counts) if count]
            policies = standard_policies(lambda c: c.name in NAMED, 2.0)
            if objective != "gpu_speed":
                policies = {label: policies[label] for label in VALUES_MATTER}
            for label, cut, row in study(demands, CUTS, policies):
                out.writerow((mix, objective, label, repr(cut), *(repr(float(row[k])) for k in (*COLUMNS, "value", "bound"))))


if __name__ == "__main__":
    main()
