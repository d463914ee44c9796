"""What options do to the results, and what they leave alone."""
import json

import program
from program import BY_HAND, ProgramTest, scenario


def without(rows, *policies):
    return [row for row in rows if row["policy"] not in policies]


class Results(ProgramTest):
    def test_one_replication_gives_its_rows_of_the_full_run(self):
        full = self.rows(self.results())
        for index in (0, 3, 5):
            one = self.rows(self.results(None, "--replication", index, out=f"one{index}"))
            self.assertEqual(one, [row for row in full if row["replication"] == str(index)])
            self.assertEqual(len(one), 3 * 2)

    def test_one_replication_says_who_gets_what(self):
        self.assertNotIn("allocation.csv", self.results())
        allocation = self.rows(self.results(None, "--replication", 2), "allocation.csv")
        self.assertEqual({row["policy"] for row in allocation}, {"proportional", "oracle", "equal-split"})

    def test_the_seed_changes_drawn_mixes_and_no_others(self):
        text = scenario(mixes=BY_HAND)
        first, same, other = (self.rows(self.results(text, *words, out=out)) for words, out in (((), "a"), (("--seed", "3"), "b"), (("--seed", "4"), "c")))
        self.assertEqual(first, same)
        self.assertEqual([row for row in first if row["mix"] == "by-hand"], [row for row in other if row["mix"] == "by-hand"])
        self.assertNotEqual(first, other)

    def test_set_is_the_same_as_writing_it_in_the_scenario(self):
        written = self.results(scenario(replications=4, jobs=9))
        given = self.results(scenario(), "--set", "mixes.drawn.replications=4", "--set", "mixes.drawn.jobs=9", out="given")
        self.assertEqual(written, given)

    def test_the_summary_alone_is_that_of_the_full_run_and_removes_old_rows(self):
        full = self.results()
        summary = self.results(None, "--rows", "summary")
        self.assertEqual(summary, {"summary.csv": full["summary.csv"]})
        manifest = json.loads((self.folder / "out/manifest.json").read_text(encoding="utf-8"))
        self.assertNotIn("replications.csv", json.dumps(manifest.get("outputs", {})))

    def test_the_manifest_has_the_whole_command(self):
        self.results(None, "--replication", "1", "--threads", "2")
        manifest = json.loads((self.folder / "out/manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest["command"], ["wattfill", "run", "small.yaml", "--out=out", "--quiet", "--replication=1", "--threads=2"])

    def test_quiet_prints_nothing(self):
        self.write("small.yaml", scenario())
        done = self.wattfill("run", "small.yaml", "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        self.assertEqual(self.listing("out/small"), ["manifest.json", "replications.csv", "summary.csv"])

    def test_the_table_goes_to_standard_output_and_nothing_else_does(self):
        self.write("small.yaml", scenario())
        done = self.wattfill("run", "small.yaml")
        self.assertIn("proportional", done.stdout)
        self.assertIn("emerald-a100 (measured)", done.stdout)
        self.assertTrue(done.stdout.endswith("results in out/small\n"), done.stdout)
        self.assertEqual(done.stderr, "")

    def test_another_policy_leaves_the_rows_of_the_others(self):
        before = self.rows(self.results())
        after = self.rows(self.results(scenario(policies="[headroom-fair, proportional, oracle, quadratic, equal-split]"), out="more"))
        self.assertEqual(without(after, "headroom-fair", "quadratic"), before)

    def test_another_mix_leaves_the_rows_of_the_others(self):
        before = self.rows(self.results())
        more = BY_HAND + "  aside: {replications: 3, jobs: 7, draw: {all: {where: {}}}}\n"
        after = self.rows(self.results(scenario(mixes=more), out="more"))
        self.assertEqual([row for row in after if row["mix"] == "drawn"], before)
        self.assertEqual(len(after), len(before) + (1 + 3) * 3 * 2)

    def test_another_cut_leaves_the_rows_of_the_others(self):
        before = self.rows(self.results())
        after = self.rows(self.results(scenario(cuts="[0.1, 0.2, 0.3]"), out="more"))
        self.assertEqual([row for row in after if row["cut"] != "0.2"], before)

    def test_a_folder_with_another_study_is_refused_and_kept(self):
        before = self.results()
        self.write("other.yaml", scenario(name="other"))
        done = self.wattfill("run", "other.yaml", "--out", "out", code=2)
        self.assertIn("another study", done.stderr)
        self.assertEqual({name: (self.folder / "out" / name).read_bytes() for name in before}, before)
        self.assertEqual(self.results(), before)  # the same study again is welcome

    def test_the_names_of_a_study_stay_below_its_folder(self):
        self.write("below/small.yaml", scenario(name="../../escaped"))
        self.wattfill("run", "below/small.yaml", code=2)
        self.assertEqual(self.listing("."), ["below"])


if __name__ == "__main__":
    program.main()
