"""What the tests of the command line share: the program, a scratch folder, and small scenarios. Python's standard library only."""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("WATTFILL_PROGRAM", "wattfill")
SOURCE = pathlib.Path(os.environ.get("WATTFILL_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
COMMANDS = ("run", "merge", "validate", "schema", "policies", "curves", "pfi", "compare", "predict", "import", "contract", "pipeline", "regress", "init", "completion", "report")
RESULTS = ("replications.csv", "summary.csv", "allocation.csv")
UPDATE = os.environ.get("WATTFILL_UPDATE") == "1"  # write what is compared anew


def scenario(name="small", replications=6, jobs=5, policies="[proportional, oracle, equal-split]", mixes="", cuts="[0.1, 0.3]", more=""):
    return f"""wattfill: 1
name: {name}
kind: snapshot
seed: 3
curves: [emerald-a100]
objective: gpu_speed
mixes:
  drawn: {{replications: {replications}, jobs: {jobs}, draw: {{all: {{where: {{}}}}}}}}
{mixes}cuts: {cuts}
policies: {policies}
reference: proportional
{more}"""


BY_HAND = "  by-hand: {explicit: [{curve: emerald-a100/ft_llama_8b_dolly, count: 2}]}\n"


class ProgramTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wattfill a folder ")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("WATTFILL_CURVES")}
        self.environment["WATTFILL_CURVES"] = str(SOURCE / "curves")

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def wattfill(self, *words, code=0, env=None, **options):
        """Runs the program in the scratch folder; expects this exit code (None: any)."""
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, env={**self.environment, **(env or {})}, text=True, encoding="utf-8",
                              stdin=subprocess.DEVNULL, stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, timeout=240, check=False, **options)
        if code is not None:
            self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done

    def results(self, text=None, *words, out="out", **options):
        """Runs a scenario and gives the bytes of its result files by name, those of the manifest apart."""
        self.write("small.yaml", text or scenario())
        self.wattfill("run", "small.yaml", "--out", out, "--quiet", *words, **options)
        folder = self.folder / out
        self.assertTrue((folder / "manifest.json").exists())
        return {file.name: file.read_bytes() for file in folder.iterdir() if file.name != "manifest.json"}

    def rows(self, results, name="replications.csv"):
        return list(csv.DictReader(results[name].decode().splitlines()))

    def listing(self, out="out"):
        folder = self.folder / out
        return sorted(file.name for file in folder.iterdir()) if folder.exists() else []


def main():
    program = unittest.main(exit=False, argv=[sys.argv[0], *sys.argv[1:]])
    for test, reason in program.result.skipped:
        print(f"SKIPPED: {test}: {reason}")
    sys.exit(1 if not program.result.wasSuccessful() else 77 if program.result.skipped else 0)
