#pragma once
#include <optional>
#include <vector>

#include "wattfill/report/piece_file.hpp"
#include "wattfill/study/pieces.hpp"

namespace wattfill {

/// One part of a study, counted from 0.
struct Shard {
  std::uint64_t index, count;
};

/// Pieces that are in files already are taken from there; the others of this shard (without one: all) are made and appended to a file.
class StoredPieces final : public Pieces {
 public:
  /// `table` and `writer` outlive it; without a writer nothing is kept.
  StoredPieces(PieceTable const& table, std::vector<PieceFile> files, PieceWriter* writer, std::optional<Shard> shard = std::nullopt);

  Task task(std::uint64_t piece) override;
  Task derived_task(std::uint64_t piece, std::uint64_t first_of_mix, std::uint64_t count_of_mix) override;
  Piece take(std::uint64_t piece) override;
  void keep(std::uint64_t piece, std::string_view payload, std::span<std::string_view const> rows = {}) override;
  bool keeps_rows() const override { return writer_ != nullptr && writer_->keeps_rows(); }
  bool folds() const override { return !shard_; }

 private:
  PieceFile* file_of(std::uint64_t piece);

  PieceTable const& table_;
  std::vector<PieceFile> files_;
  PieceWriter* writer_;
  std::optional<Shard> shard_;
};

/// Throws InputError unless the files hold every piece of the study, each once, and are of one study in one program: says which pieces, shards or values
/// differ. `is` is what the pieces must be of; its "shard" is left out.
void check_shards(std::vector<PieceFile> const& files, PieceTable const& table, PieceHeader is);

}  // namespace wattfill
