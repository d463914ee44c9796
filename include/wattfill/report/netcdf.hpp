#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wattfill/study/study.hpp"

namespace wattfill {

/// results.nc: a snapshot study as NetCDF-4, by the CF conventions (1.8): variables over the dimensions point (of the sweep), mix, replication, policy and
/// target, each with units and long_name; text coordinates for mixes, policies, cuts and sweep values; provenance as global attributes. Variables of rows hold
/// what replications.csv holds, those that end in _mean and _half_width what summary.csv does (the half width of the 95 % interval of the mean). What does not
/// exist is the fill value, NaN. Written under a temporary name and renamed when whole; failures are MachineErrors that name the file.
class NetcdfFile final : public RowSink {
 public:
  using Attributes = std::vector<std::pair<std::string, std::string>>;

  /// Points of a sweep must have mixes, policies and targets of the same names, else InputError. `rows`: replications, too. Throws InputError where the program
  /// was built without NetCDF. Without a file rows are formatted only.
  NetcdfFile(std::optional<std::filesystem::path> const& file, std::vector<StudySpec const*> const& points, std::vector<std::string> const& sweep_columns,
             std::vector<std::vector<std::string>> const& sweep_values, bool rows, Attributes const& provenance);
  ~NetcdfFile() override;
  NetcdfFile(NetcdfFile const&) = delete;
  NetcdfFile& operator=(NetcdfFile const&) = delete;

  /// Rows and summaries that follow are of this point of the sweep.
  void start(std::size_t point);
  void format(std::size_t mix, std::uint64_t first, std::uint64_t count, std::span<double const> scores, RowText& text) const override;
  void write(std::string_view aside, std::string_view rows) override;
  void summary(StudyResult const& result);
  void commit();

 private:
  std::filesystem::path file_, temporary_;
  int id_ = -1;
  std::size_t point_ = 0, mixes_ = 0, policies_ = 0, targets_ = 0, scores_ = 0;
  std::vector<int> rows_, means_, half_widths_;  // variables by score
  int gap_ = -1;
};

}  // namespace wattfill
