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

MONTH = """wattfill: 1
name: month
kind: timeline
seed: 3
start: 2026-06-01T00:00:00-07:00
curves: [emerald-a100]
cluster: {gpus: 64}
facility: {node: a100}
jobs:
  arrivals: {rate_per_h: 3, until_s: 1123200, replications: 3, groups: {all: {where: {}, work: {median_s: 3600, mean_s: 7200}, gpus: {4: 1, 16: 2}}}}
duration_s: 1123200
"""
TERMS = """wattfill: 1
name: terms
kind: contract
zone: {offset_h: -8, summer: us}
baseline: {rule: caiso-10-of-10}
committed_w: 3000
interval_s: 900
events: [{start: 2026-06-12T17:00:00-07:00, end: 2026-06-12T18:00:00-07:00}]
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

    def test_a_facility_in_a_timeline_has_its_columns_and_every_component_its_energy(self):
        results = self.results(EVENT.replace("limit: {", "facility: {node: a100, outdoor_c: 30}\nlimit: {at: meter, "))
        self.assertEqual(sorted(results), ["events.csv", "facility.csv", "jobs.csv", "power.csv", "replications.csv", "summary.csv"])
        for row in self.rows(results, "power.csv"):
            self.assertLess(float(row["gpu_w"]), float(row["it_w"]))
            self.assertLess(float(row["it_w"]), float(row["meter_w"]))
            self.assertEqual(row["limit_w"], row["limit_meter_w"])
        for total in self.rows(results, "replications.csv"):
            parts = [float(row["energy_j"]) for row in self.rows(results, "facility.csv") if row["policy"] == total["policy"]]
            self.assertEqual(len(parts), 11)
            self.assertAlmostEqual(sum(parts) / float(total["meter_j"]), 1, delta=1e-12)
            self.assertAlmostEqual(parts[0] / float(total["energy_j"]), 1, delta=1e-12)
        self.assertEqual({row["meter_j"] for row in self.rows(self.results(EVENT, out="bare"))}, {""})

    def test_a_contract_is_followed_and_settled_for_every_policy_and_replication(self):
        self.write("terms.yaml", TERMS)
        text = MONTH + "contract: {file: terms.yaml, follow: true}\npolicies: [proportional, oracle]\n"
        results = self.results(text, "--threads", "1")
        self.assertEqual(sorted(results), ["replications.csv", "settled_events.csv", "settlement.csv", "summary.csv"])
        rows = self.rows(results, "settlement.csv")
        self.assertEqual(len(rows), 2 * 3 * 4)
        self.assertEqual([(row["policy"], row["replication"]) for row in rows[:8:4]], [("proportional", "0"), ("oracle", "0")])
        for row in self.rows(results, "settled_events.csv"):
            self.assertEqual(row["problem"], "")
            self.assertGreater(int(row["placebos"]), 0)
        self.assertEqual(results, self.results(text, "--threads", "3", out="again"))
        alone = self.results(text, "--replication", "2", out="alone")
        self.assertEqual(self.rows(alone, "settlement.csv"), [row for row in rows if row["replication"] == "2"])

    def test_capacity_over_time_is_written_per_place_hour_and_duration(self):
        self.write("terms.yaml", TERMS)
        text = MONTH.replace("replications: 3", "replications: 40") + "contract: terms.yaml\ncapacity: {speed_loss: [0.1], confidence: [0.9, 0.99], duration_h: [1, 3], hours: [9, 17], day: 11, baselines: [caiso-10-of-10]}\npolicies: [proportional]\n"
        results = self.results(text, "--rows", "summary")
        rows = self.rows(results, "capacity.csv")
        self.assertEqual([(row["measured"], row["hour"], row["duration_h"], row["confidence"]) for row in rows],
                         [(m, h, d, c) for m in ("gpu", "meter", "caiso-10-of-10") for h in ("9", "17") for d in ("1", "3") for c in ("0.9", "0.99")])
        for row in rows:
            if row["confidence"] == "0.99":
                self.assertEqual((row["promised_w"], row["runs_needed"]), ("", "368"))
            else:
                self.assertLessEqual(float(row["promised_w_low"]), float(row["promised_w"]))
        self.assertEqual(results["capacity.csv"], self.results(text, "--threads", "3", out="again")["capacity.csv"])

    def test_mistakes_about_contract_and_capacity_say_what_to_do(self):
        self.write("terms.yaml", TERMS)
        for more, message in (
            ("contract: {file: terms.yaml, follow: true}\nlimit: {at: meter, steps: [[0, 9]]}\n", "contract.follow: the contract says what the meter is limited to, and limit does, too; remove one of them"),
            ("contract: {file: terms.yaml, lead_s: 60}\n", "contract.lead_s: lead_s is for contracts that are followed"),
            ("contract: gone.yaml\n", "gone.yaml"),
            ("capacity: {baselines: [pjm-3-plus-2]}\n", "capacity.baselines: nothing says what the baselines count with (zone, holidays, hours before and after); add contract"),
            ("contract: terms.yaml\ncapacity: {baselines: [firm-level]}\n", "capacity.baselines: firm-level measures reductions from baseline.peak_load_w of the contract, which is not given; add it there"),
            ("capacity: {day: 90}\n", "capacity: the last event ends at 7858800 s, and the run is not said to last so long; set duration_s to that or more"),
            ("capacity: {}\nlimit: {at: meter, steps: [[0, 9]]}\n", "capacity: a capacity study looks at runs without a limit"),
            ("capacity: {}\ncontract: {file: terms.yaml, follow: true}\n", "capacity: a capacity study looks at runs without events, and the contract is followed"),
            ("contract: terms.yaml\nstart: null\n", "contract: the contract has times of the calendar, and the scenario does not say what time 0 is; add start"),
            ("contract: terms.yaml\nfacility: null\n", "contract: a contract is settled at the meter, and there is no facility; add facility"),
        ):
            text = MONTH + "policies: [proportional]\n" + more
            for key in ("start", "facility"):
                if key + ": null" in more:
                    text = "".join(line for line in text.splitlines(True) if not line.startswith(key))
            self.write("wrong.yaml", text)
            self.assertIn(message, self.wattfill("run", "wrong.yaml", code=2).stderr)


if __name__ == "__main__":
    program.main()
