"""Predicting flexibility from telemetry."""
import json
import math

import program
from program import ProgramTest

#      name, architecture, pfi, loss, dram, copy, tensor, flat
ROWS = (("a", "dense", 1.1, 0.20, 0.2, 10, 0.5, 3), ("b", "dense", 1.3, 0.17, 0.3, 12, 0.4, 3), ("c", "dense", 1.2, 0.18, 0.2, 17, 0.6, 3),
        ("d", "moe", 1.9, 0.10, 0.5, 20, 0.2, 3), ("e", "moe", 2.1, 0.09, 0.6, 18, 0.3, 3), ("f", "moe", 1.6, 0.12, 0.4, 25, 0.1, 3))


class Predict(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write_table(ROWS)

    def write_table(self, rows, name="telemetry.csv"):
        self.write(name, "name,architecture,pfi,loss,dram,copy,tensor,flat\n" + "".join(",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows))

    def predict(self, *words):
        return json.loads(self.wattfill("predict", "telemetry.csv", *words, "--json").stdout)

    def test_in_sample_out_of_fold_and_clusters_by_hand(self):
        result = self.predict("--target", "pfi", "--features", "dram*copy", "--cluster", "architecture")
        x, y = [r[4] * r[5] for r in ROWS], [r[2] for r in ROWS]

        def fit(keep):
            mx, my = sum(x[i] for i in keep) / len(keep), sum(y[i] for i in keep) / len(keep)
            slope = sum((x[i] - mx) * (y[i] - my) for i in keep) / sum((x[i] - mx) ** 2 for i in keep)
            return lambda value: my + slope * (value - mx)

        everyone, mean = range(6), sum(y) / 6
        folds = {"in_sample": lambda i: everyone, "loo": lambda i: [j for j in everyone if j != i], "loco": lambda i: [j for j in everyone if ROWS[j][1] != ROWS[i][1]]}
        for name, keep in folds.items():
            predicted = [fit(keep(i))(x[i]) for i in everyone]
            error = sum((a - b) ** 2 for a, b in zip(predicted, y))
            self.assertAlmostEqual(result[name]["r2"], 1 - error / sum((v - mean) ** 2 for v in y), delta=1e-9)
            self.assertAlmostEqual(result[name]["rmse"], math.sqrt(error / 6), delta=1e-9)
        for row in result["predictions"]:
            self.assertTrue(row["low"] < row["predicted"] < row["high"])

    def test_the_reconstructed_h200_jobs_give_the_published_r2_values(self):
        self.write("telemetry.csv", self.wattfill("pfi", "h200-pfi-2026", "--csv").stdout)
        result = self.predict("--target", "pfi", "--features", "dram_activity_x_memory_copy", "--cluster", "architecture,task")
        self.assertAlmostEqual(result["in_sample"]["r2"], 0.675, delta=0.0005)
        self.assertAlmostEqual(result["loo"]["r2"], 0.524, delta=0.005)
        self.assertAlmostEqual(result["loco"]["r2"], 0.246, delta=0.005)

    def test_a_saved_model_predicts_new_rows_as_it_predicted_its_own(self):
        first = self.predict("--target", "pfi", "--features", "dram*copy,tensor/dram", "--out", "model.yaml")
        applied = self.predict("--model", "model.yaml")
        self.assertEqual([row["predicted"] for row in applied["predictions"]], [row["predicted"] for row in first["predictions"]])
        self.assertEqual([row["low"] for row in applied["predictions"]], [row["low"] for row in first["predictions"]])
        self.assertEqual(applied["applied"], first["in_sample"])
        self.write("telemetry.csv", "name,dram,copy,tensor\nnew,0.3,15,0.4\n")
        new = self.predict("--model", "model.yaml")
        self.assertNotIn("target", new["predictions"][0])
        self.assertIsNone(new["applied"]["r2"])
        self.assertIn("new", self.wattfill("predict", "telemetry.csv", "--model", "model.yaml").stdout)

    def test_rows_without_a_target_are_left_out_with_a_note(self):
        self.write_table((*ROWS, ("g", "moe", None, 0.1, 0.4, 20, 0.2, 3)))
        result = self.predict("--target", "pfi", "--features", "dram")
        self.assertEqual(result["rows"], 6)
        self.assertEqual(result["notes"], ["left out g: it has no finite pfi"])

    def test_features_that_cannot_be_used_are_2_by_name(self):
        for features, named in (("flat", "flat is constant"), ("dram,dram*flat", "collinear"), ("dram*coppy", 'did you mean "copy"'), ("dram*copy*flat", "is no feature"),
                                ("dram,copy,tensor,dram*copy,dram/copy,tensor*dram", "6 rows cannot determine 7 coefficients")):
            done = self.wattfill("predict", "telemetry.csv", "--target", "pfi", "--features", features, code=2)
            self.assertIn(named, done.stderr)
            self.assertIn("telemetry.csv", done.stderr) if "no feature" not in named else None
        self.write_table((*ROWS[:4], ("e", "moe", 2.1, 0.09, 0.6, 18, None, 3), ("f", "moe", 1.6, 0.12, 0, 25, None, 3)))
        self.assertIn("tensor: this feature is missing for 2 of 6 rows (e, f)", self.wattfill("predict", "telemetry.csv", "--target", "pfi", "--features", "dram,tensor", code=2).stderr)
        self.assertIn("division by zero", self.wattfill("predict", "telemetry.csv", "--target", "pfi", "--features", "copy/dram", code=2).stderr)
        self.assertIn("--target", self.wattfill("predict", "telemetry.csv", "--features", "dram", code=2).stderr)
        self.assertIn("--model", self.wattfill("predict", "telemetry.csv", "--model", "m.yaml", "--target", "pfi", code=2).stderr)

    def test_clusters_whose_absence_leaves_nothing_are_said_not_refused(self):
        result = self.predict("--target", "pfi", "--features", "dram,copy,tensor", "--cluster", "architecture")
        self.assertIn("without cluster dense", result["loco"]["note"])
        self.assertIn("r2", result["loo"])


if __name__ == "__main__":
    program.main()
