"""Flexibility figures as a user asks for them."""
import csv
import json
import pathlib

import program
from program import ProgramTest

KEYS = ("name", "pfi", "pfi_low", "pfi_high", "n_used", "area", "elasticity", "pooled", "loss_10", "loss_20", "loss_30", "b", "a", "r2")
EMERALD = {"ft_llama_8b_dolly": 2.6567, "ft_llama_8b_p3": 2.0839, "infer_llama_8b": 2.5777, "pt_mpt_13b_lg": 1.4026, "pt_mpt_13b_sm": 1.4036, "pt_mpt_7b_fast": 1.5124}


def library(points, names=("job",), more=""):
    curves = "".join(f"  - {{name: {name}}}\n" for name in names)
    yaml = f"wattfill: 1\ngpu: {{model: T, tdp_w: 400}}\nprovenance: measured\nsource: {{citation: made for a test}}\n{more}curves:\n{curves}"
    return yaml, "curve,cap_w,power_w,speed\n" + "".join(",".join(map(str, point)) + "\n" for point in points)


class Pfi(ProgramTest):
    def write_library(self, name, points, names=("job",)):
        yaml, table = library(points, names)
        self.write(f"{name}.yaml", yaml)
        self.write(f"{name}.csv", table)

    def curves(self, *words):
        return {curve["name"]: curve for curve in json.loads(self.wattfill("pfi", *words, "--json").stdout)["curves"]}

    def test_the_measured_a100_curves_have_their_known_pfis_inside_their_intervals(self):
        curves = self.curves("emerald-a100")
        self.assertEqual(set(curves), set(EMERALD))
        for name, pfi in EMERALD.items():
            curve = curves[name]
            for key in KEYS:
                self.assertIn(key, curve)
            self.assertAlmostEqual(curve["pfi"], pfi, delta=5e-5)
            self.assertEqual(curve["n_used"], 5)
            self.assertLess(curve["pfi_low"], pfi)
            self.assertGreater(curve["pfi_high"], pfi)
            self.assertTrue(0 < curve["loss_10"] < curve["loss_20"] < curve["loss_30"] < 0.3)

    def test_noise_within_a_run_gives_narrower_intervals_and_the_seed_moves_only_them(self):
        wide, narrow, other = self.curves("emerald-a100"), self.curves("emerald-a100", "--noise", "within"), self.curves("emerald-a100", "--seed", "2")
        for name in EMERALD:
            self.assertLess(narrow[name]["pfi_high"] - narrow[name]["pfi_low"], 0.2 * (wide[name]["pfi_high"] - wide[name]["pfi_low"]))
            self.assertNotEqual(wide[name]["pfi_low"], other[name]["pfi_low"])
            self.assertEqual(wide[name]["pfi"], other[name]["pfi"])

    def test_what_has_no_finite_value_is_null_with_a_note(self):
        self.write_library("odd", [("still", 100, 99, 5), ("still", 200, 100, 10), ("free", 100, 100, 10), ("free", 200, 200, 10)], ("still", "free"))
        curves = self.curves("./odd")
        self.assertIsNone(curves["still"]["pfi"])
        self.assertIsNone(curves["still"]["loss_20"])
        self.assertIn("unresponsive", curves["still"]["note"])
        self.assertIsNone(curves["free"]["pfi"])
        self.assertIn("PFI is infinite", curves["free"]["note"])
        self.assertEqual(curves["free"]["loss_20"], 0)
        self.assertIn("inf", self.wattfill("pfi", "./odd").stdout)

    def test_repeated_points_give_their_own_interval(self):
        points = [("job", cap, cap * power, speed * rate) for cap, speed in ((100, 40), (200, 70), (300, 90), (400, 100))
                  for power, rate in ((0.99, 1.001), (1.0, 0.999), (1.01, 1.0))]
        self.write_library("repeats", points)
        self.assertIn("interval from its repeated points: 1 % in power, 0.1 % in speed", self.curves("./repeats")["job"]["note"])
        self.assertNotIn("note", self.curves("./repeats", "--noise", "between")["job"])

    def test_figures_on_chosen_caps_raise_pfi_and_the_classes_are_tested(self):
        own = json.loads(self.wattfill("pfi", "h200-pfi-2026", "--pool", "dense", "--json").stdout)
        coarse = json.loads(self.wattfill("pfi", "h200-pfi-2026", "--pool", "dense", "--grid", "200,500,600,700", "--json").stdout)
        self.assertEqual(len(own["curves"]), 25)
        self.assertEqual({c["class"]: c["n"] for c in own["classes"]}, {"dense": 14, "moe pretraining": 7, "moe fine-tuning": 4})
        self.assertIn("the caps differ", own["warnings"][0])
        self.assertNotIn("warnings", coarse)
        higher = [b["pfi"] / a["pfi"] for a, b in zip(own["curves"], coarse["curves"]) if len(a["caps_w"]) == 6]
        self.assertEqual(len(higher), 16)
        self.assertAlmostEqual(sorted(higher)[8], 1.106, delta=0.02)
        test = own["kruskal_wallis"][0]
        self.assertEqual(test["figure"], "pfi")
        self.assertAlmostEqual(test["h"], 12.48, delta=0.005)
        self.assertAlmostEqual(test["p"], 0.0019, delta=5e-5)
        self.assertEqual(sorted(round(pair["p_holm"], 4) for pair in test["dunn"]), [0.0017, 0.1175, 0.1175])
        self.assertEqual(self.curves("h200-pfi-2026", "--grid", "common").keys(), {c["name"] for c in own["curves"]})

    def test_classes_of_one_curve_are_left_out_of_the_test_and_named(self):
        tests = json.loads(self.wattfill("pfi", "emerald-a100", "--json").stdout)["kruskal_wallis"]
        self.assertEqual([(t["freedom"], t["left_out"], len(t["dunn"])) for t in tests], [(1, ["dense inference"], 1)] * 2)
        self.assertIn("without classes of one curve: dense inference", self.wattfill("pfi", "emerald-a100").stdout)

    def test_different_grids_are_warned_of_on_stderr(self):
        self.assertIn("the caps differ", self.wattfill("pfi", "emerald-a100", "zeus-v100").stderr)
        self.assertEqual(self.wattfill("pfi", "emerald-a100").stderr, "")

    def test_the_csv_form_has_one_row_a_curve_and_its_telemetry(self):
        rows = list(csv.DictReader(self.wattfill("pfi", "h200-pfi-2026", "--csv").stdout.splitlines()))
        self.assertEqual(len(rows), 25)
        for row in rows:
            self.assertGreater(float(row["pfi"]), 1)
            self.assertGreater(float(row["dram_activity_x_memory_copy"]), 0)

    def test_wrong_grids_noises_and_libraries_are_2(self):
        for words, named in ((("emerald-a100", "--grid", "100,99"), "nothing was measured at a cap of 99 W"), (("emerald-a100", "--grid", "a"), "--grid"),
                             (("emerald-a100", "--grid", "100,"), "--grid"), (("emerald-a100", "--grid", "100"), "two different caps"),
                             (("emerald-a100", "--noise", "x"), "--noise"), (("emerald-a10",), "did you mean"), ((), "LIBRARY"),
                             (("emerald-a100", "h200-pfi-2026", "zeus-v100", "--grid", "common"), "--grid"),
                             (("emerald-a100", "--json", "--csv"), "choose one")):
            self.assertIn(named, self.wattfill("pfi", *words, code=2).stderr)

    def test_every_shipped_library_has_figures(self):
        for file in sorted(pathlib.Path(program.SOURCE / "curves").glob("*.yaml")):
            self.assertIn(file.stem, self.wattfill("pfi", file.stem).stdout)


if __name__ == "__main__":
    program.main()
