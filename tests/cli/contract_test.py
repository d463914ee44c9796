"""Settling a contract on a meter's file."""
import csv
import unittest

import program
from program import ProgramTest

CONTRACT = """wattfill: 1
name: small
kind: contract
zone: {offset_h: -7}
baseline: {rule: measured-before, window_s: 1800}
committed_w: 1e6
interval_s: 900
performance_usd_per_mwh: 400
penalty_usd_per_mwh: 1000
events:
  - {start: 2025-05-01T01:00:00-07:00, end: 2025-05-01T01:30:00-07:00}
meter: {start: 2025-05-01T00:00:00-07:00}
"""
METER = "time_s,meter_w\n" + "".join(f"{t},{9e6 if 3600 <= t < 4500 else 9.6e6 if 4500 <= t < 5400 else 10e6}\n" for t in range(0, 7200, 300))


class Contract(ProgramTest):
    def test_a_contract_is_settled_into_two_files(self):
        self.write("c.yaml", CONTRACT)
        self.write("m.csv", METER)
        shown = self.wattfill("contract", "m.csv", "c.yaml").stdout
        self.assertIn("delivered 70.00 % of what was owed; availability 0.00, performance 140.00, penalties 150.00, total -10.00 USD", shown)
        self.assertEqual(self.listing("out/small"), ["settled_events.csv", "settlement.csv"])
        rows = list(csv.DictReader((self.folder / "out/small/settlement.csv").read_text().splitlines()))
        self.assertEqual([row["delivered_w"] for row in rows], ["1e+06", "4e+05"])
        self.assertEqual([row["status"] for row in rows], ["delivered", "short"])
        quiet = self.wattfill("contract", "m.csv", "c.yaml", "--out", "other", "--quiet", "--set", "baseline.rule=caiso-10-of-10")
        self.assertEqual(quiet.stdout, "")
        self.assertIn("only 0 similar days of at least 5", (self.folder / "other/settled_events.csv").read_text())

    def test_mistakes_are_2_and_inputs_are_never_overwritten(self):
        self.write("c.yaml", CONTRACT.replace("committed_w", "comitted_w"))
        self.write("m.csv", METER)
        self.assertRegex(self.wattfill("contract", "m.csv", "c.yaml", code=2).stderr, r'c\.yaml:6:1: comitted_w: .*did you mean "committed_w"')
        self.write("c.yaml", CONTRACT)
        self.wattfill("contract", "m.csv", code=2)
        self.wattfill("contract", "absent.csv", "c.yaml", code=2)
        self.write("settlement.csv", METER)
        self.assertIn("would be overwritten", self.wattfill("contract", "settlement.csv", "c.yaml", "--out", ".", code=2).stderr)
        self.assertEqual((self.folder / "settlement.csv").read_text(), METER)

    def test_the_aps_event_of_2025_is_settled_as_its_trace_shows(self):
        trace = program.SOURCE.parent / "shared/data/emerald-phoenix-2025/aps_2025-05-01_power.csv"
        if not trace.exists():
            raise unittest.SkipTest("../shared/data is not there")
        self.wattfill("contract", trace, program.SOURCE / "scenarios/contracts/aps_2025-05-01.yaml", "--out", "aps")
        event, = csv.DictReader((self.folder / "aps/settled_events.csv").read_text().splitlines())
        self.assertEqual(event["problem"], "")
        with open(trace, encoding="utf-8") as file:
            total = {row["timestamp"][11:16]: float(row["total_w"]) for row in csv.DictReader(file)}
        before = [w for t, w in total.items() if "16:30" <= t < "17:30"]
        during = [w for t, w in total.items() if "18:00" <= t < "21:00"]
        hours = 3 * (sum(before) / len(before) - sum(during) / len(during))
        self.assertAlmostEqual(float(event["delivered_wh"]), hours, delta=1e-6 * hours)


if __name__ == "__main__":
    program.main()
