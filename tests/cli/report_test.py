"""`wattfill report`: the page's data and the figures; tests/report/browser_test.sh opens the page in Chromium."""
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree

import program
from program import SOURCE, ProgramTest


class Report(ProgramTest):
    def moved_program(self):
        """The program in an installation of its own, whose page script is ours."""
        place = self.folder / "prefix"
        (place / "bin").mkdir(parents=True)
        (place / "share/wattfill/report").mkdir(parents=True)
        shutil.copy(program.PROGRAM, place / "bin/wattfill")
        (place / "share/wattfill/report/report.js").write_text("/* the page's script */ '</script>';", encoding="utf-8")
        return place / "bin/wattfill"

    def page(self, folder):
        done = subprocess.run([self.moved_program() if not (self.folder / "prefix").exists() else self.folder / "prefix/bin/wattfill", "report", folder], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        text = (self.folder / folder / "report.html").read_text(encoding="utf-8")
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1)
        self.assertNotIn("<", data)
        return text, json.loads(data)

    def test_a_page_holds_the_study_its_spread_and_its_curves(self):
        self.results(program.scenario(replications=40))
        text, data = self.page("out")
        self.assertEqual(text.count("<script"), 2)
        self.assertIn("<\\/script>", text)
        self.assertEqual((data["study"]["name"], data["study"]["kind"], data["study"]["seed"], data["study"]["reference"]), ("small", "snapshot", "3", "proportional"))
        rows = [dict(zip(data["tables"]["summary"]["columns"], row)) for row in data["tables"]["summary"]["rows"]]
        self.assertEqual({(row["policy"], row["cut"]) for row in rows}, {(p, c) for p in ("proportional", "oracle", "equal-split") for c in (0.1, 0.3)})
        spread = [dict(zip(data["tables"]["distributions"]["columns"], row)) for row in data["tables"]["distributions"]["rows"]]
        own = sorted(float(row["speed_gpu"]) for row in self.rows({"replications.csv": (self.folder / "out/replications.csv").read_bytes()}) if row["policy"] == "oracle" and row["cut"] == "0.3")
        found = next(row for row in spread if row["policy"] == "oracle" and row["cut"] == 0.3 and row["metric"] == "speed_gpu")
        self.assertEqual(found["p50"], own[19])  # the smallest that half of 40 do not exceed
        self.assertEqual((found["p1"], found["p99"]), (own[0], own[39]))
        gain = next(row for row in spread if row["policy"] == "oracle" and row["cut"] == 0.3 and row["metric"] == "objective_value less that of proportional")
        self.assertGreaterEqual(gain["p1"], 0)
        self.assertEqual(len({row[1] for row in data["tables"]["curves"]["rows"]}), 6)
        self.assertEqual(data["libraries"][0]["provenance"], "measured")

    def test_a_timeline_has_power_events_and_jobs(self):
        self.wattfill("run", SOURCE / "scenarios/grid_event_3h.yaml", "--out", "event", "--quiet")
        data = self.page("event")[1]
        self.assertTrue({"summary", "power", "events", "jobs", "curves"} <= set(data["tables"]))
        self.assertEqual(len(data["tables"]["jobs"]["rows"]), 6 * 6)

    def test_a_settlement_has_its_tables(self):
        (self.folder / "contract").mkdir()
        self.write("contract/settlement.csv", "event,status,required_w,delivered_w\n0,delivered,5,6\n")
        self.assertEqual(self.page("contract")[1]["tables"]["settlement"]["rows"], [["0", "delivered", 5, 6]])

    def test_curves_that_changed_since_are_not_drawn_and_that_is_said(self):
        for end in ("yaml", "csv"):
            shutil.copy(SOURCE / f"curves/emerald-a100.{end}", self.folder / f"mine.{end}")
        self.results(program.scenario().replace("[emerald-a100]", "[./mine]").replace("emerald-a100/", "mine/"))
        (self.folder / "mine.csv").write_text((self.folder / "mine.csv").read_text(encoding="utf-8") + "\n", encoding="utf-8")
        data = self.page("out")[1]
        self.assertNotIn("curves", data["tables"])
        self.assertIn("The curves of mine are not drawn: its files are no longer where, or what, they were.", data["notes"])

    def test_without_the_bundle_it_says_what_is_missing(self):
        self.results()
        bare = self.folder / "bare/bin/wattfill"
        bare.parent.mkdir(parents=True)
        shutil.copy(program.PROGRAM, bare)
        done = subprocess.run([bare, "report", "out"], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode == 0:
            self.skipTest("a page script is installed on this machine")
        self.assertEqual(done.returncode, 2)
        self.assertIn("configure with -DWATTFILL_REPORT=ON where npm is", done.stderr)

    def test_figures_are_svg_that_any_reader_takes(self):
        self.results(program.scenario(replications=40))
        self.assertIn("wrote 3 figures to out/figures", self.wattfill("report", "out", "--format", "svg").stdout)
        for file in (self.folder / "out/figures").iterdir():
            self.assertEqual(xml.etree.ElementTree.parse(file).getroot().tag, "{http://www.w3.org/2000/svg}svg")
            self.assertIn("oracle", file.read_text(encoding="utf-8"))

    def test_figures_are_png_where_librsvg_is(self):
        self.results(program.scenario(replications=40))
        if shutil.which("rsvg-convert") is None:
            self.assertIn("png needs the program rsvg-convert", self.wattfill("report", "out", "--format", "png", code=2).stderr)
            self.skipTest("rsvg-convert is not there (apt install librsvg2-bin)")
        self.wattfill("report", "out", "--format", "png")
        for file in (self.folder / "out/figures").iterdir():
            self.assertTrue(file.read_bytes().startswith(b"\x89PNG"), file.name)

    def test_what_cannot_be_shown_is_2(self):
        self.assertIn("there is no manifest.json in this folder", self.wattfill("report", ".", "--format", "svg", code=2).stderr)
        self.results()
        self.assertIn('--format: "pdf" is not known', self.wattfill("report", "out", "--format", "pdf", code=2).stderr)
        (self.folder / "out/summary.csv").write_text("mix,policy,cut\n1,2\n", encoding="utf-8")
        self.assertIn("summary.csv:2:1: this row has 2 cells, the header 3", self.wattfill("report", "out", "--format", "svg", code=2).stderr)


if __name__ == "__main__":
    program.main()
