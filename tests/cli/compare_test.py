"""Two libraries side by side."""
import json

import program
from pfi_test import library
from program import ProgramTest


class Compare(ProgramTest):
    def write_pfis(self, name, pfis):
        """Curves of two points with these PFIs: half the draw loses 0.5 / PFI of the speed."""
        points = [(job, *point) for job, pfi in pfis.items() for point in ((200, 200, 1 - 0.5 / pfi), (400, 400, 1))]
        yaml, table = library(points, tuple(pfis))
        self.write(f"{name}.yaml", yaml)
        self.write(f"{name}.csv", table)

    def compare(self, *words):
        return json.loads(self.wattfill("compare", *words, "--json").stdout)

    def test_the_six_published_h100_and_h200_pairs_have_spearman_0_943(self):
        jobs = ("mistral_pt", "llama_ft", "mistral_ft", "gpt_oss_pt", "deepseek_pt", "qwen_ft")
        self.write_pfis("h100", dict(zip(jobs, (1.26, 1.19, 1.33, 1.38, 1.51, 1.93))))
        self.write_pfis("h200", dict(zip((f"{job}_h200" for job in jobs), (1.18, 1.22, 1.31, 1.43, 1.67, 2.00))))
        self.write("map.csv", "a,b\n" + "".join(f"{job},{job}_h200\n" for job in jobs))
        result = self.compare("./h100", "./h200", "--map", "map.csv")
        self.assertEqual(result["n"], 6)
        self.assertAlmostEqual(result["spearman"]["r"], 0.943, delta=5e-4)
        self.assertAlmostEqual(result["spearman"]["p"], 12 / 720, delta=1e-6)
        self.assertAlmostEqual(result["kendall"]["r"], 13 / 15, delta=1e-12)
        self.assertTrue(result["spearman"]["exact"])
        for pair, difference in zip(result["pairs"], (-0.08, 0.03, -0.02, 0.05, 0.16, 0.07)):
            self.assertAlmostEqual(pair["difference"], difference, delta=1e-9)
        self.assertAlmostEqual(result["median_difference"], 0.04, delta=1e-9)
        self.assertIn("Spearman 0.943, p 0.017 (exact)", self.wattfill("compare", "./h100", "./h200", "--map", "map.csv").stdout)

    def test_the_grid_effect_is_a_library_compared_with_itself(self):
        self.write("map.csv", "a,b\n" + "".join(f"{line.split()[-1]},{line.split()[-1]}\n".replace('"', "") for line in
                                                 (program.SOURCE / "curves/h200-pfi-2026.yaml").read_text(encoding="utf-8").splitlines() if "name: " in line and "_8g" in line))
        result = self.compare("h200-pfi-2026", "h200-pfi-2026", "--grid-b", "200,500,600,700", "--map", "map.csv")
        self.assertEqual(result["n"], 16)
        self.assertAlmostEqual(result["median_relative"], 0.106, delta=0.005)
        self.assertAlmostEqual(result["spearman"]["r"], 0.928, delta=0.02)
        self.assertIn("the caps differ", result["warnings"][0])
        self.assertEqual(len(result["left_out"]), 18)

    def test_printed_figures_are_compared_without_curves(self):
        figures = program.SOURCE / "curves/published/pfi_h100_h200.csv"
        result = self.compare("--figures", figures, "h100", "h200")
        self.assertEqual(result["n"], 6)
        self.assertAlmostEqual(result["spearman"]["r"], 0.943, delta=5e-4)
        self.assertAlmostEqual(result["median_difference"], 0.04, delta=1e-9)
        self.assertEqual(result["pairs"][0]["a"], "h100/pt_mistral_24b")
        grids = self.compare("--figures", program.SOURCE / "curves/published/pfi_two_grids.csv", "six_caps", "four_caps")
        self.assertAlmostEqual(grids["median_relative"], 0.106, delta=5e-4)
        self.assertAlmostEqual(grids["spearman"]["r"], 0.928, delta=5e-4)
        self.assertIn("there is no column of this name", self.wattfill("compare", "--figures", figures, "h100", "b200", code=2).stderr)
        self.assertIn("--map is for curves", self.wattfill("compare", "--figures", figures, "h100", "h200", "--map", "x", code=2).stderr)
        self.write("one.csv", "job,a,b\nx,1,2\n")
        self.assertIn("needs two jobs or more", self.wattfill("compare", "--figures", "one.csv", "a", "b", code=2).stderr)

    def test_a_library_is_equal_to_itself_in_every_figure(self):
        for name in ("pfi", "loss_20", "area", "elasticity", "pooled"):
            result = self.compare("emerald-a100", "emerald-a100", "--figure", name)
            self.assertEqual(result["spearman"]["r"], 1)
            self.assertEqual(result["mean_absolute_difference"], 0)
            self.assertNotIn("left_out", result)

    def test_wrong_maps_figures_and_strangers_are_2(self):
        self.write("map.csv", "a,b\nft_llama_8b_doly,ft_llama_8b_p3\n")
        self.assertRegex(self.wattfill("compare", "emerald-a100", "emerald-a100", "--map", "map.csv", code=2).stderr, r'map\.csv:2:1: a: "ft_llama_8b_doly".*did you mean "ft_llama_8b_dolly"')
        self.write("short.csv", "a,b\nft_llama_8b_dolly,ft_llama_8b_p3\n")
        self.assertIn("two pairs", self.wattfill("compare", "emerald-a100", "emerald-a100", "--map", "short.csv", code=2).stderr)
        self.assertIn("--map FILE", self.wattfill("compare", "emerald-a100", "zeus-v100", code=2).stderr)
        self.assertIn("did you mean", self.wattfill("compare", "emerald-a100", "emerald-a100", "--figure", "loss_2", code=2).stderr)
        self.wattfill("compare", "emerald-a100", code=2)


if __name__ == "__main__":
    program.main()
