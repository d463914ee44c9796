#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattfill/core/output_file.hpp"
#include "wattfill/core/sha256.hpp"
#include "wattfill/study/capacity.hpp"
#include "wattfill/study/study.hpp"

namespace wattfill {

/// replications.csv: a row per mix, replication, policy and cut.
class ReplicationsCsv final : public RowSink {
 public:
  /// `metered`: some study of the file has a facility, so that there are columns of the meter; rows of studies without one leave them empty.
  /// Without a file rows are formatted only: they then go to one that begins with header().
  ReplicationsCsv(std::optional<std::filesystem::path> const& file, std::vector<std::string> const& sweep_columns, bool metered = false);

  /// Rows that follow belong to this study and sweep point. `study` must outlive them.
  void start(StudySpec const& study, std::vector<std::string> const& sweep_values);
  std::string const& header() const { return header_; }
  void format(std::size_t mix, std::uint64_t first, std::uint64_t count, std::span<double const> scores, RowText& text) const override;
  void write(std::string_view aside, std::string_view rows) override;
  /// Gives its SHA-256.
  std::string commit();

 private:
  std::optional<OutputFile> file_;
  Sha256 digest_;
  std::string header_;
  std::size_t shown_;  // scores with a column
  StudySpec const* study_ = nullptr;
  std::vector<std::string> heads_;  // [policy][target]: ",policy,cut,sweep...,"
};

/// summary.csv: a row per mix, policy, cut and sweep point, see scenarios/README.md for the columns.
std::string summary_header(std::vector<std::string> const& sweep_columns, bool metered = false);
std::string summary_rows(StudySpec const& study, StudyResult const& result, std::vector<std::string> const& sweep_values, bool metered = false);

/// allocation.csv: the draw, cap and speed of every class, for single replications and listed mixes.
std::string allocation_header(std::vector<std::string> const& sweep_columns);
std::string allocation_rows(std::span<MixAllocation const> allocations, std::vector<std::string> const& sweep_values);

/// stages.csv: what each stage of a pipeline draws where a job on its frontier was given less than it wants. `stages_of` gives the mean draw of one GPU of each
/// stage [W], or nullptr for jobs of which that is not known.
std::string stages_header(std::vector<std::string> const& sweep_columns);
std::string stages_rows(std::span<MixAllocation const> allocations, std::vector<std::string> const& sweep_values,
                        std::function<std::vector<double> const*(Allocation const&)> const& stages_of);

/// facility.csv: the watts of every component between the GPUs and the meter, for the same replications; needs study.metering.
std::string facility_header(std::vector<std::string> const& sweep_columns);
std::string facility_rows(StudySpec const& study, std::span<MixAllocation const> allocations, std::vector<std::string> const& sweep_values);

/// capacity.csv: what can be promised, a row per mix, policy, loss and confidence.
std::string capacity_header(std::vector<std::string> const& sweep_columns);
std::string capacity_rows(StudySpec const& study, std::vector<Promise> const& promises, std::vector<std::string> const& sweep_values);

/// The short table that `wattfill run` prints: per mix, policies against cuts.
std::string summary_table(StudySpec const& study, StudyResult const& result);

}  // namespace wattfill
