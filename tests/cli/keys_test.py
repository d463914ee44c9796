"""Keys of scenarios: those that are needed are asked for, and a unit is part of the name."""
import re

import program
from program import ProgramTest

SNAPSHOT = {"wattfill": "1", "name": "t", "kind": "snapshot", "curves": "[emerald-a100]", "mixes": "{m: {explicit: [{curve: emerald-a100/infer_llama_8b}]}}",
            "policies": "[oracle]", "cuts": "[0.1]"}
TIMELINE = {"wattfill": "1", "name": "t", "kind": "timeline", "curves": "[emerald-a100]",
            "jobs": "{explicit: [{id: a, curve: emerald-a100/infer_llama_8b, work_s: 1}]}", "policies": "[oracle]"}
ENDINGS = {"W": "_w", "s": "_s", "h": ("_h", "hours"), "J": "_j", "K": "_k", "deg C": "_c", "MHz": "_mhz", "1/h": "_per_h", "1/K": "_per_kelvin", "FLOP": "flop_per_unit", "GB": "gb_per_gpu", "GB/s": "_gb_per_s", "W/s": "_w_per_s",
           "USD": ("_usd_per_mwh", "_usd_per_mw_h")}


class Keys(ProgramTest):
    def refusal(self, keys):
        self.write("t.yaml", "".join(f"{key}: {value}\n" for key, value in keys.items()))
        done = self.wattfill("validate", "t.yaml", code=None)
        return done.returncode, done.stderr

    def test_every_required_key_is_asked_for_when_it_is_missing(self):
        for whole in (SNAPSHOT, TIMELINE):
            self.assertEqual(self.refusal(whole)[0], 0)
            for key in whole:
                code, message = self.refusal({k: v for k, v in whole.items() if k != key})
                self.assertEqual(code, 2)
                if key != "cuts":  # cuts or limits_w
                    self.assertRegex(message, rf"t\.yaml:1:1: {key}: this key is missing \(.*\); add it, for example {key}: ")
        for key in ("id", "work_s"):  # curve or phases
            jobs = re.sub(rf"{key}: [^,}}]*(, )?", "", TIMELINE["jobs"])
            code, message = self.refusal({**TIMELINE, "jobs": jobs})
            self.assertEqual(code, 2)
            self.assertIn(f"jobs.explicit.0.{key}: this key is missing", message)

    def test_a_key_whose_value_has_a_unit_says_so_in_its_name(self):
        checked = 0
        for line in (program.SOURCE / "scenarios/README.md").read_text(encoding="utf-8").splitlines():  # held to the tables of keys by a test of its own
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
            if len(cells) != 9 or not cells[1].startswith("`") or not cells[4]:
                continue
            self.assertIn(cells[4], ENDINGS, line)
            self.assertTrue(cells[1].strip("`").endswith(ENDINGS[cells[4]]), line)
            checked += 1
        self.assertGreater(checked, 50)


if __name__ == "__main__":
    program.main()
