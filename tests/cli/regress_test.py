"""`wattfill regress` as a CI job uses it."""
import re
import xml.etree.ElementTree

import program
from program import SOURCE, ProgramTest


class Regress(ProgramTest):
    def small(self, *words, out="out"):
        return self.results(program.scenario(replications=40), *words, out=out)

    def baseline(self, *words):
        self.small()
        self.wattfill("regress", "out", "--baseline", "b.yaml", "--update", *words)
        return (self.folder / "b.yaml").read_text(encoding="utf-8")

    def tolerate(self, text):
        file = self.folder / "b.yaml"
        file.write_text(re.sub(r"(?ms)^tolerance:.*?^#", f"tolerance: {text}\n#", file.read_text(encoding="utf-8")), encoding="utf-8")

    def test_what_did_not_move_passes_and_a_bit_that_did_fails_with_a_table_and_junit(self):
        self.baseline("--metric", "speed_gpu")
        self.assertIn("small: 0 of 6 compared moved\n", self.wattfill("regress", "out", "--baseline", "b.yaml").stdout)
        file = self.folder / "out" / "replications.csv"
        lines = file.read_text(encoding="utf-8").splitlines()
        column = lines[0].split(",").index("speed_gpu")
        cells = lines[7].split(",")
        value = float(cells[column])
        cells[column] = repr(value + 2.0 ** -53)  # the next double: speeds are in [0.5, 1)
        self.assertNotEqual(float(cells[column]), value)
        lines[7] = ",".join(cells)
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = self.wattfill("regress", "out", "--baseline", "b.yaml", "--junit", "junit.xml", code=1)
        self.assertIn("small: 1 of 6 compared moved; agree to it with --update\n", done.stdout)
        self.assertRegex(done.stdout, rf"drawn / {cells[2]} / {cells[3]} +speed_gpu")
        suites = xml.etree.ElementTree.parse(self.folder / "junit.xml").getroot()
        self.assertEqual((suites.get("tests"), suites.get("failures"), len(suites.findall(".//failure"))), ("6", "1", 1))
        self.wattfill("regress", "out", "--baseline", "b.yaml", "--set", "tolerance.speed_gpu.relative=1e-12")

    def test_noise_is_ignored_under_the_statistical_tolerance_and_a_worse_policy_is_not(self):
        self.baseline("--metric", "speed_gpu", "--metric", "speed_p5", "--set", "tolerance.speed_gpu.significance=0.01")
        text = (self.folder / "b.yaml").read_text(encoding="utf-8")
        self.assertIn("  speed_gpu: {significance: 0.01}\n  speed_p5: {}\n", text)
        self.write("b.yaml", text.replace("  speed_p5: {}\n", ""))  # is no longer compared
        self.small("--seed", "4")  # other mixes: every number is another
        done = self.wattfill("regress", "out", "--baseline", "b.yaml")
        self.assertIn("note: seed 4 here, 3 in the baseline", done.stdout)
        self.small("--set", "policies.2={name: pfi-aware, label: equal-split}")  # the same mixes, another rule under the old name
        done = self.wattfill("regress", "out", "--baseline", "b.yaml", code=1)
        self.assertRegex(done.stdout, r"drawn / equal-split / 0.1 +speed_gpu +(up|down) .* < 0.0001\n")
        self.assertNotIn("proportional", done.stdout)
        self.assertNotIn("speed_p5", done.stdout)

    def test_update_keeps_tolerances_and_writes_the_same_bytes_again(self):
        text = self.baseline("--metric", "speed_gpu")
        self.tolerate("\n  speed_gpu: {relative: 1e-06, absolute: 0.5}")
        self.wattfill("regress", "out", "--baseline", "b.yaml", "--update", "--quiet")
        again = (self.folder / "b.yaml").read_text(encoding="utf-8")
        self.assertIn("  speed_gpu: {absolute: 0.5, relative: 1e-06}\n", again)
        self.assertEqual(again.replace("{absolute: 0.5, relative: 1e-06}", "{}"), text)
        self.tolerate("{speed_gpu: {significance: 0.05}}")
        self.assertIn("has no means of batches of this metric", self.wattfill("regress", "out", "--baseline", "b.yaml", code=2).stderr)

    def test_rows_that_went_and_came_are_moves(self):
        self.baseline()
        self.small("--set", "policies=[proportional, oracle, quadratic]")
        done = self.wattfill("regress", "out", "--baseline", "b.yaml", code=1)
        self.assertIn("is no longer there", done.stdout)
        self.assertIn("is new", done.stdout)

    def test_what_cannot_be_compared_is_2(self):
        self.assertIn("--baseline: is missing; name the file", self.wattfill("regress", "out", code=2).stderr)
        self.assertIn("there is no manifest.json in this folder", self.wattfill("regress", ".", "--baseline", "b.yaml", code=2).stderr)
        self.small()
        self.assertIn("b.yaml: there is no such baseline", self.wattfill("regress", "out", "--baseline", "b.yaml", code=2).stderr)
        self.baseline()
        self.results(program.scenario(name="other"), out="other")
        self.assertIn('is the baseline of "small", but other holds "other"', self.wattfill("regress", "other", "--baseline", "b.yaml", code=2).stderr)
        self.assertIn("chooses what --update writes", self.wattfill("regress", "out", "--baseline", "b.yaml", "--metric", "speed", code=2).stderr)

    def shipped(self, name, *words):
        """A shipped scenario against the baseline that is kept beside the tests."""
        self.wattfill("run", SOURCE / f"scenarios/{name}.yaml", "--out", name, "--quiet", *words)
        update = ["--update"] if program.UPDATE else []
        done = self.wattfill("regress", name, "--baseline", SOURCE / f"tests/cli/baselines/{name}.yaml", *update, code=None)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_cut_down_paper_study_is_what_it_was_to_the_bit(self):
        self.shipped("paper", "--set", "mixes.random.replications=20", "--set", "mixes.production.replications=20", "--set", "cuts=[0.1, 0.3]", "--set",
                     "outer=null")

    def test_the_replay_of_the_aps_event_is_what_it_was_to_the_bit(self):
        self.shipped("aps_replay")


if __name__ == "__main__":
    program.main()
