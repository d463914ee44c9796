#!/usr/bin/env python3
"""Arrival processes, GPU counts and run times from published figures of three clusters, and from one workload of jobs. Needs Python 3 only.

    fit_arrivals.py     reads ../shared/data/jobmix, writes work.csv, gpus.csv, rates.csv and figures.md; what they mean: README.md
"""
import csv
import math
import pathlib
import sys
from statistics import NormalDist

HERE = pathlib.Path(__file__).resolve().parent
JOBMIX = HERE.parent.parent.parent / "shared" / "data" / "jobmix"
TRACES = ("Philly", "Seren", "Kalos")
# Days between the first and the last submission, by the publishers: Acme March to August 2023; Philly 2017-08-07 to 2017-12-22.
DAYS = {"Philly": 138, "Seren": 184, "Kalos": 184}
PHI = NormalDist()


def bisect(f, low, high):
    """Root of a monotone f by 200 halvings."""
    rising = f(high) > f(low)
    if (f(low) > 0) == (f(high) > 0):
        raise ValueError(f"no root in [{low}, {high}]")
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if (f(middle) > 0) == rising else (middle, high)
    return (low + high) / 2


def summaries():
    with open(JOBMIX / "acme" / "cluster_summary.csv", newline="", encoding="utf-8") as file:
        rows = {r["id"]: r for r in csv.DictReader(file)}
    out = {}
    for trace in TRACES:
        r = rows[trace]
        out[trace] = {"jobs": int(r["gpu_job_num"]), "mean_s": float(r["avg_run_time_gpu"]), "median_s": float(r["med_run_time_gpu"]),
                      "max_s": float(r["max_run_time_gpu"]), "mean_gpus": float(r["avg_gpu_num"]), "median_gpus": float(r["med_gpu_num"]),
                      "max_gpus": int(float(r["max_gpu"])),
                      "gpu_s": sum(float(r[f"{end}_gpu_time"]) for end in ("complete", "cancel", "fail"))}
    return out


def gpu_counts(s, single=None):
    """{GPUs: probability} on the powers of two up to the largest job: P(g) ~ g^-a with the published mean; where that leaves less than half of the jobs on one
    GPU, against the published median of 1, half of them are put there and the law holds for the rest. `single`: that share of jobs on one GPU instead."""
    counts = [2 ** k for k in range(s["max_gpus"].bit_length())]
    assert counts[-1] == s["max_gpus"] and s["median_gpus"] == 1

    def law(values, a):
        weights = [g ** -a for g in values]
        return [w / sum(weights) for w in weights]

    def average(values, p):
        return sum(g * q for g, q in zip(values, p))

    a = bisect(lambda x: average(counts, law(counts, x)) - s["mean_gpus"], -1, 20)
    p = law(counts, a)
    if single or p[0] < 0.5:
        one, rest = single or 0.5, counts[1:]
        a = bisect(lambda x: one + (1 - one) * average(rest, law(rest, x)) - s["mean_gpus"], -5, 20)
        p = [one] + [(1 - one) * q for q in law(rest, a)]
    return dict(zip(counts, p)), a


def mixture_quantile(level, gpus, base_s, b, sigma):
    def below(log_t):
        return sum(p * PHI.cdf((log_t - math.log(base_s) - b * math.log(g)) / sigma) for g, p in gpus.items()) - level
    return math.exp(bisect(below, -20, 40))


def clipped_mean(median_s, sigma, max_s):
    """E[min(T, max_s)] of a lognormal T"""
    mu, log_max = math.log(median_s), math.log(max_s)
    body = median_s * math.exp(sigma * sigma / 2) * PHI.cdf((log_max - mu - sigma * sigma) / sigma)
    return body + max_s * (1 - PHI.cdf((log_max - mu) / sigma))


def run_times(s, gpus):
    """Lognormal run times. Marginal: median and mean, of all times or (sigma_clipped) of times clipped at the published largest. Given the GPUs:
    T = base x G^b x exp(sigma Z), with the median and mean of all jobs, and the GPU time of all jobs, which tells how much longer the large ones run."""
    def moment(k):
        return sum(p * g ** k for g, p in gpus.items())
    sigma = math.sqrt(2 * math.log(s["mean_s"] / s["median_s"]))
    excess = s["gpu_s"] / (s["jobs"] * s["mean_gpus"] * s["mean_s"])  # E[GT] / (E[G] E[T])
    b = bisect(lambda x: moment(1 + x) / (moment(1) * moment(x)) - excess, -2, 4)

    def base(x):
        return s["mean_s"] / moment(b) * math.exp(-x * x / 2)
    given = bisect(lambda x: sum(p * PHI.cdf((math.log(s["median_s"]) - math.log(base(x)) - b * math.log(g)) / x) for g, p in gpus.items()) - 0.5, 0.05, 10)
    top = 1 - 1 / s["jobs"]
    clipped = bisect(lambda x: clipped_mean(s["median_s"], x, s["max_s"]) - s["mean_s"], 0.1, 3.5)
    return {"sigma": sigma, "sigma_clipped": clipped, "mean_if_clipped": clipped_mean(s["median_s"], sigma, s["max_s"]),
            "excess": excess, "b": b, "base_s": base(given), "sigma_given": given,
            "largest": s["median_s"] * math.exp(sigma * PHI.inv_cdf(top)), "largest_given": mixture_quantile(top, gpus, base(given), b, given),
            "sigma_by_max": math.log(s["max_s"] / s["median_s"]) / PHI.inv_cdf(top),
            "share_large": sum(p * g ** (1 + b) for g, p in gpus.items() if g > 64) / moment(1 + b)}


def pollux():
    """(submission times [s], GPUs) of the jobs of the workload"""
    with open(JOBMIX / "pollux" / "workload-1.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [float(r["time"]) for r in rows], [int(r["num_replicas"]) for r in rows]


def poisson_interval(n, level=0.95):
    """Exact (Garwood) interval of a Poisson mean from one count."""
    def below(k, x):
        return sum(math.exp(-x + i * math.log(x) - math.lgamma(i + 1)) for i in range(k + 1)) if x > 0 else 1.0
    tail = (1 - level) / 2
    low = 0.0 if n == 0 else bisect(lambda x: 1 - below(n - 1, x) - tail, 1e-9, n + 1.0)
    return low, bisect(lambda x: below(n, x) - tail, max(n, 1e-9), 5.0 * n + 20)


def table(header, rows):
    return "\n".join(["| " + " | ".join(map(str, header)) + " |", "|" + "---|" * len(header)] + ["| " + " | ".join(map(str, r)) + " |" for r in rows]) + "\n"


def write_csv(name, header, rows):
    with open(HERE / name, "w", newline="", encoding="utf-8") as file:
        file.write(",".join(header) + "\n" + "".join(",".join(map(str, r)) + "\n" for r in rows))


def write_tables(data, gpus, work, rates, hours, jobs, replicas):
    header = ("trace", "rate_per_h", "work_median_s", "work_sigma", "work_sigma_clipped", "max_s", "base_median_s", "gpus_exponent", "sigma_given_gpus",
              "provenance")
    write_csv("work.csv", header, [
        (t, f"{rates[t]:.4g}", f"{data[t]['median_s']:g}", f"{w['sigma']:.4f}", f"{w['sigma_clipped']:.4f}", f"{data[t]['max_s']:.0f}", f"{w['base_s']:.5g}",
         f"{w['b']:.4f}", f"{w['sigma_given']:.4f}", "reconstructed") for t, w in work.items()])
    write_csv("gpus.csv", ("trace", "gpus", "probability", "provenance"),
              [(t, g, f"{p:.6g}", "reconstructed") for t in TRACES for g, p in gpus[t][0].items()] +
              [("Pollux-workload-1", g, f"{replicas.count(g) / jobs:.6g}", "measured") for g in sorted(set(replicas))])
    write_csv("rates.csv", ("trace", "from_s", "to_s", "jobs", "rate_per_h", "relative"),
              [("Pollux-workload-1", 3600 * h, 3600 * (h + 1), n, n, f"{n * len(hours) / jobs:.4f}") for h, n in enumerate(hours)])


def published(data, rates):
    return "## Published (GPU jobs)\n\n" + table(
        ("trace", "jobs", "days", "jobs/h", "run time mean [s]", "median [s]", "max [s]", "GPUs mean", "median", "max", "GPU time [GPU s]", "GPUs busy"),
        [(t, s["jobs"], DAYS[t], f"{rates[t]:.1f}", f"{s['mean_s']:.0f}", f"{s['median_s']:g}", f"{s['max_s']:.0f}", f"{s['mean_gpus']:g}", f"{s['median_gpus']:g}",
          s["max_gpus"], f"{s['gpu_s']:.4g}", f"{s['gpu_s'] / (86400 * DAYS[t]):.0f}") for t, s in data.items()])


def marginal(data, work):
    header = ("trace", "median [s]", "sigma", "largest of as many jobs [s]", "published", "mean if clipped there [s]", "sigma of times clipped there",
              "sigma that the largest gives")
    return "## Run time, whatever the GPUs: lognormal with the published median and mean\n\n" + table(header, [
        (t, f"{data[t]['median_s']:g}", f"{w['sigma']:.3f}", f"{w['largest']:.3g}", f"{data[t]['max_s']:.3g}", f"{w['mean_if_clipped']:.0f}",
         f"{w['sigma_clipped']:.3f}", f"{w['sigma_by_max']:.3f}") for t, w in work.items()])


def by_size(data, work):
    others = []
    for t in TRACES:
        fits = [(one, run_times(data[t], gpu_counts(data[t], one)[0])) for one in (0.6, 0.7, 0.75)]
        others.append(t + " " + ", ".join(f"{100 * one:.0f} %: {w['b']:.2f}, {w['sigma_given']:.2f}" for one, w in fits))
    return "## Run time given the GPUs: base x GPUs^b x exp(sigma Z), with the published median, mean and GPU time\n\n" + table(
        ("trace", "E[GT] / (E[G] E[T])", "base [s]", "b", "sigma", "largest of as many jobs [s]", "GPU time of jobs over 64 GPUs"),
        [(t, f"{w['excess']:.2f}", f"{w['base_s']:.4g}", f"{w['b']:.3f}", f"{w['sigma_given']:.3f}", f"{w['largest_given']:.3g}", f"{100 * w['share_large']:.0f} %")
         for t, w in work.items()]) + "\nWith other shares of jobs on one GPU (b, sigma): " + "; ".join(others) + ".\n"


def sizes(data, gpus, jobs, replicas):
    counts = [2 ** k for k in range(11)]
    rows = [(t, f"{gpus[t][1]:.3f}", *[f"{100 * gpus[t][0][g]:.3g} %" if g in gpus[t][0] else "" for g in counts]) for t in TRACES]
    rows.append(("Pollux-workload-1", "counted", *[f"{100 * replicas.count(g) / jobs:.3g} %" if g in replicas else "" for g in counts]))
    return "## GPUs of a job\n\n" + table(("trace", "exponent a", *counts), rows) + "\nJobs of the largest size that the law expects among as many: " + ", ".join(
        f"{t} {data[t]['jobs'] * gpus[t][0][data[t]['max_gpus']]:.0f}" for t in TRACES) + ".\n"


def by_hour(times, hours):
    each, gaps = len(times) / len(hours), [b - a for a, b in zip(times, times[1:])]
    chi = sum((n - each) ** 2 / each for n in hours)
    gap = sum(gaps) / len(gaps)
    cv2 = sum((g - gap) ** 2 for g in gaps) / len(gaps) / gap ** 2
    return "## Pollux workload 1: arrivals by hour\n\n" + table(
        ("hour", "jobs", "95 % interval of its mean", "relative"),
        [(h, n, "{:.1f} to {:.1f}".format(*poisson_interval(n)), f"{n / each:.2f}") for h, n in enumerate(hours)]) + (
        f"\n{len(times)} jobs in {len(hours)} hours ({each:.1f}/h). Against one constant rate: chi^2 = {chi:.1f} with {len(hours) - 1} degrees of freedom "
        f"(5 % point for 7: 14.1). Gaps: mean {gap:.0f} s, squared coefficient of variation {cv2:.2f} (Poisson at a constant rate: 1).\n")


def main():
    if not JOBMIX.exists():
        print(f"fit_arrivals.py: no {JOBMIX}", file=sys.stderr)
        return 2
    data = summaries()
    gpus = {trace: gpu_counts(s) for trace, s in data.items()}
    work = {trace: run_times(s, gpus[trace][0]) for trace, s in data.items()}
    rates = {trace: s["jobs"] / (24 * DAYS[trace]) for trace, s in data.items()}
    times, replicas = pollux()
    hours = [sum(3600 * h <= x < 3600 * (h + 1) for x in times) for h in range(math.ceil(max(times) / 3600))]
    write_tables(data, gpus, work, rates, hours, len(times), replicas)
    parts = [published(data, rates), marginal(data, work), by_size(data, work), sizes(data, gpus, len(times), replicas), by_hour(times, hours)]
    (HERE / "figures.md").write_text("# Arrivals: figures\n\nWritten by `fit_arrivals.py`; what they mean: README.md.\n\n" + "\n".join(parts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
