"""Measured tables into libraries that the other commands read."""
import json
import pathlib

import program
from program import ProgramTest

DVFS = program.SOURCE.parent / "shared/data/ghazanfarttu-dvfs/a100_dvfs_telemetry.csv"


class Import(ProgramTest):
    def test_any_tidy_table_imports_by_its_columns(self):
        self.write("sweep.csv", "Job,Limit W,Draw W,Rate\nx,200,190,1\nx,400,350,2\ny,200,180,1\ny,400,390,3\n")
        done = self.wattfill("import", "cap-sweep", "sweep.csv", "--out", "curves/mine", "--gpu", "L40", "--column", "curve=Job", "--column", "cap_w=Limit W", "--column",
                             "power_w=Draw W", "--column", "speed=Rate", "--speed-unit", "samples/s", "--citation", "own measurement", "--licence", "CC0-1.0", "--tdp", "450")
        self.assertIn("wrote curves/mine.yaml and curves/mine.csv: 2 curves", done.stdout)
        self.assertIn("TDP 450 W, measured, speed in samples/s", self.wattfill("curves", "mine").stdout)
        self.assertEqual(len(json.loads(self.wattfill("pfi", "mine", "--json").stdout)["curves"]), 2)

    def test_unstated_units_and_wrong_options_are_2_and_write_nothing(self):
        self.write("sweep.csv", "curve,cap,power_w,speed\nx,200,190,1\nx,400,350,2\n")
        for words, named in ((("--column", "cap_w=cap"), "does not say its unit"), (("--column", "cap"), "MEANING=NAME"), (("--column", "cap_w=cap", "--tdp", "x"), "--tdp"), ((), "--column cap_w=NAME")):
            self.assertIn(named, self.wattfill("import", "cap-sweep", "sweep.csv", "--out", "mine", "--gpu", "L40", *words, code=2).stderr)
        self.assertEqual(self.listing("."), ["sweep.csv"])

    def test_raw_logs_go_to_a_library_and_a_model_fitted_on_it_to_a_study(self):
        runs = "curve,cap_w,gpus,power_log,throughput_log,task\n"
        for job in range(4):
            for cap, power, speed in ((400, 380, 100), (300, 290, 90 - 3 * job), (200, 195, 60 - 6 * job)):
                self.write(f"{job}-{cap}-p.csv", f"timestamp, index, power.draw [W], utilization.gpu [%]\n2026/01/01 00:00:05.0, 0, {power}.00 W, {60 + job * job} %\n")
                self.write(f"{job}-{cap}-s.csv", f"timestamp,tokens_per_s\n2026/01/01 00:00:00,0\n2026/01/01 00:00:10,{speed}\n")
                runs += f"job{job},{cap},1,{job}-{cap}-p.csv,{job}-{cap}-s.csv,training\n"
        self.write("runs.csv", runs)
        done = self.wattfill("import", "dcgm", "runs.csv", "--out", "curves/mine", "--gpu", "H100", "--warm-up", "1")
        self.assertIn("wrote curves/mine.yaml and curves/mine.csv: 4 curves", done.stdout)
        self.assertIn("--warm-up", self.wattfill("import", "dcgm", "runs.csv", "--out", "x", "--gpu", "H100", "--warm-up", "-1", code=2).stderr)
        pfis = {c["name"]: c["pfi"] for c in json.loads(self.wattfill("pfi", "mine", "--json").stdout)["curves"]}
        self.write("table.csv", "name,utilization_gpu,pfi\n" + "".join(f"job{j},{60 + j * j},{pfis[f'job{j}']}\n" for j in range(4)))
        self.wattfill("predict", "table.csv", "--target", "pfi", "--features", "utilization_gpu", "--out", "model.yaml")
        self.write("s.yaml", "wattfill: 1\nname: s\nkind: snapshot\ncurves: [mine]\nmixes: {m: {replications: 3, draw: {all: {where: {}}}}}\ncuts: [0.2]\n"
                   "policies: [proportional, pfi-aware, {name: pfi-aware, knows: perfect, label: perfect}, oracle]\npfi: {source: predicted, model: model.yaml}\n")
        self.wattfill("run", "s.yaml", "--out", "out")
        self.assertIn("model.yaml", (self.folder / "out/manifest.json").read_text())

    def test_the_reconstruction_ensemble_is_eight_libraries(self):
        done = self.wattfill("import", "reconstruct", "ensemble", "--out", "e/r")
        self.assertEqual(done.stdout.count("wrote "), 8)
        self.assertIn("r-roofline-draw-low-mfu-high.csv", self.listing("e"))
        self.assertIn("shapes are", self.wattfill("import", "reconstruct", "cubic", "--out", "x", code=2).stderr)

    def test_the_a100_telemetry_goes_from_table_to_prediction(self):
        if not pathlib.Path(DVFS).exists():
            self.skipTest(f"{DVFS} is not there")
        self.wattfill("import", "telemetry", DVFS, "--out", "a100-dvfs")
        self.write("figures.csv", self.wattfill("pfi", "./a100-dvfs", "--csv").stdout)

        def predict(target, features, code=0):
            done = self.wattfill("predict", "figures.csv", "--target", target, "--features", features, "--cluster", "task", "--json", code=code)
            return json.loads(done.stdout) if code == 0 else done.stderr

        for target, in_sample, loo, loco in (("pfi", 0.0034, -0.1275, -0.0487), ("pooled", 0.0153, -0.0961, -0.0399), ("loss_20", 0.1771, 0.0837, -0.6849)):
            result = predict(target, "dram_active*mem_copy_util_pct")
            self.assertEqual(result["rows"], 25)
            for name, r2 in (("in_sample", in_sample), ("loo", loo), ("loco", loco)):
                self.assertAlmostEqual(result[name]["r2"], r2, delta=1e-4)
        self.assertIn("tensor_active/dram_active: this feature is missing for 5 of 25 rows (LSTM, LAMMPS, NAMD, GROMACS, stream)", predict("loss_20", "tensor_active/dram_active", code=2))
        self.assertIn("fp16_active is constant", predict("loss_20", "fp16_active,dram_active", code=2))


if __name__ == "__main__":
    program.main()
