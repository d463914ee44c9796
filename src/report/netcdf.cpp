#include "wattfill/report/netcdf.hpp"

#include <algorithm>

#include "report/labels.hpp"
#include "wattfill/core/bytes.hpp"
#include "wattfill/core/error.hpp"

#ifdef WATTFILL_NETCDF
#include <netcdf.h>

#include <cmath>
#include <limits>
#endif

namespace wattfill {

#ifdef WATTFILL_NETCDF
namespace {

/// Units by UDUNITS: watts, or a pure number. Speeds are in the unit of their library, which the provenance names.
char const* unit_of(std::string_view column) { return column.ends_with("_w") ? "W" : "1"; }

class Calls {
 public:
  explicit Calls(std::filesystem::path const& file) : file_(file) {}
  void operator()(int status) const {
    if (status != NC_NOERR) throw MachineError(file_.string() + ": could not be written: " + nc_strerror(status) + "; nothing is left half-written there");
  }

 private:
  std::filesystem::path const& file_;
};

void attribute(Calls const& call, int id, int variable, char const* name, std::string_view value) {
  call(nc_put_att_text(id, variable, name, value.size(), value.data()));
}

int number_variable(Calls const& call, int id, std::string const& name, std::vector<int> const& dimensions, std::string_view unit, std::string_view meaning) {
  int variable = -1;
  double const none = std::numeric_limits<double>::quiet_NaN();
  call(nc_def_var(id, name.c_str(), NC_DOUBLE, static_cast<int>(dimensions.size()), dimensions.data(), &variable));
  call(nc_def_var_fill(id, variable, NC_FILL, &none));
  attribute(call, id, variable, "units", unit);
  attribute(call, id, variable, "long_name", meaning);
  return variable;
}

void text_variable(Calls const& call, int id, std::string const& name, int dimension, std::vector<std::string> const& values, std::string_view meaning) {
  int variable = -1;
  call(nc_def_var(id, name.c_str(), NC_STRING, 1, &dimension, &variable));
  attribute(call, id, variable, "long_name", meaning);
  std::vector<char const*> texts;
  for (auto const& value : values) texts.push_back(value.c_str());
  call(nc_put_var_string(id, variable, texts.data()));
}

std::vector<std::string> names_of_mixes(StudySpec const& study) {
  std::vector<std::string> names;
  for (auto const& mix : study.mixes) names.push_back(mix.name);
  return names;
}
std::vector<std::string> names_of_policies(StudySpec const& study) {
  std::vector<std::string> names;
  for (auto const& policy : study.policies) names.push_back(policy.shown());
  return names;
}

std::uint64_t most_replications(std::vector<StudySpec const*> const& points) {
  std::uint64_t most = 1;
  for (auto const* point : points)
    for (auto const& mix : point->mixes)
      if (mix.listed.empty()) most = std::max(most, mix.replications);
  return most;
}

}  // namespace

NetcdfFile::NetcdfFile(std::optional<std::filesystem::path> const& file, std::vector<StudySpec const*> const& points,
                       std::vector<std::string> const& sweep_columns, std::vector<std::vector<std::string>> const& sweep_values, bool rows,
                       Attributes const& provenance) {
  auto const& first = *points.front();
  auto const mixes = names_of_mixes(first), policies = names_of_policies(first);
  auto const targets = targets_of(first);
  for (auto const* point : points)
    if (names_of_mixes(*point) != mixes || names_of_policies(*point) != policies || targets_of(*point).size() != targets.size() ||
        point->metering.has_value() != first.metering.has_value())
      throw InputError(
          {{}, "--format", "the points of this sweep have other mixes, policies or numbers of cuts (a NetCDF variable has one shape); use --format csv"});
  mixes_ = mixes.size();
  policies_ = policies.size();
  targets_ = targets.size();
  scores_ = first.metering ? score::metered_count : score::count;

  if (!file) return;
  file_ = *file;
  temporary_ = *file;
  temporary_ += ".tmp";
  Calls const call(file_);
  call(nc_create(temporary_.c_str(), NC_NETCDF4 | NC_CLOBBER, &id_));
  attribute(call, id_, NC_GLOBAL, "Conventions", "CF-1.8");
  for (auto const& [name, value] : provenance) attribute(call, id_, NC_GLOBAL, name.c_str(), value);
  int point = -1, mix = -1, replication = -1, policy = -1, target = -1;
  call(nc_def_dim(id_, "point", points.size(), &point));
  call(nc_def_dim(id_, "mix", mixes_, &mix));
  if (rows) call(nc_def_dim(id_, "replication", most_replications(points), &replication));
  call(nc_def_dim(id_, "policy", policies_, &policy));
  call(nc_def_dim(id_, "target", targets_, &target));
  text_variable(call, id_, "mix", mix, mixes, "mix of jobs");
  text_variable(call, id_, "policy", policy, policies, "rule that divides the watts");
  std::vector<double> values;
  for (auto const& t : targets) values.push_back(t.value);
  bool const cuts = targets.front().kind == Target::Kind::cut;
  auto const target_variable = number_variable(call, id_, "target", {target}, cuts ? "1" : "W", cuts ? "cut of the uncapped draw" : "power limit");
  call(nc_put_var_double(id_, target_variable, values.data()));
  for (std::size_t k = 0; k < sweep_columns.size(); ++k) {
    std::vector<std::string> texts;
    for (auto const& row : sweep_values) texts.push_back(row[k]);
    text_variable(call, id_, sweep_columns[k], point, texts, "swept key of the scenario");
  }
  for (std::size_t s = 0; s < scores_; ++s) {
    auto const& info = score_table()[s];
    auto const name = std::string(info.column);
    if (rows) rows_.push_back(number_variable(call, id_, name, {point, mix, replication, policy, target}, unit_of(info.column), info.meaning));
    means_.push_back(
        number_variable(call, id_, name + "_mean", {point, mix, policy, target}, unit_of(info.column), "mean over replications: " + std::string(info.meaning)));
    half_widths_.push_back(
        number_variable(call, id_, name + "_half_width", {point, mix, policy, target}, unit_of(info.column), "half width of the 95 % interval of the mean"));
  }
  gap_ = number_variable(call, id_, "gap_closed", {point, mix, policy, target}, "1", "share of the way from the reference policy to the oracle");
}

NetcdfFile::~NetcdfFile() {
  if (id_ < 0) return;
  nc_abort(id_);
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void NetcdfFile::start(std::size_t point) { point_ = point; }

void NetcdfFile::format(std::size_t mix, std::uint64_t first, std::uint64_t count, std::span<double const> scores, RowText& text) const {
  text.aside.clear();
  ByteWriter to(text.aside);
  to.number(mix);
  to.number(first);
  to.number(count);
  std::vector<double> column(count * policies_ * targets_);
  for (std::size_t s = 0; s < scores_; ++s) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = scores[i * scores_ + s];
    to.doubles(column);
  }
}

void NetcdfFile::write(std::string_view aside, std::string_view) {
  Calls const call(file_);
  ByteReader from(aside);
  while (from.left() > 0) {
    std::uint64_t mix = 0, first = 0, count = 0;
    bool good = from.number(mix) && from.number(first) && from.number(count) && mix < mixes_ && count <= from.left() / (policies_ * targets_ * scores_ * 8);
    std::vector<double> column(good ? count * policies_ * targets_ : 0);
    for (std::size_t s = 0; good && s < scores_; ++s) {
      good = from.doubles(column);
      std::size_t const start[]{point_, mix, first, 0, 0}, shape[]{1, 1, count, policies_, targets_};
      if (good && !rows_.empty()) call(nc_put_vara_double(id_, rows_[s], start, shape, column.data()));
    }
    if (!good) throw InputError("what was kept of this study's rows does not fit it; remove it and run again");
  }
}

void NetcdfFile::summary(StudyResult const& result) {
  Calls const call(file_);
  std::vector<double> column(policies_ * targets_);
  std::size_t const shape[]{1, 1, policies_, targets_};
  for (std::size_t m = 0; m < result.mixes.size(); ++m) {
    auto const& mix = result.mixes[m];
    std::size_t const start[]{point_, m, 0, 0};
    for (std::size_t s = 0; s < scores_; ++s) {
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = mix.scores.mean(result.column(i / targets_, i % targets_, s));
      call(nc_put_vara_double(id_, means_[s], start, shape, column.data()));
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = mix.scores.half_width(result.column(i / targets_, i % targets_, s));
      call(nc_put_vara_double(id_, half_widths_[s], start, shape, column.data()));
    }
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = mix.gap_closed.empty() ? std::numeric_limits<double>::quiet_NaN() : mix.gap_closed[i].value;
    call(nc_put_vara_double(id_, gap_, start, shape, column.data()));
  }
}

void NetcdfFile::commit() {
  Calls const call(file_);
  call(nc_close(std::exchange(id_, -1)));
  std::filesystem::rename(temporary_, file_);
}

#else

NetcdfFile::NetcdfFile(std::optional<std::filesystem::path> const&, std::vector<StudySpec const*> const&, std::vector<std::string> const&,
                       std::vector<std::vector<std::string>> const&, bool, Attributes const&) {
  throw InputError({{}, "--format", "this program was built without NetCDF; configure with -DWATTFILL_NETCDF=ON (Debian: libnetcdf-dev), or use --format csv"});
}
NetcdfFile::~NetcdfFile() = default;
void NetcdfFile::start(std::size_t) {}
void NetcdfFile::format(std::size_t, std::uint64_t, std::uint64_t, std::span<double const>, RowText&) const {}
void NetcdfFile::write(std::string_view, std::string_view) {}
void NetcdfFile::summary(StudyResult const&) {}
void NetcdfFile::commit() {}

#endif

}  // namespace wattfill
