#include "wattfill/report/quantiles_csv.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/mixes.hpp"

using namespace wattfill;
using namespace wattfill::testing;

TEST_CASE("quantiles.csv has a row per mix, policy, target and quantile, as many cells as its header, and says that they are exact") {
  Draws draws(21);
  auto const curves = random_curves(draws, 3);
  auto study = small_study(curves);
  study.policies = {policy("proportional")};
  study.cuts = {0.3};
  Quantiles quantiles(study);
  RunOptions options;
  options.rows = &quantiles;
  run_study(study, *make_thread_executor(1), options);
  std::vector<double> const shares{0.05, 0.5};
  auto const rows = quantiles_rows(study, quantiles, shares, {"7"}, true);
  CHECK(std::ranges::count(rows, '\n') == 2 * 2);
  CHECK(rows.starts_with("drawn,proportional,0.3,7,0.05,300,"));
  auto const cells = [](std::string const& line) { return std::ranges::count(line.substr(0, line.find('\n')), ','); };
  CHECK(cells(rows) == cells(quantiles_header({"seed"}, true)));
  CHECK(rows.substr(0, rows.find('\n')).ends_with(",,,0"));  // no meter; exact
}
