"""One study over several ranks, where mpirun is there and the program was built with MPI; what a program without MPI says; quantiles, and the form of files."""
import resource
import shutil
import subprocess

import program
from program import PROGRAM, ProgramTest, scenario
from resume_test import STUDY
from timeline_test import EVENT, WEEK


class Ranks(ProgramTest):
    def mpirun(self, ranks, *words, code=0):
        launcher = shutil.which("mpirun")
        if launcher is None:
            self.skipTest("no mpirun here (Debian: openmpi-bin): ranks are NOT tested")
        done = subprocess.run([launcher, "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), PROGRAM, "run", "small.yaml", "--threads", "1", *words],
                              cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=240, check=False)
        if "built without MPI" in done.stderr:
            self.skipTest("this program was built without MPI (-DWATTFILL_MPI=ON): ranks are NOT tested")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def bytes_of(self, out):
        return {file.name: file.read_bytes() for file in (self.folder / out).iterdir() if file.name != "manifest.json"}

    def test_any_number_of_ranks_gives_the_bytes_of_one_process(self):
        for text in (STUDY, WEEK):
            whole = self.results(text, out="whole")
            for ranks in (1, 2, 3):
                self.mpirun(ranks, "--out", "ranks", "--quiet")
                self.assertEqual(self.bytes_of("ranks"), whole, ranks)
                shutil.rmtree(self.folder / "ranks")
            shutil.rmtree(self.folder / "whole")

    def test_a_rank_that_fails_stops_all_with_its_message(self):
        self.write("small.yaml", scenario().replace("objective:", "objectiv:"))
        done = self.mpirun(3, "--out", "ranks", code=2)
        self.assertEqual(done.stderr.count("objectiv: "), 1, done.stderr)  # told once
        self.write("small.yaml", EVENT)
        self.assertIn("which ranks cannot share; run it without mpirun", self.mpirun(2, "--out", "ranks", code=2).stderr)

    def test_pieces_of_one_process_are_gone_on_with_by_ranks(self):
        whole = self.results(STUDY, out="whole")
        pieces = self.wattfill("run", "small.yaml", "--out", "ranks", "--quiet", "--keep-every", "0", code=3, preexec_fn=limit_files)
        self.assertIn("could not be written", pieces.stderr)
        done = self.mpirun(2, "--out", "ranks", "--resume")
        self.assertRegex(done.stderr, r"going on with [1-9]\d* of")
        self.assertEqual(self.bytes_of("ranks"), whole)

    def test_a_program_without_mpi_refuses_to_be_one_of_several(self):
        self.write("small.yaml", scenario())
        done = self.wattfill("run", "small.yaml", "--quiet", env={"OMPI_COMM_WORLD_SIZE": "4"}, code=None)
        if "built without MPI" not in done.stderr:
            self.skipTest("this program was built with MPI")
        self.assertEqual(done.returncode, 2)
        self.assertIn("configure with -DWATTFILL_MPI=ON, or use --shard I/N", done.stderr)


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_500_000, 3_500_000))


class Forms(ProgramTest):
    def test_quantiles_are_those_of_the_rows_and_the_same_from_shards(self):
        text = scenario(replications=1500)
        whole = self.results(text, "--quantiles", "0.05,0.5", out="whole")
        rows = [float(row["speed_gpu"]) for row in self.rows(whole) if (row["policy"], row["cut"]) == ("oracle", "0.3")]
        found = {row["quantile"]: row for row in self.rows(whole, "quantiles.csv") if (row["policy"], row["cut"]) == ("oracle", "0.3")}
        self.assertEqual(float(found["0.05"]["speed_gpu"]), sorted(rows)[75 - 1])
        self.assertEqual(float(found["0.5"]["speed_gpu"]), sorted(rows)[750 - 1])
        self.assertEqual({row["relative_error"] for row in found.values()}, {"0"})
        self.assertEqual({row["count"] for row in found.values()}, {"1500"})
        for i in (1, 2):
            self.wattfill("run", "small.yaml", "--out", f"s{i}", "--shard", f"{i}/2", "--quantiles", "0.05,0.5", "--quiet")
        self.wattfill("merge", "s2", "s1", "--out", "merged", "--quiet")
        self.assertEqual({file.name: file.read_bytes() for file in (self.folder / "merged").iterdir() if file.name != "manifest.json"}, whole)

    def test_wrong_quantiles_and_forms_are_refused(self):
        self.write("small.yaml", scenario())
        for words, what in ((("--quantiles", "0.5,"), "is no list of shares"), (("--quantiles", "1"), "is no list of shares"),
                            (("--quantiles", "0.5", "--replication", "1"), "over the replications of a snapshot study"), (("--format", "xls"), "write csv or netcdf")):
            self.assertIn(what, self.wattfill("run", "small.yaml", "--out", "out", *words, code=2).stderr)
        self.assertEqual(self.listing(), [])
        done = self.wattfill("run", "small.yaml", "--format", "netcdf", "--out", "out", "--quiet", code=None)
        if done.returncode == 2:
            self.assertIn("configure with -DWATTFILL_NETCDF=ON", done.stderr)
            self.assertEqual(self.listing(), [])
        else:
            self.assertEqual(self.listing(), ["manifest.json", "results.nc", "summary.csv"])
            one = (self.folder / "out/results.nc").read_bytes()
            for i in (1, 2):
                self.wattfill("run", "small.yaml", "--format", "netcdf", "--out", f"s{i}", "--shard", f"{i}/2", "--quiet")
            self.wattfill("merge", "s2", "s1", "--out", "merged", "--quiet")
            self.assertEqual((self.folder / "merged/results.nc").read_bytes(), one)


if __name__ == "__main__":
    program.main()
