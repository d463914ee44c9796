"""Timeline studies as users meet them."""
import json

import program
from program import ProgramTest

EVENT = """wattfill: 1
name: event
kind: timeline
curves: [emerald-a100]
cluster: {gpus: 64, idle_gpu_w: 50}
jobs:
  explicit:
    - {id: a, curve: emerald-a100/ft_llama_8b_dolly, gpus: 32, work_s: 1000}
    - {id: b, curve: emerald-a100/pt_mpt_7b_fast, gpus: 48, work_s: 500, submit_s: 10}
limit: {steps: [[0, 20000], [300, 8000], [900, 20000]]}
policies: [proportional, oracle]
"""
WEEK = """wattfill: 1
name: week
kind: timeline
seed: 3
curves: [emerald-a100]
cluster: {gpus: 64}
jobs:
  arrivals: {rate_per_h: 6, until_s: 40000, replications: 5, groups: {all: {where: {}, work: {median_s: 900, mean_s: 2000}, gpus: {4: 1, 16: 2}}}}
limit: {steps: [[0, 15000]]}
policies: [proportional, oracle]
"""


class Timelines(ProgramTest):
    def test_a_single_run_writes_power_jobs_and_events_of_every_policy(self):
        results = self.results(EVENT)
        self.assertEqual(sorted(results), ["events.csv", "jobs.csv", "power.csv", "replications.csv", "summary.csv"])
        jobs = self.rows(results, "jobs.csv")
        self.assertEqual([(row["policy"], row["job"]) for row in jobs], [(p, j) for p in ("proportional", "oracle") for j in "ab"])
        power = [row for row in self.rows(results, "power.csv") if row["policy"] == "oracle"]
        total = self.rows(results, "replications.csv")[1]
        end = float(total["end_s"])
        times = [float(row["time_s"]) for row in power] + [end]
        energy = sum(float(row["gpu_w"]) * (after - at) for row, at, after in zip(power, times, times[1:]))
        self.assertAlmostEqual(energy / float(total["energy_j"]), 1, places=12)
        self.assertAlmostEqual((sum(float(row["energy_j"]) for row in jobs if row["policy"] == "oracle") + float(total["energy_idle_j"])) / float(total["energy_j"]), 1, places=12)
        for row in power:
            self.assertLessEqual(float(row["gpu_w"]), float(row["limit_w"]) * (1 + 1e-9))

    def test_replications_are_the_same_for_any_threads_and_one_of_them_alone(self):
        one = self.results(WEEK, "--threads", "1")
        self.assertEqual(sorted(one), ["replications.csv", "summary.csv"])
        self.assertEqual(one, self.results(WEEK, "--threads", "3", out="three"))
        alone = self.results(WEEK, "--replication", 4, out="alone")
        self.assertIn("events.csv", alone)
        self.assertEqual([row for row in self.rows(one) if row["replication"] == "4"], self.rows(alone))
        self.assertNotEqual(self.rows(one), self.rows(self.results(WEEK, "--seed", "4", out="seed")))

    def test_summary_alone_writes_no_rows_and_sweeps_have_columns(self):
        results = self.results(EVENT + "sweep: {cluster.gpus: [64, 80]}\n", "--rows", "summary")
        self.assertEqual(list(results), ["summary.csv"])
        rows = self.rows(results, "summary.csv")
        self.assertEqual([(row["policy"], row["cluster.gpus"]) for row in rows], [("proportional", "64"), ("oracle", "64"), ("proportional", "80"), ("oracle", "80")])

    def test_no_time_of_the_wall_is_in_a_result(self):
        self.assertEqual(self.results(EVENT), self.results(EVENT, out="again"))
        manifest = json.loads((self.folder / "out/manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest["kind"], "timeline")

    def test_jobs_that_can_never_run_are_refused_with_place_and_reason(self):
        self.write("s.yaml", EVENT.replace("gpus: 64", "gpus: 40"))
        done = self.wattfill("run", "s.yaml", code=2)
        self.assertIn("s.yaml:9:7: jobs.explicit.1: job b: it asks for 48 GPUs and the cluster has 40", done.stderr)
        self.assertIn("replication 5", self.wattfill("run", self.write("w.yaml", WEEK), "--replication", "5", code=2).stderr)
        self.assertIn("valid", self.wattfill("validate", "w.yaml").stdout)


if __name__ == "__main__":
    program.main()
