#include "wattfill/report/figure_svg.hpp"

#include <limits>

#include "support/catch.hpp"

using namespace wattfill;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

PageTable summary() {
  return {"summary",
          {"mix", "policy", "cut", "mixes.m.jobs", "speed_gpu", "speed_gpu_low", "speed_gpu_high"},
          {true, true, false, false, false, false, false},
          {{"a/b", "oracle", "0.1", "5", "0.9", "0.8", "1"},
           {"a/b", "oracle", "0.2", "5", "0.7", "0.6", "0.8"},
           {"a/b", "<p>", "0.1", "5", "0.8", "", ""},
           {"a?b", "oracle", "0.1", "5", "0.5", "0.5", "0.5"}}};
}

}  // namespace

TEST_CASE("Points stand where the axes say; bands go there and back; a gap breaks the line") {
  Figure const figure{"f", "t", "x", "y", {{"s", {0, 1, 2, 3}, {0, 6, none, 3}, {0, 5, none, 2}, {1, 6, none, 4}}}};
  auto const svg = figure_svg(figure);
  // x: 0..3 on 70..580, y: 0..6 on 350..34.
  CHECK_THAT(svg, Catch::Contains("<path d=\"M70.00,350.00L240.00,34.00M580.00,192.00\""));
  CHECK_THAT(svg, Catch::Contains("<polygon points=\"70.00,297.33 240.00,34.00 580.00,139.33 580.00,244.67 240.00,86.67 70.00,350.00\""));
  for (auto const* tick : {">0<", ">2<", ">6<"}) CHECK_THAT(svg, Catch::Contains(tick));
}

TEST_CASE("Steps stay until the next x") {
  CHECK_THAT(figure_svg({"f", "t", "x", "y", {{"s", {0, 1}, {0, 6}, {}, {}, true}}}), Catch::Contains("d=\"M70.00,350.00H580.00V34.00\""));
}

TEST_CASE("One value, and none, make a figure, too; names are no markup") {
  CHECK_THAT(figure_svg({"f", "t", "x", "y", {{"s", {1}, {5}, {}, {}}}}), Catch::Contains("M325.00,192.00"));
  auto const svg = figure_svg({"f", "<script>", "x", "y", {{"<b>", {1}, {none}, {}, {}}}});
  CHECK_THAT(svg, Catch::Contains("no data") && Catch::Contains("&lt;script&gt;"));
  CHECK_THAT(svg, !Catch::Contains("<script>"));
}

TEST_CASE("A snapshot study has a figure for each mix and sweep point, with file names that no mix can leave the folder by") {
  ReportPage page;
  page.kind = "snapshot";
  page.sweep = {"mixes.m.jobs"};
  page.tables = {summary()};
  auto const figures = figures_of(page);
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].file == "speed_gpu-a_b__mixes.m.jobs___5");
  CHECK(figures[1].file == "speed_gpu-a_b__mixes.m.jobs___5-2");
  REQUIRE(figures[0].series.size() == 2);
  CHECK(figures[0].series[0].x == std::vector<double>{0.1, 0.2});
  CHECK(figures[0].series[0].high == std::vector<double>{1, 0.8});
}

TEST_CASE("A timeline has a figure for each policy: hours and kilowatts") {
  ReportPage page;
  page.kind = "timeline";
  page.tables = {{"power",
                  {"policy", "replication", "time_s", "limit_w", "gpu_w"},
                  {true},
                  {{"p", "0", "0", "", "1000"}, {"p", "0", "3600", "500", "400"}, {"q", "0", "0", "", "1"}}}};
  auto const figures = figures_of(page);
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].series[0].x == std::vector<double>{0, 1});
  CHECK(figures[0].series[0].y == std::vector<double>{1, 0.4});
  CHECK(figures[0].series[1].dashed);
}
