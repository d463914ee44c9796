#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/running.hpp"
#include "wattfill/report/stored_pieces.hpp"
#include "wattfill/scenario/scenario.hpp"

namespace wattfill::cli {

/// The file of pieces in a result folder, and their rows.
inline constexpr char const *pieces_name = "pieces.bin", *piece_rows_name = "pieces.csv";

/// --resume, --shard and --keep-every.
void add_keeping_options(po::options_description&);
/// --keep-every never: the run is not to be gone on with.
bool keeps_nothing(po::variables_map const& given);
/// --shard I/N, I from 1.
std::optional<Shard> shard_of(po::variables_map const& given);
std::string to_string(Shard const& shard);

/// What pieces say of the rows that they hold, e.g. "all, netcdf, quantiles 0.05 0.5", and back.
std::string rows_name(Running const& running);
void set_rows(Running& running, std::string const& name);
/// Shares between 0 and 1, separated by commas.
std::vector<double> quantiles_of(std::string const& text, char separator);

/// What makes pieces of this scenario those of one study, and where it was read from.
PieceHeader piece_header(Scenario const& scenario, std::string const& file, po::variables_map const& given, std::string const& rows);
/// All pieces of all sweep points.
PieceTable piece_table(Scenario const& scenario);

/// What a run keeps of what it has finished, in its result folder. Without --resume it begins anew; with it, refuses (InputError) pieces of another scenario,
/// other curves or another version, and says what differs. `rows_header`: the first line of the table of rows; empty: none is kept.
class Keeping {
 public:
  Keeping(PieceTable const& table, PieceHeader header, std::filesystem::path const& folder, po::variables_map const& given, std::string const& rows_header);

  Pieces* pieces() { return &*pieces_; }
  /// The rows are whole; gives the SHA-256 of their file.
  std::string commit_rows(std::filesystem::path const& place) { return writer_->commit_rows(place); }
  /// The results are in their place: the pieces of a shard are one of them, others go.
  void finish();

 private:
  std::filesystem::path file_;
  std::optional<PieceWriter> writer_;
  std::optional<StoredPieces> pieces_;
};

}  // namespace wattfill::cli
