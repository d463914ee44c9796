#include "wattfill/report/netcdf.hpp"

#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/mixes.hpp"
#include "support/skip.hpp"
#include "wattfill/core/error.hpp"

#ifdef WATTFILL_NETCDF
#include <netcdf.h>
#endif

using namespace wattfill;
using namespace wattfill::testing;

namespace {

StudySpec study_of(std::deque<Curve> const& curves) {
  auto study = small_study(curves);
  study.mixes[0].replications = 70;
  study.policies = {policy("proportional"), policy("oracle")};
  return study;
}

}  // namespace

#ifdef WATTFILL_NETCDF

namespace {

/// Every row as it came.
class Rows final : public RowSink {
 public:
  explicit Rows(RowSink& next) : next_(next) {}
  void format(std::size_t mix, std::uint64_t first, std::uint64_t count, std::span<double const> scores, RowText& text) const override {
    for (std::uint64_t r = 0; r < count; ++r) {
      auto const row = scores.subspan(r * (scores.size() / count), scores.size() / count);
      seen[{mix, first + r}].assign(row.begin(), row.end());
    }
    next_.format(mix, first, count, scores, text);
  }
  void write(std::string_view aside, std::string_view rows) override { next_.write(aside, rows); }
  mutable std::map<std::pair<std::size_t, std::uint64_t>, std::vector<double>> seen;

 private:
  RowSink& next_;
};

std::string attribute(int id, int variable, char const* name) {
  std::size_t length = 0;
  nc_inq_attlen(id, variable, name, &length);
  std::string text(length, '\0');
  nc_get_att_text(id, variable, name, text.data());
  return text;
}

}  // namespace

TEST_CASE("rows and means of a study read back bit for bit, with units, names and provenance, and what does not exist is NaN") {
  Draws draws(21);
  auto const curves = random_curves(draws, 3);
  auto const study = study_of(curves);
  Folder const folder("netcdf");
  StudyResult result;
  NetcdfFile file(folder / "results.nc", {&study, &study}, {"seed"}, {{"1"}, {"2"}}, true, {{"title", "a study"}});
  Rows rows(file);
  RunOptions options;
  options.rows = &rows;
  file.start(1);
  result = run_study(study, *make_thread_executor(1), options);
  file.summary(result);
  CHECK(!std::filesystem::exists(folder / "results.nc"));
  file.commit();
  int id = -1, speed = -1, mean = -1;
  REQUIRE(nc_open((folder / "results.nc").c_str(), NC_NOWRITE, &id) == NC_NOERR);
  REQUIRE(nc_inq_varid(id, "speed_gpu", &speed) == NC_NOERR);
  REQUIRE(nc_inq_varid(id, "power_w_mean", &mean) == NC_NOERR);
  CHECK(attribute(id, NC_GLOBAL, "Conventions") == "CF-1.8");
  CHECK(attribute(id, NC_GLOBAL, "title") == "a study");
  CHECK(attribute(id, mean, "units") == "W");
  for (std::size_t m = 0; m < 2; ++m)
    for (std::size_t r = 0; r < 70; ++r)
      for (std::size_t p = 0; p < 2; ++p)
        for (std::size_t t = 0; t < 3; ++t) {
          double here = 0, other_point = 0;
          std::size_t const at[]{1, m, r, p, t}, other[]{0, m, r, p, t};
          nc_get_var1_double(id, speed, at, &here);
          nc_get_var1_double(id, speed, other, &other_point);
          REQUIRE(std::isnan(other_point));
          if (m == 1 && r > 0)
            REQUIRE(std::isnan(here));  // a listed mix has one replication
          else
            REQUIRE(here == rows.seen.at({m, r})[(p * 3 + t) * score::count + score::speed_gpu]);
        }
  double power = 0;
  std::size_t const at[]{1, 0, 1, 2};
  nc_get_var1_double(id, mean, at, &power);
  CHECK(power == result.mixes[0].scores.mean(result.column(1, 2, score::power_w)));
  nc_close(id);
}

TEST_CASE("points of different shape are refused, and nothing is left of a file that is not committed") {
  Draws draws(21);
  auto const curves = random_curves(draws, 3);
  auto const study = study_of(curves);
  auto other = study;
  other.policies.pop_back();
  Folder const folder("netcdf");
  CHECK_THROWS_WITH(NetcdfFile(folder / "results.nc", {&study, &other}, {}, {{}, {}}, true, {}),
                    "--format: the points of this sweep have other mixes, policies or numbers of cuts (a NetCDF variable has one shape); use --format csv");
  { NetcdfFile const file(folder / "results.nc", {&study}, {}, {{}}, true, {}); }
  CHECK(folder.files() == 0);
  CHECK_THROWS_AS(NetcdfFile(folder / "nowhere/results.nc", {&study}, {}, {{}}, true, {}), MachineError);
}

#else

TEST_CASE("a program built without NetCDF says how to get it") {
  Draws draws(21);
  auto const curves = random_curves(draws, 3);
  auto const study = study_of(curves);
  CHECK_THROWS_WITH(NetcdfFile(std::nullopt, {&study}, {}, {{}}, true, {}),
                    "--format: this program was built without NetCDF; configure with -DWATTFILL_NETCDF=ON (Debian: libnetcdf-dev), or use --format csv");
  testing::say_skipped("NetCDF files are not written: this build is without them (configure with -DWATTFILL_NETCDF=ON)");
}

#endif
