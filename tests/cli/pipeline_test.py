"""`wattfill pipeline`: a bare graph, and a job in Megatron-LM's words."""
import csv
import json

import program
from program import ProgramTest

NODES = "node_id,kind,stage,microbatch\n0,source,,\n1,forward,0,0\n2,backward,0,0\n3,sink,,\n"
EDGES = "u,v\n0,1\n1,2\n2,3\n"
OPTIONS = "stage,instruction,quant_time,effective_energy_J\n0,forward,2,5\n0,forward,3,4\n0,backward,4,9\n0,backward,6,7\n"
META = '{"unit_time_s": 0.5, "p_blocking_W": 10, "stages": 1}'
PROFILE = "stage,instruction,clock_mhz,time_s,energy_j\n" + "".join(
    f"{stage},{what},{clock},{time * long * light},{energy * long * light}\n"
    for stage, light in ((0, 1), (1, 0.5)) for what, long in (("forward", 1), ("backward", 2))
    for clock, time, energy in ((1000, 1, 200), (750, 1.5, 180), (500, 2, 170)))
JOB = """wattfill: 1
name: two
kind: pipeline
megatron: --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --data-parallel-size 4 --global-batch-size 16 --seq-length 1000
profile: {file: profile.csv}
gpu: {model: A100, tdp_w: 400, blocking_w: 50}
tau_s: 0.25
costs: measured
stragglers: [1.1, 1.5]
"""


class Pipeline(ProgramTest):
    def case(self, **changed):
        for name, text in {"nodes.csv": NODES, "edges.csv": EDGES, "options.csv": OPTIONS, "meta.json": META, **changed}.items():
            self.write(f"case/{name}", text)

    def job(self, *words, code=0, text=JOB):
        self.write("profile.csv", PROFILE)
        self.write("two.yaml", text)
        return self.wattfill("pipeline", "two.yaml", "--out", "out", *words, code=code)

    def table(self, name):
        with open(self.folder / "out" / name, encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_a_bare_graph_gives_its_frontier_at_whole_steps(self):
        self.case()
        done = self.wattfill("pipeline", "--case", "case", "--costs", "measured", "--out", "out")
        # 3 + 6 steps for 4 + 7 J down to 2 + 4 steps; the backward pass is the cheapest to speed up, the forward pass costs 1 J a step, too.
        self.assertEqual((self.folder / "out/frontier.csv").read_text(encoding="utf-8"),
                         "time_s,effective_energy_j,energy_j\n3,14,44\n3.5,13,48\n4,12,52\n4.5,11,56\n")
        self.assertIn("certificate: optimal", done.stdout)

    def test_a_cyclic_graph_is_2_and_named(self):
        self.case(**{"edges.csv": EDGES + "2,1\n"})
        self.assertRegex(self.wattfill("pipeline", "--case", "case", code=2).stderr, r"edges\.csv: the edges form a cycle .*forward of stage 0, microbatch 0 waits")

    def test_a_job_gives_frontier_savings_plan_schedule_and_curves(self):
        self.job()
        self.assertEqual(self.listing(), ["frontier.csv", "manifest.json", "megatron.txt", "power.csv", "ranks.csv", "savings.csv", "schedule.json",
                                          "stages.csv", "stragglers.csv", "timeline.csv", "two-curves.csv", "two-curves.yaml"])
        savings = {row["plan"]: row for row in self.table("savings.csv")}
        self.assertEqual(float(savings["top-clock"]["saving"]), 0)
        self.assertGreater(float(savings["perseus"]["saving"]), 0)
        self.assertLessEqual(float(savings["perseus"]["slowdown"]), 0)
        self.assertLessEqual(float(savings["perseus-best"]["energy_j"]), float(savings["perseus-slack"]["energy_j"]))
        schedule = json.loads((self.folder / "out/schedule.json").read_text(encoding="utf-8"))
        self.assertEqual(schedule["knob"], "clock_mhz")
        self.assertEqual([what for what, _ in schedule["ranks"]["1"]], ["forward", "backward"] * 4)
        self.assertTrue(all(clock in (500, 750, 1000) for rank in schedule["ranks"].values() for _, clock in rank))
        self.assertIn("--pipeline-model-parallel-size 2", (self.folder / "out/megatron.txt").read_text(encoding="utf-8"))
        self.assertIn("perseus", self.wattfill("curves", "--curves", "out", "two-curves").stdout)

    def test_the_power_over_time_adds_up_to_the_gantt_and_its_waiting(self):
        self.job("--quiet")
        power, gantt = self.table("power.csv"), self.table("timeline.csv")
        times, watts = [float(row["time_s"]) for row in power], [float(row["power_w"]) for row in power]
        integral = sum(w * (after - before) for w, before, after in zip(watts, times, times[1:]))
        busy = sum(float(row["end_s"]) - float(row["start_s"]) for row in gantt)
        energy = sum(float(row["energy_j"]) for row in gantt) + 2 * 50 * (2 * times[-1] - busy)
        self.assertAlmostEqual(integral, energy, places=6)
        for rank in "01":  # nothing overlaps on a rank
            rows = sorted((row for row in gantt if row["rank"] == rank), key=lambda row: float(row["start_s"]))
            self.assertTrue(all(float(a["end_s"]) <= float(b["start_s"]) + 1e-12 for a, b in zip(rows, rows[1:])))

    def test_a_capped_job_shares_its_draw_among_its_stages_as_the_frontier_says(self):
        self.job("--quiet")
        stages, frontier = self.table("stages.csv"), self.table("frontier.csv")
        self.assertEqual(len(stages), 11 * 2)
        draws = {}
        for row in stages:
            draws.setdefault(float(row["power_w"]), []).append(float(row["stage_w"]))
        for power, watts in draws.items():
            self.assertAlmostEqual(sum(watts) / 2, power)
            self.assertLess(watts[1], watts[0])  # half the work
        self.assertAlmostEqual(max(draws), max(float(row["power_w"]) for row in frontier))

    def test_a_study_says_what_each_stage_of_a_capped_job_draws(self):
        self.write("profile.csv", PROFILE)
        self.write("two.yaml", JOB)
        text = program.scenario(mixes="  by-hand: {explicit: [{curve: mine/job-perseus, count: 2}, {curve: mine/job, count: 1}, "
                                      "{curve: emerald-a100/ft_llama_8b_dolly}]}\n", cuts="[0, 0.3, 0.9]", more="training: {mine: two.yaml}\n")
        results = self.results(text, out="study")
        stages, given = self.rows(results, "stages.csv"), self.rows(results, "allocation.csv")
        frontier = [row for row in given if row["curve"] == "mine/job-perseus"]
        self.assertEqual(len(stages), 2 * len(frontier))
        self.assertEqual({row["policy"] for row in stages}, {"proportional", "oracle", "equal-split"})
        for row, first, second in zip(frontier, stages[::2], stages[1::2]):
            self.assertEqual([row[key] for key in ("policy", "cut", "jobs", "draw_w")], [first[key] for key in ("policy", "cut", "jobs", "draw_w")])
            self.assertEqual([first["stage"], second["stage"]], ["0", "1"])
            self.assertAlmostEqual((float(first["stage_w"]) + float(second["stage_w"])) / 2, float(row["draw_w"]), delta=1e-6)
            self.assertGreaterEqual(float(first["stage_w"]), float(second["stage_w"]))  # it has twice the work
        varied = self.results(text + "silicon: {spread: 0.1}\n", out="varied")
        self.assertNotIn("stages.csv", varied)  # what a stage draws is known of GPUs that are alike

    def test_a_partition_measured_in_sweeps_is_searched_and_the_search_is_judged(self):
        head = "overlap_start,overlap_end,comm_sm_number,comm_block_size,0:time (s),0:total energy (J)\n"
        for clock, slow, saved in ((1400, 1, 1), (1000, 1.4, 0.7)):
            rows = [(start, end, sms, (0.004 + 0.02 / sms if start < 0 else max(0.004, 0.02 / sms)) * slow, (3 + 0.01 * sms) * saved)
                    for start, end in ((-1, -1), (0, 2), (1, 2)) for sms in (2, 4, 8, 16)]
            self.write(f"{clock}.csv", head + "".join(f"{a},{b},{sms},512,{time},{energy}\n" for a, b, sms, time, energy in rows))
        sweeps = "sweeps: [{clock_mhz: 1400, file: 1400.csv}, {clock_mhz: 1000, file: 1000.csv}]"
        job = (JOB.replace("profile: {file: profile.csv}", f"kareus: {{clocks_mhz: [1400, 1000], sms: [16], default_sms: 16, budget: {{seeds: 5, start: 4, batches: 4, per_batch: 5}}, "
                           f"partitions: {{f: {{count: 8, {sweeps}}}, b: {{direction: backward, count: 16, {sweeps}}}}}}}").replace("tau_s: 0.25", "tau_s: 0.001"))
        self.job("--quiet", text=job)
        systems = {row["system"]: row for row in self.table("kareus.csv")}
        self.assertEqual(systems["kareus-exhaustive"]["measurements"], "48")
        self.assertGreater(float(systems["kareus"]["iso_time"]), 0)
        budget = [row for row in self.table("search_budget.csv") if row["partition"] == "f"]
        self.assertEqual([row["measurements"] for row in budget], ["4", "9", "14", "19", "24"])
        self.assertEqual(float(budget[-1]["search_low"]), 1)
        self.assertLessEqual(float(budget[0]["search_median"]), float(budget[2]["search_median"]))
        self.assertIn("there are two sweeps at 1400 MHz", self.job(text=job.replace("clock_mhz: 1000", "clock_mhz: 1400"), code=2).stderr)

    def test_plans_keep_the_deadline_energy_or_power_that_was_asked_for(self):
        self.job("--set", "plan.deadline_s=15", "--quiet")
        self.assertLessEqual(max(float(row["end_s"]) for row in self.table("timeline.csv")), 15)
        frontier = [(float(row["time_s"]), float(row["energy_j"]), float(row["power_w"])) for row in self.table("frontier.csv")]
        middle = frontier[len(frontier) // 4]
        done = self.job("--set", f"plan.power_w={middle[2]}")
        self.assertIn("plan written", done.stdout)
        self.job("--set", f"plan.energy_j={middle[1]}")

    def test_plans_that_cannot_be_are_2_with_the_bound(self):
        self.assertIn("plan.deadline_s: is 3 s, below the shortest possible time of 12.5 s (every computation at its fastest); allow more time",
                      self.job("--set", "plan.deadline_s=3", code=2).stderr)
        self.assertRegex(self.job("--set", "plan.energy_j=3", code=2).stderr, r"plan\.energy_j: is 3 J, below the least possible of [\d.]+ J for an iteration")
        self.assertIn("plan.power_w: is 50 W, not above the 50 W of a waiting GPU", self.job("--set", "plan.power_w=50", code=2).stderr)
        self.assertIn("not a multiple of micro-batch-size x replicas = 4", self.job(text=JOB.replace("size 16", "size 15"), code=2).stderr)
        self.assertRegex(self.job(text=JOB.replace("parallel-size 2 --data", "parallel-size 4 --data"), code=2).stderr,
                         r"two\.yaml: stage 2, forward has no cost model")

    def test_the_same_job_gives_the_same_bytes(self):
        self.job("--quiet")
        first = {name: (self.folder / "out" / name).read_bytes() for name in self.listing() if name != "manifest.json"}
        self.job("--quiet")
        self.assertEqual(first, {name: (self.folder / "out" / name).read_bytes() for name in self.listing() if name != "manifest.json"})

    def test_the_shipped_job_runs_and_saves_at_no_loss_of_speed(self):
        self.wattfill("pipeline", program.SOURCE / "scenarios/pipeline_gpt3_a100.yaml", "--out", "out", "--quiet")
        savings = {row["plan"]: row for row in self.table("savings.csv")}
        self.assertGreater(float(savings["perseus-slack"]["saving"]), 0.15)
        self.assertLess(float(savings["perseus-slack"]["slowdown"]), 0.002)

    def test_the_shipped_kareus_job_gains_over_clocks_alone(self):
        self.wattfill("pipeline", program.SOURCE / "scenarios/pipeline_kareus.yaml", "--out", "out", "--quiet")
        systems = {row["system"]: row for row in self.table("kareus.csv")}
        self.assertEqual(float(systems["megatron-perseus"]["iso_time"]), 0)
        self.assertGreater(float(systems["kareus"]["iso_time"]), 0.1)
        self.assertLess(int(systems["kareus"]["measurements"]), 0.1 * int(systems["kareus-exhaustive"]["measurements"]))

    def test_the_shipped_campaign_saves_watts_or_days(self):
        self.wattfill("run", program.SOURCE / "scenarios/campaign.yaml", "--out", "out", "--quiet")
        rows = self.table("campaign.csv")
        self.assertEqual(len(rows), 8)
        free, inside = rows[:4], rows[4:]
        self.assertEqual(len({row["days"] for row in free}), 1)
        self.assertTrue(all(float(a["mwh"]) > float(b["mwh"]) for a, b in zip(free, free[1:])))
        self.assertTrue(all(float(a["days"]) > float(b["days"]) for a, b in zip(inside, inside[1:])))
        self.assertTrue(all(float(row["peak_mw"]) <= 1000 for row in inside))


if __name__ == "__main__":
    program.main()
