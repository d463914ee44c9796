"""The page "from your measurements to a policy decision", followed to the letter."""
import re
import shutil
import subprocess

import program
from program import SOURCE, ProgramTest

PAGE = SOURCE / "scenarios/own_gpu/README.md"


class OwnGpu(ProgramTest):
    def test_every_command_of_the_page_works_as_it_stands(self):
        shutil.copytree(SOURCE / "scenarios/own_gpu", self.folder / "mine")
        text = PAGE.read_text(encoding="utf-8").replace("\\\n", " ")
        commands = [line.split("#")[0].strip() for block in re.findall(r"```\n(.*?)```", text, re.S) for line in block.splitlines() if line.startswith("wattfill ")]
        self.assertEqual([command.split()[1] for command in commands], ["import", "curves", "pfi", "validate", "run", "report"])
        for command in commands:
            if command.startswith("wattfill report"):
                command += " --format svg"  # the page's script is not part of every build
            command += " --set mixes.ours.replications=20" if command.startswith("wattfill run") else ""
            done = subprocess.run(["bash", "-c", command.replace("wattfill ", '"$WATTFILL" ', 1)], cwd=self.folder / "mine", env={**self.environment, "WATTFILL": program.PROGRAM, "WATTFILL_CURVES": ""},
                                  capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, command + done.stdout + done.stderr)
            if "run" in command.split()[1]:
                self.assertIn("the oracle gains", done.stdout)

    def test_the_shell_loop_is_sound_and_writes_the_columns_that_the_page_imports(self):
        script = SOURCE / "scenarios/own_gpu/sweep.sh"
        tools = self.folder / "tools"
        tools.mkdir()
        for name, body in (("nvidia-smi", 'case "$*" in\n*query-gpu=index*) printf "0\\n1\\n" ;;\n*power.draw*) printf "300.5\\n299.5\\n" ;;\n*default_limit*) echo 400.00 ;;\nesac\n'),
                           ("sleep", ""), ("throughput.sh", "echo 12.5\n")):
            (tools / name).write_text("#!/bin/sh\n" + body, encoding="utf-8")
            (tools / name).chmod(0o755)
        shutil.copy(tools / "throughput.sh", self.folder / "throughput.sh")
        done = subprocess.run(["bash", script, "bert", "fine-tuning", "BERT"], cwd=self.folder, env={**self.environment, "PATH": f"{tools}:{self.environment['PATH']}", "CAPS": "400 300"}, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        header = (SOURCE / "scenarios/own_gpu/sweep.csv").read_text(encoding="utf-8").splitlines()[0]
        self.assertEqual(done.stdout, f"{header}\nbert,fine-tuning,BERT,2,400,300.0,12.5\nbert,fine-tuning,BERT,2,300,300.0,12.5\n")


if __name__ == "__main__":
    program.main()
