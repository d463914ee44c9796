"""The Python module: build/<preset>/python on PYTHONPATH, WATTFILL_SOURCE_DIR says where the sources are."""
import gc
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

try:
    import numpy as np
except ImportError:
    print(f"SKIPPED: the Python module is not tested: {sys.executable} has no numpy (Debian: python3-numpy; cmake -DPython3_EXECUTABLE=/usr/bin/python3 builds for that Python)")
    sys.exit(77)

import wattfill

SOURCE = pathlib.Path(os.environ.get("WATTFILL_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))

SNAPSHOT = """wattfill: 1
name: small
kind: snapshot
seed: 3
curves: [emerald-a100]
mixes: {drawn: {replications: 40, jobs: 30, draw: {all: {where: {}}}}}
cuts: [0.1, 0.3]
policies: [proportional, {name: expression, label: by-value, curtail: p_max}, oracle]
"""
TIMELINE = """wattfill: 1
name: event
kind: timeline
curves: [emerald-a100]
cluster: {gpus: 144}
jobs:
  explicit:
    - {id: dolly, curve: emerald-a100/ft_llama_8b_dolly, gpus: 48, work_s: 7200}
    - {id: infer, curve: emerald-a100/infer_llama_8b, gpus: 48, work_s: 7200}
    - {id: late, curve: emerald-a100/pt_mpt_7b_fast, gpus: 48, submit_s: 600, work_s: 3600}
limit: {at: gpu, steps: [[0, 60000], [1800, 30000], [5400, 60000]]}
policies: [proportional, oracle]
"""


def rising(demands):
    """Everyone from floor to uncapped together: headroom-fair."""
    return np.array([demands.floor_w, demands.uncapped_w])


class Module(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def load(self, text, **options):
        file = pathlib.Path(self.folder.name) / "scenario.yaml"
        file.write_text(text, encoding="utf-8")
        return wattfill.load_scenario(file, curves=[SOURCE / "curves"], **options)

    def test_a_library_is_arrays_over_its_own_memory_that_keep_it_alive(self):
        library = wattfill.load_library(SOURCE / "curves/emerald-a100.yaml")
        self.assertEqual((library.name, library.provenance, len(library)), ("emerald-a100", "measured", 6))
        curve = library["ft_llama_8b_dolly"]
        self.assertEqual(curve.id, "emerald-a100/ft_llama_8b_dolly")
        draws = curve.draws
        self.assertFalse(draws.flags.owndata)
        self.assertFalse(draws.flags.writeable)
        kept, address = draws.copy(), draws.__array_interface__["data"][0]
        self.assertEqual(curve.draws.__array_interface__["data"][0], address)
        del library, curve
        gc.collect()
        np.testing.assert_array_equal(draws, kept)
        self.assertTrue((np.diff(draws) > 0).all())
        with self.assertRaisesRegex(KeyError, "has no curve"):
            wattfill.load_library(SOURCE / "curves/emerald-a100.yaml")["nobody"]

    def test_mistakes_are_value_errors_with_file_line_and_column(self):
        with self.assertRaises(wattfill.InputError) as caught:
            self.load(SNAPSHOT.replace("seed: 3", "seed: 3\nseeds: 4").replace("[0.1, 0.3]", "[0.1, 3]"))
        error = caught.exception
        self.assertIsInstance(error, ValueError)
        self.assertEqual((pathlib.Path(error.file).name, error.line, error.column), ("scenario.yaml", 5, 1))
        self.assertEqual(len(error.problems), 2)
        self.assertEqual([p["key"] for p in error.problems], ["seeds", "cuts.1"])
        self.assertIn('did you mean "seed"', str(error))
        with self.assertRaisesRegex(wattfill.InputError, "there is no sweep point 1; this scenario has 1, counted from 0"):
            wattfill.run(self.load(SNAPSHOT), point=1)

    def test_results_are_those_of_the_program_to_the_bit_whatever_the_threads(self):
        scenario = self.load(SNAPSHOT)
        one, three = wattfill.run(scenario, threads=1), wattfill.run(scenario, threads=3)
        self.assertEqual(one.policies, ["proportional", "by-value", "oracle"])
        self.assertEqual(one.rows("drawn").shape, (40, 3, 2, len(one.scores)))
        self.assertEqual(one.rows("drawn").tobytes(), three.rows("drawn").tobytes())
        self.assertEqual(one.gap_closed("drawn").shape, (3, 2, 3))
        np.testing.assert_array_equal(one.gap_closed("drawn")[2, :, 0], 1)
        program = os.environ.get("WATTFILL_PROGRAM")
        if program:
            out = pathlib.Path(self.folder.name) / "out"
            subprocess.run([program, "run", pathlib.Path(self.folder.name) / "scenario.yaml", "--curves", SOURCE / "curves", "--out", out, "--quiet"], check=True)
            lines = (out / "replications.csv").read_text().splitlines()
            at = {name: i for i, name in enumerate(lines[0].split(","))}
            cells = [line.split(",") for line in lines[1:]]
            for score in ("power_w", "speed_gpu", "objective_value", "speed_p5"):
                s = one.scores.index(score)
                for row in cells:
                    p, t = one.policies.index(row[at["policy"]]), list(one.targets).index(float(row[at["cut"]]))
                    self.assertEqual(float(row[at[score]]), one.rows("drawn")[int(row[at["replication"]]), p, t, s])
        rows = one.rows("drawn")
        kept = rows.copy()
        del one
        gc.collect()
        np.testing.assert_array_equal(rows, kept)
        self.assertIsNone(wattfill.run(scenario, rows=False).rows("drawn"))

    def test_a_callable_is_a_policy_by_its_draws_or_its_shares_of_the_cut(self):
        asked = []

        def by_hand(demands):
            asked.append(threading.get_ident())
            self.assertEqual(len(demands), len(demands.curves))
            return demands.gpus * demands.uncapped_w

        twins = {"rising": rising, "by-hand": by_hand}
        done = wattfill.run(self.load(SNAPSHOT.replace("oracle]", "headroom-fair, oracle]")), policies=twins, threads=3)
        again = wattfill.run(self.load(SNAPSHOT.replace("oracle]", "headroom-fair, oracle]")), policies=twins, threads=1)
        self.assertTrue(asked)
        self.assertEqual(done.rows("drawn").tobytes(), again.rows("drawn").tobytes())
        rows = done.rows("drawn")
        at = done.policies.index
        self.assertEqual(rows[:, at("by-hand")].tobytes(), rows[:, at("by-value")].tobytes())
        np.testing.assert_allclose(rows[:, at("rising")], rows[:, at("headroom-fair")], rtol=1e-12)
        timeline = self.load(TIMELINE.replace("oracle]", "headroom-fair]"))
        run = wattfill.run(timeline, policies={"rising": rising})
        at = run.policies.index
        np.testing.assert_allclose(run.rows[0, at("rising")], run.rows[0, at("headroom-fair")], rtol=1e-12)

    def test_what_a_callable_does_wrong_is_told(self):
        scenario = self.load(SNAPSHOT)

        def run(rule):
            return wattfill.run(scenario, policies={"mine": rule}, threads=2)

        for rule, why in (
            (lambda d: "much", "gave no array of numbers"),
            (lambda d: None, "0 dimensions and 1 numbers for 6 classes"),
            (lambda d: np.zeros((2, 3)), "2 dimensions and 6 numbers for 6 classes"),
            (lambda d: np.ones(5), "gave 5 shares for 6 classes"),
            (lambda d: -np.ones(6), "is negative or not a number"),
            (lambda d: np.array([d.floor_w, d.floor_w]), "row 1 of the rule's draws has .* which is not its uncapped draw"),
        ):
            with self.assertRaisesRegex(wattfill.InputError, "policies.mine: .*" + why):
                run(rule)
        with self.assertRaisesRegex(ZeroDivisionError, "division by zero"):
            run(lambda d: 1 / 0)
        with self.assertRaisesRegex(TypeError, "is no callable"):
            run(3)
        with self.assertRaisesRegex(wattfill.InputError, 'two policies are called "oracle"'):
            wattfill.run(scenario, policies={"oracle": rising})

    def test_what_a_callable_is_told_may_be_kept(self):
        kept = []
        wattfill.run(self.load(SNAPSHOT), policies={"mine": lambda d: kept.append(d) or d.uncapped_w}, threads=2)
        gc.collect()
        for demands in kept:
            self.assertTrue((demands.floor_w < demands.uncapped_w).all())
            self.assertEqual(demands.curves[0].draws[-1], demands.uncapped_w[0])

    def test_other_threads_of_python_go_on_while_a_study_runs(self):
        scenario = self.load(SNAPSHOT.replace("replications: 40", "replications: 60000"))
        beats, stop = [], threading.Event()

        def beat():
            while not stop.is_set():
                beats.append(time.monotonic())
                time.sleep(0.001)

        other = threading.Thread(target=beat)
        other.start()
        start = time.monotonic()
        wattfill.run(scenario, threads=1, rows=False)
        end = time.monotonic()
        stop.set()
        other.join()
        self.assertGreater(sum(start < b < end for b in beats), 3)

    def test_ctrl_c_ends_a_run(self):
        code = ("import sys, wattfill; s = wattfill.load_scenario(sys.argv[1], curves=[sys.argv[2]]); print('runs', flush=True)\n"
                "try: wattfill.run(s, threads=1, rows=False)\n"
                "except KeyboardInterrupt: print('interrupted')\n")
        self.load(SNAPSHOT.replace("replications: 40", "replications: 100000000"))
        child = subprocess.Popen([sys.executable, "-c", code, pathlib.Path(self.folder.name) / "scenario.yaml", SOURCE / "curves"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "runs\n")
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=60)[0], "interrupted\n")
        self.assertEqual(child.returncode, 0)

    def test_a_trace_is_a_run_with_its_power_jobs_and_events(self):
        trace = wattfill.trace(self.load(TIMELINE), "proportional")
        self.assertEqual(trace.job_ids, ["dolly", "infer", "late"])
        power = trace.power
        self.assertFalse(power.flags.owndata)
        self.assertLessEqual(power["gpu_w"][power["limit_w"] == 30000].max(), 30000 * (1 + 1e-12))
        joules = np.sum(np.diff(np.append(power["time_s"], trace.metrics["end_s"])) * power["gpu_w"])
        self.assertAlmostEqual(joules / trace.metrics["energy_j"], 1, 12)
        kinds = [wattfill.event_kinds[k] for k in trace.events["kind"]]
        self.assertEqual(kinds.count("finish"), 3)
        self.assertEqual(len(trace.jobs), 3)
        with self.assertRaisesRegex(KeyError, "there is no policy"):
            wattfill.trace(self.load(TIMELINE), "nobody")

    def test_a_controller_turns_a_timeline_and_its_actions_replayed_are_the_same(self):
        scenario = self.load(TIMELINE)
        session = wattfill.Session(scenario)
        actions = []
        while not session.over:
            seen = session.observe()
            jobs = seen.jobs
            running = jobs["draw_w"] > 0
            watts = min(400, seen.limit_w / jobs["gpus"][running].sum()) if running.any() else 400
            caps = np.where(running, watts, np.nan)
            actions += [(seen.time_s, session.job_ids[j], caps[j]) for j in range(3) if running[j] and caps[j] != jobs["cap_w"][j]]
            session.allocate(caps)
            self.assertLessEqual(session.observe().gpu_w, seen.limit_w * (1 + 1e-12))
            session.advance()
        done = session.finish()
        self.assertEqual(done.metrics["finished"], 3)
        self.assertEqual(done.metrics["over_limit_s"], 0)
        (pathlib.Path(self.folder.name) / "actions.csv").write_text(
            "time_s,job,action,value\n" + "".join(f"{t!r},{job},cap,{float(w)!r}\n" for t, job, w in actions), encoding="utf-8")
        replayed = wattfill.trace(self.load(TIMELINE.replace("oracle]", "{name: replay, actions: actions.csv}]")), "replay")
        self.assertEqual(replayed.power.tobytes(), done.power.tobytes())
        self.assertEqual(repr(replayed.metrics), repr(done.metrics))

    def test_a_controller_is_told_what_it_cannot_do(self):
        session = wattfill.Session(self.load(TIMELINE), resizes={"late": [24]})
        session.advance(700)
        session.resize("late", 24)
        self.assertEqual(session.observe().jobs["gpus"][2], 24)
        session.pause("dolly")
        self.assertEqual(wattfill.job_states[session.observe().jobs["state"][0]], "paused")
        session.resume("dolly")
        with self.assertRaisesRegex(wattfill.InputError, 'there is no job "nobody"'):
            session.pause("nobody")
        with self.assertRaisesRegex(wattfill.InputError, "was given 2 caps for 3 jobs"):
            session.allocate([1, 2])
        with self.assertRaisesRegex(wattfill.InputError, "only timelines have sessions; this scenario is a snapshot"):
            wattfill.Session(self.load(SNAPSHOT))


if __name__ == "__main__":
    unittest.main()
