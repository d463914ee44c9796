"""What the program says of itself."""
import program
from program import COMMANDS, ProgramTest


class Help(ProgramTest):
    def test_every_command_is_listed(self):
        text = self.wattfill("--help").stdout
        for command in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {command} +\S")

    def test_every_help_has_usage_options_and_an_example(self):
        listed = [line.split()[0] for line in self.wattfill("--help").stdout.splitlines() if line.startswith("  ")]
        self.assertEqual(set(listed) & set(COMMANDS), set(COMMANDS))
        for command in listed:
            text = self.wattfill(command, "--help").stdout
            self.assertIn(f"usage: wattfill {command}", text)
            self.assertRegex(text, rf"example: wattfill {command}\b")
            self.assertIn("--help", text)

    def test_help_wins_over_missing_operands(self):
        self.assertIn("usage", self.wattfill("run", "-h").stdout)

    def test_the_version_is_one_line_with_the_revision(self):
        self.assertRegex(self.wattfill("--version").stdout, r"^wattfill \d+\.\d+\.\d+ \(\S+\)\n$")

    def test_every_policy_of_the_list_runs_or_says_what_it_lacks(self):
        names = [line.split()[0] for line in self.wattfill("policies").stdout.splitlines()]
        self.assertIn("oracle", names)
        for name in names:
            self.write("one.yaml", program.scenario(policies=f"[proportional, {name}]" if name != "proportional" else "[proportional]"))
            done = self.wattfill("validate", "one.yaml", code=None)
            self.assertIn(done.returncode, (0, 2), name)
            if done.returncode == 2:
                self.assertRegex(done.stderr, r"one\.yaml:\d+:\d+: ")

    def test_the_shipped_curves_are_listed_one_line_each(self):
        lines = self.wattfill("curves").stdout.splitlines()
        shipped = sorted(file.stem for file in (program.SOURCE / "curves").glob("*.yaml"))
        self.assertEqual([line.split()[0] for line in lines], shipped)
        for name in shipped:
            self.assertIn("PFI", self.wattfill("curves", name).stdout)

    def test_a_misspelt_library_is_2_with_a_suggestion(self):
        self.assertRegex(self.wattfill("curves", "emerald-a10", code=2).stderr, "did you mean.*emerald-a100")


if __name__ == "__main__":
    program.main()
