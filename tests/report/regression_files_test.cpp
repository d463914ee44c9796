#include "wattfill/report/regression_files.hpp"

#include <limits>

#include "support/catch.hpp"

using namespace wattfill;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
std::vector<Move> const found{{Move::Kind::changed, {"m", "<script>", "0.1"}, "speed", 2, 2.5, 0.00001},
                              {Move::Kind::changed, {"m", "oracle", ""}, "speed", 4, 3, none},
                              {Move::Kind::changed, {"m", "same", "0.1"}, "speed", 1, 1, 1},
                              {Move::Kind::missing, {"m", "gone", "0.1"}, "speed", 1, none, none},
                              {Move::Kind::added, {"m", "new", "0.1"}, "speed", none, 1, none}};

}  // namespace

TEST_CASE("The table says what moved, which way and how far") {
  CHECK(moves_table(found) ==
        "  row                 metric               moved  baseline  now  change         p\n"
        "  m / <script> / 0.1   speed                  up         2  2.5   +25 %  < 0.0001\n"
        "  m / oracle / -       speed                down         4    3   -25 %         -\n"
        "  m / same / 0.1       speed                bits         1    1     0 %    1.0000\n"
        "  m / gone / 0.1       speed  is no longer there         1    -       -         -\n"
        "  m / new / 0.1        speed              is new         -    1       -         -\n");
  CHECK(moves_table(found, 2).ends_with("  and 3 more\n"));
}

TEST_CASE("JUnit has a case for every record, failures for moves, and no markup from names") {
  std::vector<MetricRecord> baseline;
  for (auto const* policy : {"<script>", "oracle", "same", "gone", "still"})
    baseline.push_back({{"m", policy, policy == std::string("oracle") ? "" : "0.1"}, "speed", 1, 1, "", {}});
  auto const text = junit_xml("a & b", baseline, found);
  CHECK_THAT(text, Catch::Contains("<testsuite name=\"wattfill regress a &amp; b\" tests=\"6\" failures=\"5\" errors=\"0\" skipped=\"0\">"));
  CHECK_THAT(text, Catch::Contains("<testcase classname=\"a &amp; b.speed\" name=\"m / &lt;script&gt; / 0.1\"><failure type=\"moved\" message=\"speed up: "
                                   "baseline 2, now 2.5, +25 %\"/></testcase>\n"));
  CHECK_THAT(text, Catch::Contains("name=\"m / still / 0.1\"/>\n"));
  CHECK_THAT(text, !Catch::Contains("<script>"));
}
