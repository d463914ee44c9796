"""Exit codes: 0 done, 1 a check failed, 2 the input is wrong, 3 the machine failed us, 130 interrupted; and no half-written file after any of them."""
import os
import resource
import shutil
import signal
import subprocess
import time

import program
from program import PROGRAM, ProgramTest, scenario

KEPT = ("pieces.bin", "pieces.csv")  # what --resume goes on with


class ExitCodes(ProgramTest):
    def test_a_valid_scenario_validates(self):
        self.write("small.yaml", scenario())
        done = self.wattfill("validate", "small.yaml")
        self.assertIn("valid", done.stdout)
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.listing("."), ["small.yaml"])

    def test_strict_validation_of_what_should_be_known_is_1(self):
        for suffix in (".yaml", ".csv"):
            text = (program.SOURCE / f"curves/emerald-a100{suffix}").read_text(encoding="utf-8")
            if suffix == ".csv":  # a column that nobody reads is noted
                text = "\n".join(line + (",remark" if number == 0 else ",x") for number, line in enumerate(text.splitlines())) + "\n"
            self.write(f"curves/emerald-a100{suffix}", text)
        self.write("small.yaml", scenario())
        environment = {"WATTFILL_CURVES": ""}
        done = self.wattfill("validate", "small.yaml", env=environment)
        self.assertIn("remark", done.stdout)
        self.wattfill("validate", "small.yaml", "--strict", code=1, env=environment)

    def test_wrong_input_is_2_and_writes_nothing(self):
        self.write("typo.yaml", scenario().replace("objective:", "objectiv:"))
        done = self.wattfill("run", "typo.yaml", code=2)
        self.assertRegex(done.stderr, r"^typo\.yaml:\d+:\d+: objectiv: .*did you mean.*objective")
        self.assertEqual(done.stdout, "")
        done = self.wattfill("run", "nowhere.yaml", code=2)
        self.assertIn("nowhere.yaml", done.stderr)
        self.wattfill("run", code=2)
        self.wattfill("run", "typo.yaml", "typo.yaml", code=2)
        self.write("formula.yaml", scenario(policies="[proportional, {name: expression, label: mine, curtail: p_max +}]"))
        self.wattfill("run", "formula.yaml", "--out", "a/b", code=2)
        self.assertEqual(self.listing("."), ["formula.yaml", "typo.yaml"])

    def test_what_a_run_would_refuse_validation_refuses_or_notes(self):
        self.wattfill("init", "timeline", "t.yaml")
        done = self.wattfill("validate", "t.yaml", "--set", "racks={gpus: 32}", "--set", "policies=[proportional, {name: pause-greedy}]", code=2)
        self.assertIn("policies.pause-greedy: it does not know of racks", done.stderr)
        self.write("small.yaml", scenario())
        done = self.wattfill("validate", "small.yaml", "--set", "stop={score: speed_gpu, half_width: 0.5}")
        self.assertIn("no more than least: 1024, so that it never stops before its end", done.stdout)

    def test_an_unknown_command_or_option_is_2_and_named(self):
        self.write("small.yaml", scenario())
        for words, named in ((("rum", "small.yaml"), "rum"), (("run", "small.yaml", "--thread", "2"), "--thread"), (("policies", "--out", "x"), "--out"),
                             (("run", "small.yaml", "--threads", "two"), "--threads"), (("run", "small.yaml", "--threads", "0"), "--threads"),
                             (("run", "small.yaml", "--seed", "-1"), "--seed"), (("run", "small.yaml", "--rows", "some"), "--rows"),
                             (("run", "small.yaml", "--replication", "x"), "--replication"), (("run", "small.yaml", "--replication", "6"), "--replication"),
                             (("run", "small.yaml", "--set", "jobs"), "jobs"), (("run", "small.yaml", "--out"), "--out")):
            done = self.wattfill(*words, code=2)
            self.assertIn(named, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(self.listing("."), ["small.yaml"])

    def test_no_command_is_2_and_shows_the_usage(self):
        self.assertIn("usage: wattfill", self.wattfill(code=2).stderr)

    def test_a_folder_that_cannot_be_made_is_3(self):
        self.write("small.yaml", scenario())
        self.write("file", "")
        for out in ("/proc/wattfill", "file/below"):
            done = self.wattfill("run", "small.yaml", "--out", out, code=3)
            self.assertIn(out, done.stderr)

    def test_a_file_in_the_folders_place_is_2(self):
        self.write("small.yaml", scenario())
        self.write("file", "kept")
        self.assertIn("name a folder", self.wattfill("run", "small.yaml", "--out", "file", code=2).stderr)
        self.wattfill("run", "small.yaml", "--out", "", code=2)
        self.assertEqual((self.folder / "file").read_text(), "kept")

    def test_a_read_only_folder_is_3(self):
        self.write("small.yaml", scenario())
        (self.folder / "out").mkdir(mode=0o555)
        options = {}
        if os.geteuid() == 0:  # root may write anywhere: be nobody, with a copy of the program that nobody may read
            copy = self.folder / "program"
            shutil.copy(PROGRAM, copy)
            copy.chmod(0o755)
            self.folder.chmod(0o755)
            curves = self.folder / "curves"
            shutil.copytree(program.SOURCE / "curves", curves)
            options = {"executable": str(copy), "user": 65534, "env": {"WATTFILL_CURVES": str(curves)}}
        done = self.wattfill("run", "small.yaml", "--out", "out", code=3, **options)
        self.assertRegex(done.stderr, r"out/\S+: could not be created: Permission denied")
        self.assertEqual(self.listing(), [])

    def test_a_full_disk_is_3_and_leaves_the_old_results(self):
        before = self.results()
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        done = self.wattfill("run", "small.yaml", "--set", "mixes.drawn.replications=5000", "--out", "out", code=3, preexec_fn=small_files)
        self.assertRegex(done.stderr, r"out/\S+: could not be written")
        self.assertEqual([name for name in self.listing() if name not in KEPT], sorted([*before, "manifest.json"]))
        self.assertEqual({name: (self.folder / "out" / name).read_bytes() for name in before}, before)

    def test_standard_output_on_a_full_disk_is_3(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.wattfill("policies", code=3, stdout=full)
        self.assertIn("standard output", done.stderr)

    def test_interrupted_is_130_with_nothing_half_written(self):
        before = self.results()
        for number in (signal.SIGINT, signal.SIGTERM):
            for name in KEPT:
                (self.folder / "out" / name).unlink(missing_ok=True)
            with subprocess.Popen([PROGRAM, "run", "small.yaml", "--set", "mixes.drawn.replications=3000000", "--out", "out"], cwd=self.folder,
                                  env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
                started = time.monotonic()
                while not any(file.name == "pieces.csv" and file.stat().st_size > 0 for file in (self.folder / "out").iterdir()):
                    self.assertIsNone(running.poll())
                    self.assertLess(time.monotonic() - started, 60)
                    time.sleep(0.02)
                running.send_signal(number)
                output, message = running.communicate(timeout=60)
            self.assertEqual(running.returncode, 130, message)
            self.assertIn("interrupted", message)
            self.assertEqual(output, "")
            self.assertEqual({name: (self.folder / "out" / name).read_bytes() for name in self.listing() if name not in ("manifest.json", *KEPT)}, before)


if __name__ == "__main__":
    program.main()
