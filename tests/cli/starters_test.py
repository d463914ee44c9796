"""What a new user meets first: starters, completion, manual page, hints."""
import re
import shutil
import subprocess

import program
from program import COMMANDS, SOURCE, ProgramTest


class Starters(ProgramTest):
    def test_each_starter_validates_and_runs(self):
        for kind, command in (("snapshot", "run"), ("timeline", "run"), ("pipeline", "pipeline")):
            said = self.wattfill("init", kind).stdout
            self.assertIn(f"next: wattfill {command} {kind}.yaml", said)
            self.assertRegex((self.folder / f"{kind}.yaml").read_text(encoding="utf-8"), r"\A# yaml-language-server: \$schema=\w+\.schema\.json\n")
            self.wattfill("validate", f"{kind}.yaml")
            self.wattfill(command, f"{kind}.yaml", "--quiet")
            self.assertIn("manifest.json", self.listing(f"out/{kind}"))

    def test_a_starter_overwrites_nothing(self):
        self.write("mine.yaml", "kept")
        self.assertIn("mine.yaml: this file is there already", self.wattfill("init", "snapshot", "mine.yaml", code=2).stderr)
        self.assertEqual((self.folder / "mine.yaml").read_text(encoding="utf-8"), "kept")
        self.write("profile.csv", "kept")
        self.assertIn("profile.csv: this file is there already", self.wattfill("init", "pipeline", code=2).stderr)
        self.assertNotIn("pipeline.yaml", self.listing("."))

    def test_an_unknown_starter_is_2_with_those_there_are(self):
        self.assertIn('there is no starter "snapshort"; did you mean "snapshot"?', self.wattfill("init", "snapshort", code=2).stderr)


class Completion(ProgramTest):
    def complete(self, line):
        """What bash would offer after this line."""
        self.write("completion.bash", self.wattfill("completion", "bash").stdout)
        words = line.split(" ")
        script = f"source completion.bash; COMP_WORDS=({' '.join(repr(w) for w in words)}); COMP_CWORD={len(words) - 1}; _wattfill; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, text=True, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_options_values_formats_and_files(self):
        self.write("study.yaml", "")
        self.assertEqual(self.complete("wattfill re"), ["regress", "report"])
        self.assertEqual(set(COMMANDS) - set(self.complete("wattfill ")), set())
        self.assertIn("--threads", self.complete("wattfill run --th"))
        self.assertEqual(self.complete("wattfill run --rows "), ["all", "summary"])
        self.assertEqual(self.complete("wattfill run stu"), ["study.yaml"])
        self.assertEqual(self.complete("wattfill import ze"), ["zeus"])
        self.assertEqual(self.complete("wattfill schema con"), ["contract"])
        self.assertEqual(self.complete("wattfill init time"), ["timeline"])

    def test_scripts_name_every_command_and_option_and_their_shells_read_them(self):
        for shell in ("bash", "zsh", "fish"):
            text = self.wattfill("completion", shell).stdout
            for command in COMMANDS:
                self.assertIn(command, text)
                for option in re.findall(r"^  (?:-\w \[ )?--([a-z-]+)", self.wattfill(command, "--help").stdout, re.M):
                    self.assertIn(option, text, f"{shell}: {command}")
            if shutil.which(shell) is None:
                print(f"SKIPPED: {shell} is not there to read its script")
                continue
            file = self.write(f"script.{shell}", text)
            done = subprocess.run([shell, "--no-execute" if shell == "fish" else "-n", file], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    def test_the_manual_page_is_clean_and_names_everything(self):
        text = self.wattfill("completion", "man").stdout
        for command in COMMANDS:
            self.assertIn(f'.SS "wattfill {command}', text)
        if shutil.which("man") is None and shutil.which("groff") is None:
            self.skipTest("neither man nor groff is there to read the page (apt install groff-base)")
        file = self.write("wattfill.1", text)
        tool = ["groff", "-man", "-Tutf8", "-ww"] if shutil.which("groff") else ["man", "--warnings", "-E", "UTF-8", "-l"]
        done = subprocess.run([*tool, file], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("EXIT STATUS", re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout))

    def test_an_unknown_shell_is_2(self):
        self.assertIn('there is no completion for "tcsh"', self.wattfill("completion", "tcsh", code=2).stderr)


class Hints(ProgramTest):
    def test_every_import_format_has_its_own_help(self):
        general = self.wattfill("import", "--help").stdout
        formats = re.findall(r"^  ([a-z][a-z-]+) \S+.*: ", general, re.M)
        self.assertEqual(set(formats), {"cap-sweep", "dcgm", "emerald", "perseus", "reconstruct", "telemetry", "zeus"})
        for name in formats:
            text = self.wattfill("import", name, "--help").stdout
            self.assertIn(f"usage: wattfill import {name} ", text)
            self.assertIn(f"example: wattfill import {name} ", text)
            self.assertIn("--out", text)
        self.assertNotIn("--every-run", self.wattfill("import", "cap-sweep", "--help").stdout)
        self.assertIn("--every-run", self.wattfill("import", "zeus", "--help").stdout)
        self.assertNotIn("--column", self.wattfill("import", "zeus", "--help").stdout)

    def test_validate_takes_every_kind_of_file(self):
        def said(name):
            return self.wattfill("validate", SOURCE / name).stdout.split(": ", 1)[1].rstrip("\n").split("\n")[0]

        self.assertEqual(said("scenarios/campaign.yaml"), "valid campaign: 8 campaigns")
        self.assertEqual(said("scenarios/contracts/aps_2025-05-01.yaml"), "valid contract: 1 event to settle")
        self.assertEqual(said("scenarios/pipeline_gpt3_a100.yaml"), "valid pipeline: 8 stages, 12 microbatches")
        self.assertEqual(said("scenarios/pipeline_kareus.yaml").split(":")[0], "valid pipeline")
        self.assertEqual(said("curves/emerald-a100.yaml"), "valid curve library: 6 curves")
        self.assertRegex(said("tests/cli/baselines/paper.yaml"), r"valid baseline: \d+ rows of \d+ metrics")
        self.write("bad.yaml", "wattfill: 1\nname: b\nkind: contract\nevents: [{start: 5}]\n")
        self.assertRegex(self.wattfill("validate", "bad.yaml", code=2).stderr, r"bad\.yaml:4:\d+: events\.0\.start: ")

    def test_a_file_of_another_kind_is_sent_to_its_command(self):
        contract = SOURCE / "scenarios/contracts/aps_2025-05-01.yaml"
        self.assertEqual(self.wattfill("run", contract, code=2).stderr,
                         f"{contract}:8:7: kind: a contract is settled on what a meter saw; use: wattfill contract METER.csv {contract}\n")
        campaign, pipeline, study = (SOURCE / f"scenarios/{name}.yaml" for name in ("campaign", "pipeline_gpt3_a100", "smoke"))
        self.assertIn(f"use: wattfill run {campaign}", self.wattfill("pipeline", campaign, code=2).stderr)
        self.assertIn(f"use: wattfill run {study}", self.wattfill("pipeline", study, code=2).stderr)
        self.assertIn(f"use: wattfill pipeline {pipeline}", self.wattfill("run", pipeline, code=2).stderr)
        self.assertIn("a curve library is used by a study", self.wattfill("run", SOURCE / "curves/emerald-a100.yaml", code=2).stderr)

    def test_swapped_operands_of_contract_are_said_and_no_file_is_echoed(self):
        self.write("meter.csv", "time_s,meter_w\n" + "".join(f"{60 * i},{i}\n" for i in range(500)))
        self.write("contract.yaml", "wattfill: 1\n")
        self.assertEqual(self.wattfill("contract", "contract.yaml", "meter.csv", code=2).stderr,
                         "the meter comes first, the contract second; use: wattfill contract meter.csv contract.yaml\n")
        said = self.wattfill("contract", "contract.yaml", "contract.yaml", code=2).stderr
        self.assertLess(len(said), 3000)
        said = self.wattfill("contract", "meter.csv", "meter.csv", code=2).stderr
        self.assertLess(len(said), 300)
        self.assertIn('"time_s,meter_w', said)

    def test_slips_of_the_pen_are_met_with_a_suggestion(self):
        self.assertIn('there is no command "regres"; did you mean "regress"?', self.wattfill("regres", code=2).stderr)
        self.assertIn('there is no schema "timeline"; "scenario" holds snapshots and timelines', self.wattfill("schema", "timeline", code=2).stderr)


if __name__ == "__main__":
    program.main()
