"""What a run may do to the folder of its results, and what sweeps may not ask for."""
import fcntl
import os
import subprocess
import unittest

from program import PROGRAM, ProgramTest, scenario


class Folders(ProgramTest):
    def test_an_input_is_never_overwritten(self):
        text = scenario()
        self.write("here/summary.csv", text)
        done = self.wattfill("run", "here/summary.csv", "--out", "here", code=2)
        self.assertIn("would be overwritten", done.stderr)
        self.assertEqual((self.folder / "here/summary.csv").read_text(), text)

    def test_a_second_run_into_a_folder_is_refused_while_the_first_writes(self):
        self.write("small.yaml", scenario())
        (self.folder / "out").mkdir()
        held = os.open(self.folder / "out", os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
        self.assertIn("another run is writing", self.wattfill("run", "small.yaml", "--out", "out", code=2).stderr)
        os.close(held)
        self.wattfill("run", "small.yaml", "--out", "out", "--quiet")

    def test_what_a_killed_run_left_is_removed_and_nothing_else(self):
        self.write("small.yaml", scenario())
        self.write("out/replications.csv.123.tmp", "half")
        self.write("out/mine.tmp", "kept")
        self.wattfill("run", "small.yaml", "--out", "out", "--quiet")
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()), ["manifest.json", "mine.tmp", "replications.csv", "summary.csv"])

    def test_a_single_replication_does_not_replace_the_study(self):
        self.write("small.yaml", scenario())
        self.wattfill("run", "small.yaml", "--quiet")
        before = (self.folder / "out/small/summary.csv").read_bytes()
        self.wattfill("run", "small.yaml", "--replication", "2", "--quiet")
        self.assertEqual((self.folder / "out/small/summary.csv").read_bytes(), before)
        self.assertTrue((self.folder / "out/small-replication-2/allocation.csv").exists())

    def test_more_threads_than_the_system_starts_are_done_without(self):
        self.write("small.yaml", scenario())
        def limited(words):
            return subprocess.run(["bash", "-c", f"ulimit -v 600000; exec \"$0\" {words}", PROGRAM], cwd=self.folder, env=self.environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

        if limited("--version").returncode != 0:
            self.skipTest("this build does not start in 600 MB of address space (a sanitizer's)")
        done = limited("run small.yaml --quiet --threads 500 --out out")
        self.assertIn(done.returncode, (0, 3), done.stderr)  # never an abort, never "a defect of ours"

    def test_an_unmet_limit_is_marked(self):
        self.write("small.yaml", scenario(cuts="[0.1, 0.95]"))
        self.assertIn("the limit is not met", self.wattfill("run", "small.yaml").stdout)


class Sweeps(ProgramTest):
    def refused(self, sweep, what):
        self.write("small.yaml", scenario(more=f"sweep: {sweep}\n"))
        self.assertIn(what, self.wattfill("validate", "small.yaml", code=2).stderr)

    def test_keys_inside_each_other_are_refused(self):
        self.refused("{mixes.drawn: [{jobs: 3, draw: {all: {where: {}}}}], mixes.drawn.jobs: [7, 8]}", "lies inside the swept key")
        self.refused("{policies.0: [oracle], policies.00: [proportional]}", "lies inside the swept key")

    def test_doubled_values_are_refused(self):
        self.refused("{seed: [1, 1]}", "stands twice")
        self.refused("{mixes.drawn.jobs: [1, 2, 1.0e0]}", "stands twice")

    def test_neighbouring_keys_are_fine(self):
        self.write("small.yaml", scenario(more="sweep: {mixes.drawn.jobs: [5, 6], mixes.drawn.replications: [3, 4], seed: [0, 1]}\n"))
        self.wattfill("run", "small.yaml", "--quiet", "--out", "out")


if __name__ == "__main__":
    unittest.main()
