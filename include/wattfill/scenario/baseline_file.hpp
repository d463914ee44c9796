#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "wattfill/scenario/fields.hpp"
#include "wattfill/scenario/result_reader.hpp"
#include "wattfill/study/regression.hpp"

namespace wattfill {

/// What a study gave when it was last agreed to, with how far each metric may move from it: the file of `wattfill regress --baseline`.
struct StoredBaseline {
  std::uint64_t wattfill = 1;
  std::string kind = "baseline", name, version, seed;
  std::vector<Named<Tolerance>> tolerance;  ///< by metric; only these are compared
  std::vector<MetricRecord> records;
  Place place;

  std::vector<MetricTolerance> tolerances() const;
};

/// The file's keys, for readers of the schema.
Format<StoredBaseline> const& baseline_format();

/// Throws InputError that lists every mistake found. `sets` change keys, e.g. "tolerance.speed.relative=1e-6".
StoredBaseline read_baseline(std::filesystem::path const& file, std::vector<std::string> const& sets = {});

/// The same with keys changed, as in a file.
StoredBaseline with_sets(StoredBaseline const& baseline, std::vector<std::string> const& sets);
/// Throws InputError where a significance is asked for but the rows hold no means of batches, as they were written without.
void check_significance(StoredBaseline const& baseline, std::string const& file);

/// The file's text: a line for each row and metric, so that differences read well.
std::string baseline_text(StoredBaseline const& baseline);

/// The records of these metrics from a result folder: of replications.csv, of a campaign's campaign.csv. No metrics: the few that say most of this kind of
/// study. Throws InputError for metrics that are not columns, and where the file is missing (`--rows summary`).
std::vector<MetricRecord> records_of(ResultInfo const& result, std::vector<std::string> metrics);

}  // namespace wattfill
