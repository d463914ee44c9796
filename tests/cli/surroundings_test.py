"""The results do not depend on where, by whom and in which language the program is run."""
import os
import shutil
import subprocess

import program
from program import PROGRAM, ProgramTest, scenario


class Surroundings(ProgramTest):
    def test_the_locale_changes_nothing(self):
        self.write("small.yaml", scenario())
        plain = self.results(env={"LC_ALL": "C"}, out="plain")
        table = self.wattfill("run", "small.yaml", "--out", "plain", env={"LC_ALL": "C"}).stdout
        locales = self.folder / "locales"
        locales.mkdir()
        made = 0
        for name in ("de_DE", "tr_TR"):  # decimal commas; a Turkish i
            if shutil.which("localedef"):
                made += subprocess.run(["localedef", "-i", name, "-f", "UTF-8", locales / f"{name}.UTF-8"], capture_output=True, check=False).returncode == 0
            environment = {"LC_ALL": f"{name}.UTF-8", "LANG": f"{name}.UTF-8", "LOCPATH": str(locales)}
            self.assertEqual(self.results(env=environment, out=name), plain)
            self.assertEqual(self.wattfill("run", "small.yaml", "--out", "plain", env=environment).stdout, table)
            self.assertEqual(self.wattfill("policies", env=environment).stdout, self.wattfill("policies").stdout)
        print(f"locales made for this test: {made} of 2 (where localedef has their sources)")

    def test_a_locale_that_is_not_installed_is_no_trouble(self):
        self.assertEqual(self.results(env={"LC_ALL": "xx_YY.UTF-8"}, out="unknown"), self.results())

    def test_no_home_and_an_empty_environment_are_no_trouble(self):
        plain = self.results()
        done = subprocess.run([PROGRAM, "run", "small.yaml", "--out", "empty", "--quiet", "--curves", program.SOURCE / "curves"], cwd=self.folder,
                              env={}, capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual({name: (self.folder / "empty" / name).read_bytes() for name in plain}, plain)

    def test_the_folder_it_is_called_from_changes_nothing(self):
        plain = self.results()
        done = subprocess.run([PROGRAM, "run", self.folder / "small.yaml", "--out", self.folder / "far", "--quiet"], cwd="/", env=self.environment,
                              capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({name: (self.folder / "far" / name).read_bytes() for name in plain}, plain)

    def test_a_reader_that_stops_early_is_no_trouble(self):
        plain = self.results()
        for restore in (True, False):  # SIGPIPE as a shell leaves it, and ignored as many programs do
            with subprocess.Popen([PROGRAM, "run", "small.yaml", "--out", "piped"], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, restore_signals=restore) as running:
                running.stdout.close()
                message = running.stderr.read()
            self.assertIn(running.returncode, (0, -13), message)
            self.assertEqual(message, b"")
            self.assertEqual({name: (self.folder / "piped" / name).read_bytes() for name in plain}, plain)
            self.assertTrue((self.folder / "piped/manifest.json").exists())
        first = subprocess.run(f"'{PROGRAM}' curves emerald-a100 | head -1", shell=True, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                               check=False)
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        self.assertEqual(first.stdout.count("\n"), 1)

    def test_closed_standard_streams_reach_no_result_file(self):
        plain = self.results()
        def close_all():
            for stream in (0, 1, 2):
                os.close(stream)
        for words, code in ((("--quiet",), 0), ((), 3)):  # the second has a table to print, and nowhere to
            done = subprocess.run([PROGRAM, "run", "small.yaml", "--out", "closed", *words], cwd=self.folder, env=self.environment, preexec_fn=close_all,
                                  timeout=240, check=False)
            self.assertEqual(done.returncode, code)
            self.assertEqual({name: (self.folder / "closed" / name).read_bytes() for name in plain}, plain)


if __name__ == "__main__":
    program.main()
