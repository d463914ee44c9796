"""Writes what infer_actions.py found, with baselines, variants and cross-validation: actions.csv, parameters.json, report.md and the test table of the model's
minutes."""
import csv
import datetime
import json

import infer_actions as infer
import plant
from plant import JOBS, MINUTES, Plant, mean, rmse

NAMES = [job for job, _, _, _ in JOBS]


def clock(time_s):
    return (datetime.datetime.fromisoformat(plant.START) + datetime.timedelta(seconds=time_s)).strftime("%H:%M:%S")


def percent(model, measured):
    return 100 * rmse(model, measured) / mean(measured)


def projection():
    """Emerald's projection, each value held to the next step: (value at the start of each minute, mean of each minute, steps, changes of value)."""
    with open(plant.DATA / "aps_2025-05-01_projection.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    zero = datetime.datetime.fromisoformat(plant.START)
    steps = [((datetime.datetime.fromisoformat(r["timestamp"]) - zero).total_seconds(), float(r["projected_total_w"])) for r in rows]
    joules = [0.0] * MINUTES
    for (start, watts), (end, _) in zip(steps, steps[1:] + [(plant.END, 0.0)]):
        for minute in range(int(start // 60), min(MINUTES, int(end // 60) + 1)):
            joules[minute] += watts * max(0.0, min(end, 60 * minute + 60) - max(start, 60 * minute))
    changes = sum(a[1] != b[1] for a, b in zip(steps, steps[1:]))
    sampled = [max((t, w) for t, w in steps if t <= 60 * minute)[1] for minute in range(MINUTES)]
    return sampled, [j / 60 for j in joules], len(steps) - 1, changes


def curve_free(y, counts):
    """k -> RMSE of the best k constant steps on the minutes y: exact, by dynamic programming. No curve, no job."""
    ones, twos = [0.0], [0.0]
    for value in y:
        ones.append(ones[-1] + value)
        twos.append(twos[-1] + value * value)

    def error(a, b):
        return twos[b] - twos[a] - (ones[b] - ones[a]) ** 2 / (b - a)

    best, out = [0.0] + [error(0, b) for b in range(1, len(y) + 1)], {}
    for k in range(1, max(counts) + 1):
        if k > 1:
            best = [0.0] * k + [min(best[a] + error(a, b) for a in range(k - 1, b)) for b in range(k, len(y) + 1)]
        if k in counts:
            out[k] = (best[len(y)] / len(y)) ** 0.5
    return out


def phases(fit, job):
    """[(from, to)] of the pauses' and restarts' own phases, and of the hourly checkpoints, of one job"""
    o, save = fit.plant.overheads, job not in fit.plant.stateless
    own = [(t, t + save * o["pause_checkpoint_s" if kind == "pause" else "restart_s"]) for t, kind, _ in fit.actions[job] if kind in ("pause", "resume")]
    count = {job: gpus for job, _, _, gpus in JOBS}
    watts, hourly = o["overhead_w_per_gpu"], []
    for start, end, w in fit.plant.segments(job, *fit.spec[job], fit.actions[job]):
        if save and 0 < w <= watts * count[job] and not any(a <= start < b for a, b in own):
            hourly.append((start, end))
    return own, hourly


def plateaus(fit, measured, total):
    """Stretches of ten minutes and more without a phase of a pause or restart of any job; the minutes of hourly checkpoints are left out."""
    busy, dips = [False] * MINUTES, [False] * MINUTES
    for job in NAMES:
        own, hourly = phases(fit, job)
        for marks, spans, pad in ((busy, own, 1), (dips, hourly, 1)):
            for start, end in spans:
                for minute in range(max(0, int(start // 60) - pad), min(MINUTES, int(end // 60) + 1 + pad)):
                    marks[minute] = True
    by_job, out, start = fit.replay(), [], None
    for minute in range(MINUTES + 1):
        if minute < MINUTES and not busy[minute]:
            start = minute if start is None else start
        elif start is not None:
            if minute - start >= 10:
                kept = [i for i in range(start, minute) if not dips[i]]
                series = {**{job: (measured[job], by_job[job]) for job in NAMES}, "total": (total, plant.total_of(by_job))}
                out.append((start, minute, {k: (mean([m[i] for i in kept]), mean([x[i] for i in kept])) for k, (m, x) in series.items()}))
            start = None
    return out


def checkpoints(fit, measured, job):
    """[(start [s] or None, minute, share)]: the hourly checkpoints of the model with the lower of the two measured minutes it can touch, as a share of the
    level two to four minutes later; and dips of the trace by 15 % and more, outside stops and starts, that no checkpoint of the model tells."""
    y, spans = measured[job], phases(fit, job)
    level = [sorted(y[min(i, MINUTES - 6) + 1:min(i, MINUTES - 6) + 6])[2] for i in range(MINUTES)]
    out, told = [], set()
    for start, _ in spans[1]:
        minute = min((int(start // 60), min(MINUTES - 5, int(start // 60) + 1)), key=lambda i: y[i])
        out.append((start, minute, y[minute] / sorted(y[minute + 2:minute + 5])[1]))
        told |= set(range(minute - 3, minute + 4))
    stops = [(a, next((d for c, d in spans[0][i + 1:]), plant.END)) for i, (a, _) in enumerate(spans[0]) if fit.actions[job]]
    for i in range(1, MINUTES):
        if i not in told and y[i] < 0.85 * level[i] and y[i] < 0.85 * y[i - 1] and not any(a - 60 <= 60 * i < b + 60 for a, b in stops[::2]):
            out.append((None, i, y[i] / level[i]))
    return sorted(out, key=lambda r: r[1])


def variants(sequences, measured, total):
    """(name, fit, total RMSE in %) of the plant with one thing changed, everything fitted anew"""
    by_cap = {**sequences, "infer_b": [(t, "cap" if k == "resize" else k, {32: 250, 48: 400}[v] if k == "resize" else v) for t, k, v in sequences["infer_b"]]}
    watts = {"pause_checkpoint_w": 100.0, "restart_w": 100.0, "hourly_checkpoint_w": 100.0}
    trials = [
        ("serving jobs pay the phases of pause and restart too (one rule for all six jobs)", sequences, {},
         {"stateless": set(), "restarts": (0, 60, 120, 180, 270)}),
        ("three fitted phase draws instead of 100 W", sequences, watts, {"free": tuple(infer.START) + tuple(watts)}),
        ("hourly clock by the wall, not by running time", sequences, {"clock": "wall"}, {"scans": (False, True)}),
        ("hourly clock starts anew after a restart", sequences, {"clock": "reset"}, {"scans": (False, True)}),
        ("no hourly checkpoints", sequences, {"hourly_checkpoint_s": 0.0}, {"free": ("pause_checkpoint_s", "restart_s")}),
        ("no phases at all: pause, restart and checkpoints take no time", sequences, dict.fromkeys(infer.START, 0.0), {"free": (), "restarts": (0,)}),
        ("paused and given-up GPUs on the meter at 60 W", sequences, {"paused_w_per_gpu": 60.0, "given_up_w_per_gpu": 60.0}, {}),
        ("infer_b: a cap of 250 W on 48 GPUs instead of 32 GPUs", by_cap, {}, {}),
    ]
    out = []
    for name, actions, overheads, options in trials:
        fit = infer.best_fit(measured, actions, overheads, **{"restarts": (180, 270), **options})
        out.append((name, fit, percent(plant.total_of(fit.replay()), total)))
    return out


def cross_validation(sequences, measured, total):
    """[(what decided the durations, durations, what was judged, % with them, % with the durations of the whole fit)]"""
    whole = infer.best_fit(measured, sequences, restarts=(270,))
    rows, half = [], MINUTES // 2

    def judged(durations, clocks, clocks_free, minutes=(0, MINUTES)):
        overheads = {**infer.FIXED, **{k: durations[k] for k in infer.START}}
        start = infer.Fit(measured, whole.actions, overheads, clocks, minutes=minutes, free=(), clocks_free=clocks_free)
        return start.settle_all(pairs=True)

    for name, fitted, tested in (("first 200 minutes", (0, half), (half, MINUTES)), ("last 200 minutes", (half, MINUTES), (0, half))):
        fit = infer.best_fit(measured, sequences, restarts=(270,), minutes=fitted)
        first = fitted[0] == 0  # the clocks' readings at time 0 tell the second half's checkpoints; not the other way round
        got = [percent(plant.total_of(f.replay())[slice(*tested)], total[slice(*tested)])
               for f in (judged(fit.plant.overheads, fit.plant.clocks, not first, tested), whole)]
        rows.append((name, fit.plant.overheads, "total of the other 200", *got))
    for job in ("dolly", "13b_sm", "7b"):
        fit = infer.best_fit(measured, sequences, restarts=(270,), jobs=[j for j in NAMES if j != job])
        got = [percent(f.replay()[job], measured[job]) for f in (judged(fit.plant.overheads, whole.plant.clocks, True), whole)]
        rows.append((f"all jobs but {job}", fit.plant.overheads, job, *got))
    return rows


def table(header, rows):
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + ["| " + " | ".join(map(str, r)) + " |" for r in rows]) + "\n"


def write(fit, sequences, measured, total):
    rows = infer.listed(fit.actions)
    with open(plant.HERE / "actions.csv", "w", newline="", encoding="utf-8") as file:
        file.write("time_s,job,action,value\n" + "".join(f"{t:g},{job},{kind},{value}\n" for t, job, kind, value in rows))
    overheads = {k: fit.plant.overheads[k] for k in sorted(fit.plant.overheads)}
    parameters = {"start": plant.START, "overheads": overheads, "since_checkpoint_s": fit.plant.clocks, "stateless": sorted(fit.plant.stateless)}
    (plant.HERE / "parameters.json").write_text(json.dumps(parameters, indent=2) + "\n", encoding="utf-8")
    by_job = Plant(overheads, fit.plant.clocks).replay(plant.read_actions())
    assert by_job == fit.replay()
    model = plant.total_of(by_job)
    plant.TABLE.parent.mkdir(parents=True, exist_ok=True)
    with open(plant.TABLE, "w", newline="", encoding="utf-8") as file:
        file.write("time_s,total_w," + ",".join(f"{job}_w" for job in NAMES) + "\n")
        for i in range(MINUTES):
            file.write(f"{60 * i},{model[i]:.3f}," + ",".join(f"{by_job[job][i]:.3f}" for job in NAMES) + "\n")
    (plant.HERE / "report.md").write_text(text(fit, sequences, measured, total, by_job, model, rows), encoding="utf-8")
    print(f"{len(rows)} actions; total RMSE {rmse(model, total):.1f} W = {percent(model, total):.3f} % of the mean {mean(total):.0f} W")


def section(title, note, header, rows):
    return "\n".join([f"## {title}\n"] + ([note + "\n"] if note else []) + [table(header, rows)])


def totals(model, total, rows):
    sampled, projected, steps, changes = projection()
    lines = [("**this fit**, levels from curves and GPU counts", f"{len(rows)} actions: 16 times, 6 GPU counts; 3 durations, 3 clock readings", rmse(model, total)),
             (f"Emerald's projection, held between its {steps} steps, read at the start of each minute", f"{changes} steps change it", rmse(sampled, total)),
             ("the same, mean of each minute, as the measurement and this fit are", "", rmse(projected, total))]
    lines += [(f"curve-free: {k} constant steps fitted to the total", f"{k} levels, {k - 1} times", r) for k, r in curve_free(total, (9, 17, len(rows) + 1)).items()]
    return section("Total", "", ("model", "freedom", "RMSE [W]", "RMSE"), [(a, b, f"{r:.0f}", f"{100 * r / mean(total):.2f} %") for a, b, r in lines])


def held(fit, measured, total):
    def error(pair):
        return f"{100 * (pair[1] / pair[0] - 1):+.2f} %" if pair[0] > 0 else "0 W, 0 W"
    rows = [(clock(60 * a), clock(60 * b), f"{v['total'][0]:.0f}", f"{v['total'][1]:.0f}", *[error(v[k]) for k in ("total", *NAMES)])
            for a, b, v in plateaus(fit, measured, total)]
    return section("Plateaus", "Means over stretches of ten minutes and more in which no job stops or starts, without the minutes next to hourly checkpoints: model "
                   "against measured.", ("from", "to", "measured [W]", "model [W]", "total", *NAMES), rows)


def hourly(fit, measured):
    rows = [(job, clock(start) if start is not None else "none", clock(60 * minute), f"{share:.2f}")
            for job in fit.plant.clocks for start, minute, share in checkpoints(fit, measured, job)]
    return section("Hourly checkpoints", "The lower of the two measured minutes that each checkpoint of the model can touch, as a share of the level two to four "
                   "minutes later; and dips by 15 % and more that the model has not.",
                   ("job", "model's checkpoint starts", "measured minute", "share of the level after"), rows)


def misses(by_job, model, measured, total):
    worst = sorted(sorted(range(MINUTES), key=lambda i: -abs(model[i] - total[i]))[:15])
    rows = [(clock(60 * i), f"{model[i] - total[i]:+.0f}", *[f"{by_job[j][i] - measured[j][i]:+.0f}" for j in NAMES]) for i in worst]
    return section("Largest misses", "Model - measured [W].", ("minute", "total", *NAMES), rows)


def durations(o):
    text = ", ".join(f"{o[k]:g}" for k in infer.START)
    return text + ("; draws " + ", ".join(f"{o[k]:g}" for k in ("pause_checkpoint_w", "restart_w", "hourly_checkpoint_w")) + " W" if "restart_w" in o else "")


def text(fit, sequences, measured, total, by_job, model, rows):
    o, three = fit.plant.overheads, "pause checkpoint, restart, hourly checkpoint [s]"
    jobs = [(job, curve, gpus, f"{mean(measured[job]):.0f}", f"{rmse(by_job[job], measured[job]):.0f}", f"{percent(by_job[job], measured[job]):.2f} %")
            for job, _, curve, gpus in JOBS]
    parameters = [(k, f"{o[k]:g}", "fitted") for k in infer.START] + [(k, f"{o[k]:g}", "set") for k in infer.FIXED]
    parameters += [(f"since_checkpoint_s of {job}", f"{v:g}", "fitted") for job, v in fit.plant.clocks.items()]
    parts = [("as shipped", f"{percent(model, total):.2f} %", durations(o))]
    parts += [(name, f"{p:.2f} %", durations(f.plant.overheads)) for name, f, p in variants(sequences, measured, total)]
    carried = [(name, durations(d), what, f"{a:.2f} %", f"{b:.2f} %") for name, d, what, a, b in cross_validation(sequences, measured, total)]
    prices = []
    for share in (0.0003, 0.0005, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.008):
        found = infer.infer_sequences(measured, total, share)
        prices.append((f"{100 * share:g} %", sum(len(s) for s in found.values()), "yes" if found == sequences else "no"))
    return "\n".join([
        "# Fit of the APS event: figures\n", "Written by `infer_actions.py`; what they mean: README.md. RMSE over the 400 measured minutes, in % of the mean.\n",
        totals(model, total, rows),
        section("Jobs", "", ("job", "curve", "GPUs", "mean [W]", "RMSE [W]", "RMSE"), jobs),
        section("Actions", "", ("time_s", "local time", "job", "action", "value"), [(f"{t:g}", clock(t), *rest) for t, *rest in rows]),
        section("Parameters", "", ("parameter", "value", ""), parameters),
        held(fit, measured, total), hourly(fit, measured), misses(by_job, model, measured, total),
        section("What each part of the plant is worth", "One thing changed, all times and durations fitted anew.", ("plant", "RMSE of the total", three), parts),
        section("Does it carry over?", "Durations fitted on one part of the event, the other part replayed with them. Its action times are fitted again; the clocks are "
                "in all rows but the first, where the first half's tell the hourly checkpoints of the second.",
                ("durations from", three, "judged on", "RMSE with them", "with those of the whole fit"), carried),
        section("Price of an action", "Stage 1 with other prices: an action must lower the mean-square error by (this share of the mean)^2.",
                ("price", "actions", "the same sequence"), prices)])
