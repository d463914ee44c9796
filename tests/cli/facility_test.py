"""Studies with a facility."""
import csv
import program
from program import BY_HAND, ProgramTest, scenario

FACILITY = "facility: {node: a100, outdoor_c: 30}\nlimit: {at: meter}\n"


class FacilityStudy(ProgramTest):
    def test_a_limit_at_the_meter_is_kept_there_and_the_ledger_adds_up(self):
        results = self.results(scenario(mixes=BY_HAND, cuts="[0.1, 0.2]", more=FACILITY))
        for row in self.rows(results):
            self.assertLessEqual(float(row["meter_w"]), float(row["target_w"]) * (1 + 1e-12))
            self.assertLess(float(row["power_w"]), float(row["it_w"]))
            self.assertLess(float(row["it_w"]), float(row["meter_w"]))
        parts = [name for name in self.rows(results, "facility.csv")[0] if name.endswith("_w") and name not in ("it_w", "meter_w", "meter_per_gpu_w")]
        self.assertEqual(len(parts), 11)
        for row in self.rows(results, "facility.csv"):
            self.assertAlmostEqual(sum(float(row[part]) for part in parts) / float(row["meter_w"]), 1, delta=1e-12)
            self.assertAlmostEqual(float(row["meter_w"]) / float(row["it_w"]), float(row["pue"]), delta=1e-12)
        by_hand = next(row for row in self.rows(results) if row["mix"] == "by-hand" and row["policy"] == "oracle")
        ledger = next(row for row in self.rows(results, "facility.csv") if row["policy"] == "oracle")
        self.assertAlmostEqual(float(by_hand["meter_w"]) / float(ledger["meter_w"]), 1, delta=1e-9)
        self.assertEqual(results, self.results(scenario(mixes=BY_HAND, cuts="[0.1, 0.2]", more=FACILITY), "--threads", "3", out="again"))

    def test_without_a_facility_there_are_no_columns_of_the_meter(self):
        results = self.results(scenario())
        self.assertNotIn("meter_w", self.rows(results)[0])
        self.assertNotIn("meter_w", self.rows(results, "summary.csv")[0])

    def test_components_are_switched_off_by_name_and_mistakes_are_2(self):
        off = self.results(scenario(mixes=BY_HAND, more="facility: {node: h200, off: [ups, chiller], fixed_w: 0}\n"))
        for row in self.rows(off, "facility.csv"):
            self.assertEqual([row["ups_w"], row["chiller_w"], row["fixed_w"]], ["0", "0", "0"])
            self.assertGreater(float(row["fans_w"]), 0)
        for more, message in (
            ("limit: {at: meter}\n", "limit.at: a limit there needs a facility (nothing says what stands between it and the GPUs); add facility: {node: h200}"),
            ("facility: {node: h200, outdoor_c: 300}\n", "facility.outdoor_c: 300 is out of range (-90 to 70 is possible); choose a value in the range"),
            ("facility: {node: h300}\n", "facility.node: "),
            ("facility: {outdoor_c: 30}\n", "facility.node: this key is missing"),
            ("facility: {node: h200, off: [gpu]}\n", "facility.off.0: "),
            ("facility: {node: h200, fan_rated_w: 3}\n", 'did you mean "fans_rated_w"'),
        ):
            self.write("wrong.yaml", scenario(more=more))
            self.assertIn(message, self.wattfill("run", "wrong.yaml", code=2).stderr)

    def test_sweeps_reach_the_place_of_the_limit_and_the_facility(self):
        results = self.results(scenario(more=FACILITY + "sweep: {limit.at: [gpu, it, meter], facility.outdoor_c: [0, 30]}\n"))
        self.assertEqual({(row["limit.at"], row["facility.outdoor_c"]) for row in self.rows(results, "summary.csv")},
                         {(at, c) for at in ("gpu", "it", "meter") for c in ("0", "30")})

    def test_what_can_be_promised_is_written_and_refused_where_mixes_are_too_few(self):
        text = scenario(replications=80, cuts="{from: 0, to: 0.4, step: 0.05}", more=FACILITY + "capacity: {speed_loss: [0.1], confidence: [0.9, 0.99]}\n")
        results = self.results(text, "--rows", "summary")
        rows = self.rows(results, "capacity.csv")
        self.assertEqual([(row["policy"], row["confidence"]) for row in rows], [(policy, c) for policy in ("proportional", "oracle", "equal-split") for c in ("0.9", "0.99")])
        for row in rows:
            self.assertEqual(row["mixes"], "80")
            if row["confidence"] == "0.9":
                self.assertLessEqual(float(row["promised_w_low"]), float(row["promised_w"]))
                self.assertLessEqual(float(row["promised_w"]), float(row["promised_w_high"]))
                self.assertAlmostEqual(float(row["promised_w"]) / float(row["mean_uncapped_w"]), float(row["promised_share"]), delta=1e-12)
            else:
                self.assertEqual((row["promised_w"], row["mixes_needed"]), ("", "368"))
        self.assertEqual(results["capacity.csv"], self.results(text, "--threads", "3", out="again")["capacity.csv"])

    def test_racks_hold_their_jobs_and_threads_change_nothing(self):
        text = scenario(jobs=20, more="limit: {rack_w: 12000, rack_gpus: 48, rack_loss: 0.03}\n", policies="[proportional, oracle, quadratic]")
        results = self.results(text)
        self.assertEqual(results, self.results(text, "--threads", "3", out="again"))
        for row in self.rows(results):
            self.assertLessEqual(float(row["power_w"]), float(row["target_w"]) * (1 + 1e-9) + float(row["shortfall_w"]))
        free = self.rows(self.results(scenario(jobs=20, policies="[proportional, oracle, quadratic]"), out="free"))
        slower = sum(float(a["speed_gpu"]) < float(b["speed_gpu"]) - 1e-6 for a, b in zip(self.rows(results), free))
        self.assertGreater(slower, 0)
        self.assertFalse(any(float(a["speed_gpu"]) > float(b["speed_gpu"]) + 1e-9 for a, b in zip(self.rows(results), free) if a["policy"] == "oracle"))

    def test_racks_pdus_and_the_meter_are_kept_at_once(self):
        more = "facility: {node: a100}\nlimit: {at: meter, rack_w: 16000, rack_gpus: 64, rack_loss: 0.02, pdu_w: 22000, pdu_racks: 2}\n"
        results = self.results(scenario(mixes=BY_HAND, cuts="[0.05, 0.3]", jobs=12, more=more))
        for row in self.rows(results):
            self.assertEqual(float(row["shortfall_w"]), 0)
            self.assertLessEqual(float(row["meter_w"]), float(row["target_w"]) * (1 + 1e-12))
        fed = {}  # two jobs of 48 GPUs, a rack each, one PDU
        for row in self.rows(results, "allocation.csv"):
            key = (row["policy"], row["cut"])
            fed[key] = fed.get(key, 0) + float(row["jobs"]) * 48 * float(row["draw_w"]) * 1.02
        self.assertEqual(len(fed), 6)
        for watts in fed.values():
            self.assertLessEqual(watts, 22000 * (1 + 1e-9))
        self.assertAlmostEqual(fed["proportional", "0.05"], 22000, delta=1e-6)  # the PDU is what binds there
        self.assertEqual(results, self.results(scenario(mixes=BY_HAND, cuts="[0.05, 0.3]", jobs=12, more=more), "--threads", "3", out="again"))

    def test_wrong_beliefs_keep_the_limits_of_meter_and_racks_and_threads_change_nothing(self):
        rules = "[proportional, oracle, pfi-aware, {name: curve-aware, knows: shrunk}, {name: quadratic, knows: safe}]"
        for more, column in ((FACILITY, "meter_w"), ("limit: {rack_w: 12000, rack_gpus: 48}\n", "power_w")):
            text = scenario(jobs=20, policies=rules, more="pfi: {source: noisy, rmse: 0.4, epsilon: 0.05}\nmin_speed: 0.7\n" + more)
            results = self.results(text, out="once-" + column)
            self.assertEqual(results, self.results(text, "--threads", "3", out="again-" + column))
            for row in self.rows(results):
                self.assertLessEqual(float(row[column]), (float(row["target_w"]) + float(row["shortfall_w"])) * (1 + 1e-9))
                self.assertEqual(float(row["rank_errors"]) > 0, row["policy"] != "oracle")


if __name__ == "__main__":
    program.main()
