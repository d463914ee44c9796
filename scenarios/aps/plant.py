"""The plant of the APS event: what six A100 jobs draw under a list of actions. Plain Python, and on purpose independent of the C++ engine.

A job that runs draws GPUs x draw(cap), the measured draw of its curve at that cap. `cap`, `pause`, `resume` and `resize` act on it:

    run --pause--> checkpoint (pause_checkpoint_s at overhead_w_per_gpu) --> paused (paused_w_per_gpu) --resume--> restart (restart_s at
    overhead_w_per_gpu, on the GPUs of the last resize) --> run

A resume that comes before the pause's checkpoint is through takes effect when it is. Every hourly_period_s of *running* time (the clock stands still
from a pause to the end of the restart, and goes on during the hourly checkpoint) a job saves its state: hourly_checkpoint_s at overhead_w_per_gpu.
Jobs without state (`stateless`, here the serving ones) have no checkpoints and no restart phase: they stop and start at once. GPUs that a job has
given up draw nothing on the meter.
"""
import csv
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA = ROOT.parent / "shared" / "data" / "emerald-phoenix-2025"
TABLE = ROOT / "tests" / "sim" / "data" / "aps_expected.csv"
START = "2025-05-01 16:10:00-07:00"  # time_s = 0
MINUTES = 400
END = 60.0 * MINUTES
UNCAPPED = 400

# job, column of the measured trace, curve, GPUs at the start
JOBS = (("dolly", "ft_llama_8b_dolly-txw0sl4h_w", "ft_llama_8b_dolly", 32), ("infer_a", "infer_llama_8b-bw9rr4h2_w", "infer_llama_8b", 32),
        ("infer_b", "infer_llama_8b-kxymm0ql_w", "infer_llama_8b", 48), ("infer_c", "infer_llama_8b-stsiwyqz_w", "infer_llama_8b", 32),
        ("13b_sm", "pt_mpt_13b_sm-k2jychqp_w", "pt_mpt_13b_sm", 48), ("7b", "pt_mpt_7b_fast-60hrpily_w", "pt_mpt_7b_fast", 48))


def read_curves(path=ROOT / "curves" / "emerald-a100.csv"):
    """curve -> cap [W] -> measured draw of one GPU [W]"""
    curves = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            curves.setdefault(row["curve"], {})[int(row["cap_w"])] = float(row["power_w"])
    return curves


def read_tasks(path=ROOT / "curves" / "emerald-a100.yaml"):
    """curve -> task, as the library's metadata has it"""
    return dict(re.findall(r'- name: "(\w+)"\n(?:    .*\n)*?    task: "([\w-]+)"', path.read_text(encoding="utf-8")))


def read_trace(path=DATA / "aps_2025-05-01_power.csv"):
    """(job -> watts by minute, total watts by minute); row i is the mean of [60 i, 60 (i + 1)) s"""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if len(rows) != MINUTES or rows[0]["timestamp"] != START:
        raise SystemExit(f"{path}: expected {MINUTES} minutes from {START}")
    return {job: [float(r[column]) for r in rows] for job, column, _, _ in JOBS}, [float(r["total_w"]) for r in rows]


class Plant:
    """`overheads`: the parameters of the module text, in s and W; `since_checkpoint_s`: job -> reading of its running clock at time 0."""

    def __init__(self, overheads, since_checkpoint_s, curves=None, stateless=None):
        self.curves = curves or read_curves()
        self.overheads = overheads
        self.clocks = since_checkpoint_s
        tasks = read_tasks()
        self.stateless = {job for job, _, curve, _ in JOBS if tasks[curve] == "inference"} if stateless is None else stateless

    def segments(self, job, curve, gpus, actions):
        """[(from s, to s, W)] without gaps over [0, END); actions: [(time s, action, value)] by time"""
        o = self.overheads
        watts, count, cap = self.curves[curve], gpus, UNCAPPED
        saves = job not in self.stateless
        checkpoint_s, restart_s = (o["pause_checkpoint_s"], o["restart_s"]) if saves else (0.0, 0.0)
        pause_w, restart_w = o.get("pause_checkpoint_w", o["overhead_w_per_gpu"]), o.get("restart_w", o["overhead_w_per_gpu"])
        hourly_s, hourly_w = o["hourly_checkpoint_s"], o.get("hourly_checkpoint_w", o["overhead_w_per_gpu"])
        period, idle_w = o["hourly_period_s"], o["paused_w_per_gpu"]
        clock = self.clocks.get(job) if job in self.clocks and hourly_s > 0 else None
        out, now, state, until = [], 0.0, "run", 0.0

        def draw(upto):
            """Everything the job does by itself until `upto`."""
            nonlocal now, state, clock
            while now < upto:
                if state == "checkpoint" or state == "restart":
                    end, w = min(upto, until), count * (pause_w if state == "checkpoint" else restart_w)
                elif state == "paused":
                    end, w = upto, count * idle_w
                elif clock is None:
                    end, w = upto, count * watts[cap]
                elif clock < hourly_s:
                    end, w = min(upto, now + hourly_s - clock), count * hourly_w
                else:
                    end, w = min(upto, now + period - clock), count * watts[cap]
                w += (gpus - count) * o.get("given_up_w_per_gpu", 0.0)
                if end > now:
                    out.append((now, end, w))
                if state == "run" and clock is not None:
                    clock += end - now
                    if clock >= period - 1e-9:
                        clock = 0.0
                now = end
                if state in ("checkpoint", "restart") and now >= until:
                    state = "paused" if state == "checkpoint" else "run"
                    if state == "run" and clock is not None:  # other readings of the clock, for comparison only
                        clock = {"running": clock, "wall": (self.clocks[job] + now) % period, "reset": hourly_s}[o.get("clock", "running")]

        for time, action, value in actions:
            draw(min(time, END))
            if action == "cap":
                cap = int(value)
            elif action == "resize":
                if state == "run":
                    raise ValueError(f"{job}: this plant resizes paused jobs only")
                count = int(value)
            elif action == "pause":
                state, until = "checkpoint", time + checkpoint_s
            elif action == "resume":
                if state == "checkpoint":
                    draw(min(until, END))
                state, until = "restart", max(time, until) + restart_s
            else:
                raise ValueError(f"{job}: unknown action {action}")
        draw(END)
        return out

    def minute_means(self, job, curve, gpus, actions):
        """mean watts of each minute, integrated exactly"""
        joules = [0.0] * MINUTES
        for start, end, w in self.segments(job, curve, gpus, actions):
            if w == 0.0:
                continue
            first, last = int(start // 60), int(end // 60)
            if first == last:
                joules[first] += w * (end - start)
                continue
            joules[first] += w * (60 * (first + 1) - start)
            for minute in range(first + 1, last):
                joules[minute] += w * 60
            if last < MINUTES:
                joules[last] += w * (end - 60 * last)
        return [j / 60 for j in joules]

    def replay(self, actions):
        """job -> mean watts of each minute; actions: [(time s, job, action, value)] in order"""
        return {job: self.minute_means(job, curve, gpus, [(t, a, v) for t, j, a, v in actions if j == job]) for job, _, curve, gpus in JOBS}


def total_of(by_job):
    return [sum(by_job[job][i] for job, _, _, _ in JOBS) for i in range(MINUTES)]


def mean(values):
    return sum(values) / len(values)


def rmse(model, measured):
    return mean([(a - b) ** 2 for a, b in zip(model, measured)]) ** 0.5


def read_actions(path=HERE / "actions.csv"):
    with open(path, newline="", encoding="utf-8") as file:
        return [(float(r["time_s"]), r["job"], r["action"], r["value"]) for r in csv.DictReader(file)]
